#include "repo/shared_mode.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/fd.h"
#include "repo/config_syntax.h"

namespace pfetch::repo {

namespace {

constexpr mode_t group_bits = 0660;
constexpr mode_t everybody_bits = 0664;

}  // namespace

SharedMode SharedMode::parse(const std::optional<std::string>& value, std::string_view key) {
  SharedMode mode;
  if (!value || *value == "group") {
    mode.bits_ = group_bits;
    return mode;
  }
  if (*value == "umask") return mode;
  if (*value == "all" || *value == "world" || *value == "everybody") {
    mode.bits_ = everybody_bits;
    return mode;
  }
  char* end = nullptr;
  const long octal = std::strtol(value->c_str(), &end, 8);
  if (*end != '\0' || value->empty()) {
    const auto flag = config_value_as_bool(value);
    if (!flag) throw Error(ErrorCode::config, fmt::format("bad boolean config value '{}' for '{}'", *value, key));
    mode.bits_ = *flag ? group_bits : 0;
  } else if (octal == 1) {
    mode.bits_ = group_bits;
  } else if (octal == 2) {
    mode.bits_ = everybody_bits;
  } else if (octal != 0) {
    if ((octal & 0600) != 0600) {
      throw Error(ErrorCode::config, fmt::format("problem with core.sharedRepository filemode value (0{:03o}).\n"
                                                 "The owner of files must always have read and write permissions.",
                                                 octal));
    }
    mode.bits_ = static_cast<mode_t>(octal) & 0666;
    mode.replaces_ = true;
  }
  return mode;
}

std::string SharedMode::config_value() const {
  if (replaces_) return fmt::format("0{:o}", bits_);
  return bits_ == group_bits ? "1" : bits_ == everybody_bits ? "2" : "0";
}

mode_t SharedMode::adjusted_file(mode_t mode) const {
  if (!is_shared()) return mode;
  mode_t bits = bits_;
  if ((mode & S_IWUSR) == 0) bits &= ~static_cast<mode_t>(0222);
  if ((mode & S_IXUSR) != 0) bits |= (bits & 0444) >> 2;
  return replaces_ ? (mode & ~static_cast<mode_t>(0777)) | bits : mode | bits;
}

mode_t SharedMode::adjusted_directory(mode_t mode) const {
  if (!is_shared()) return mode;
  mode = adjusted_file(mode);
  mode |= (mode & 0444) >> 2;
  if ((mode & 060) != 0) mode |= S_ISGID;
  return mode;
}

void SharedMode::adjust_file(int fd, std::string_view path) const {
  if (!is_shared()) return;
  const mode_t mode = base::stat_fd(fd, path).st_mode & 07777;
  const mode_t wanted = adjusted_file(mode);
  if (wanted != mode && ::fchmod(fd, wanted) != 0) throw_errno(errno, "could not fix permissions on", path);
}

void SharedMode::adjust_path(const std::string& path) const {
  if (!is_shared()) return;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) throw_errno(errno, "could not stat", path);
  if (S_ISLNK(info.st_mode)) return;
  const mode_t mode = info.st_mode & 07777;
  const mode_t wanted = S_ISDIR(info.st_mode) ? adjusted_directory(mode) : adjusted_file(mode);
  if (wanted != mode && ::chmod(path.c_str(), wanted) != 0) throw_errno(errno, "could not fix permissions on", path);
}

}  // namespace pfetch::repo
