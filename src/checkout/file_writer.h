// Writes one file or symlink into the worktree: created through its directory's descriptor, with O_EXCL|O_NOFOLLOW, so
// nothing that stands there is ever followed or overwritten.
//
// Files get a modification time at the end of the second before they were written. Git's index tells a file that was
// changed right after checkout by that time, and most builds of git look at whole seconds only: a file written in the
// same second as the index would have to be read again by the next `git status`. A time before that second makes the
// recorded stat data certain at once, and a later change still shows, since it gives the file a present time.
#pragma once

#include <functional>
#include <string>

#include "checkout/directory_writer.h"
#include "checkout/plan.h"

namespace pfetch::checkout {

enum class Written {
  yes,
  collided,  // something stands under this name already (a file system that folds case)
};

enum class FileTimes {
  certain,  // the end of the second before they were written: older than the index, so nobody has to look again
  present,  // when they were written: younger than all that was built from the files before them
};

// The two ends of writing a file. The first creates it, and gives its directory and the last component of its name; no
// descriptor when something stands there already. The second sets times and fills file.stat. Both throw ErrorCode::io
// with the path.
base::UniqueFd create_file(DirectoryWriter& directories, const FileSlot& file, DirectoryWriter::Handle& directory,
                           std::string& leaf);
void complete_file(int fd, FileSlot& file, FileTimes times);

class FileWriter {
 public:
  explicit FileWriter(DirectoryWriter& directories, FileTimes times = FileTimes::certain)
      : directories_(directories), times_(times) {}

  // Fills file.stat. Throws ErrorCode::io with the path. Any thread; each file by one.
  Written write(FileSlot& file, base::Bytes content);
  // As `write`, with the content handed over in pieces: `produce` calls its argument for each.
  Written write_pieces(FileSlot& file, const std::function<void(const std::function<void(base::Bytes)>&)>& produce);
  // The content is the target. file.stat stays empty when another process has replaced the link meanwhile.
  Written write_symlink(FileSlot& file, std::string_view content);

 private:
  DirectoryWriter& directories_;
  const FileTimes times_;
};

}  // namespace pfetch::checkout
