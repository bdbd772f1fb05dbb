// What a failure or a signal must remove: temporary files, lock files, directories that a clone made.
//
// An entry is armed from construction until `dismiss`. Destruction while armed removes the path. Threads that still
// write below a directory must have ended before its entry is destroyed, which the unwinding order of the commands
// ensures: a signal only requests a Cancellation, and the stack unwinds as for any other error.
#pragma once

#include <string>

namespace pfetch::base {

class RemoveOnFailure {
 public:
  enum class What {
    file,
    tree,
    tree_contents,    // keeps the (formerly empty) directory itself
    empty_directory,  // one level, and only if nothing is in it
  };

  RemoveOnFailure() = default;
  RemoveOnFailure(std::string path, What what) : path_(std::move(path)), what_(what), armed_(true) {}
  RemoveOnFailure(RemoveOnFailure&& other) noexcept;
  RemoveOnFailure& operator=(RemoveOnFailure&& other) noexcept;
  ~RemoveOnFailure();

  void dismiss() { armed_ = false; }
  bool armed() const { return armed_; }
  // Removes the path now, if armed. Never throws: what cannot be removed is left.
  void remove_now() noexcept;

 private:
  std::string path_;
  What what_ = What::file;
  bool armed_ = false;
};

// rm -rf that never follows a symlink, but `path` itself when it is kept. Errors are ignored; returns whether all is
// gone.
bool remove_tree(const std::string& path, bool keep_top = false) noexcept;
// The same for `name` in an open directory: a file, a symlink, or a directory with all that is below.
bool remove_tree_at(int directory, const char* name) noexcept;

}  // namespace pfetch::base
