// A file of the worktree whose bytes come from somebody who may fail midway: it is created with its first bytes, can be
// started over, and is removed again when it goes away unfinished. Belongs to one thread.
#pragma once

#include <string>

#include "checkout/directory_writer.h"
#include "checkout/file_writer.h"

namespace pfetch::checkout {

class PendingFile {
 public:
  // Both must outlive it.
  PendingFile(DirectoryWriter& directories, FileSlot& file, FileTimes times)
      : directories_(directories), file_(file), times_(times) {}
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  // Throws ErrorCode::io with the path.
  void put(base::Bytes piece);
  // Forgets what was put.
  void start_over();
  // Removes it.
  void abandon();
  // Nothing follows; also for a file into which nothing was put. Fills in the slot as FileWriter does.
  Written finish();
  // Bytes put since the start.
  std::uint64_t size() const { return size_; }

 private:
  void create();

  DirectoryWriter& directories_;
  FileSlot& file_;
  const FileTimes times_;
  DirectoryWriter::Handle directory_;
  std::string leaf_;
  base::UniqueFd fd_;
  bool collided_ = false;
  std::uint64_t size_ = 0;
};

}  // namespace pfetch::checkout
