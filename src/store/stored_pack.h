// A pack and its index in some objects directory, each opened when it is first needed.
//
// A repack may remove both at any moment. What is mapped stays readable; what is not yet mapped is then `gone`, which
// is no error: its objects are in another pack by now. Thread safe.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "store/idx.h"
#include "store/pack_file.h"

namespace pfetch::store {

class StoredPack {
 public:
  // `stem` is the path of the pack without ".pack".
  StoredPack(std::string stem, PackFile::Context context) : stem_(std::move(stem)), context_(context) {}

  std::string pack_path() const { return stem_ + ".pack"; }
  // nullptr when it is gone. Throws ErrorCode::corrupt or io, again each time.
  const PackIndex* index();
  const PackFile* file();

 private:
  std::string stem_;
  PackFile::Context context_;
  std::mutex mutex_;  // guards the opening of both
  std::unique_ptr<const PackIndex> index_;
  std::unique_ptr<const PackFile> file_;
  std::atomic<const PackIndex*> index_ready_{nullptr};
  std::atomic<const PackFile*> file_ready_{nullptr};
};

}  // namespace pfetch::store
