// The permissions that core.sharedRepository gives to files and directories of a repository (git-config, git-init).
//
// A value; thread safe. Files are made with the umask as usual and then adjusted: a read bit for others where the owner
// may read, a write bit where the owner may write, an execute bit beside each read bit where the owner may execute.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace pfetch::repo {

class SharedMode {
 public:
  SharedMode() = default;  // umask: nothing is adjusted

  // The value of core.sharedRepository (nullopt: without "="): umask, group, all/world/everybody, a boolean, 1, 2 or
  // an octal mode. Throws ErrorCode::config for an octal mode that takes the owner's rights.
  static SharedMode parse(const std::optional<std::string>& value, std::string_view key = "core.sharedrepository");

  bool is_shared() const { return bits_ != 0; }
  // How the value is written to a new repository: "1", "2" or an octal mode.
  std::string config_value() const;

  mode_t adjusted_file(mode_t mode) const;
  // A directory that is shared also hands its group down (g+s).
  mode_t adjusted_directory(mode_t mode) const;

  // Give what was just made the right mode. Throw ErrorCode::io. Nothing is done, and no system call made, when not
  // shared.
  void adjust_file(int fd, std::string_view path) const;
  void adjust_path(const std::string& path) const;  // a file or a directory; a symlink is left alone

 private:
  mode_t bits_ = 0;        // added to a mode, or put in its place
  bool replaces_ = false;  // an octal mode: others lose what it does not name
};

}  // namespace pfetch::repo
