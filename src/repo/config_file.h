// Changing one configuration file under its lock, with everything else in it kept byte for byte: comments, order, the
// way others laid it out (git-config).
//
// An edit holds `<path>.lock` from its construction; changes are made in memory and become visible together with
// `commit`. Without it nothing changes. Not thread safe. Errors: ErrorCode::config for keys and files that cannot be
// read, ErrorCode::exists while another process holds the lock, ErrorCode::io.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/lock_file.h"

namespace pfetch::repo {

class ConfigFileEdit {
 public:
  // Reads `path` if it is there; a symlink is followed, so that the file behind it is what changes.
  explicit ConfigFileEdit(const std::string& path);

  // Gives `key` this one value, in its place if it had one. Throws if the key has several values.
  void set(std::string_view key, std::string_view value);
  // Adds one more value behind the section's last line.
  void add(std::string_view key, const std::optional<std::string>& value);
  // Removes every value of `key`; false when there was none. A section that becomes empty stays.
  bool unset(std::string_view key);
  // Removes every part of the file that belongs to "section" or "section.subsection"; false when there was none.
  bool remove_section(std::string_view section);

  const std::string& text() const { return text_; }  // the file as it will be
  void commit();

 private:
  std::string path_;
  base::LockFile lock_;
  std::string text_;
};

// One change on its own.
void set_config_value(const std::string& path, std::string_view key, std::string_view value);

}  // namespace pfetch::repo
