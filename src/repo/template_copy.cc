#include "repo/template_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "repo/format.h"

namespace pfetch::repo {

namespace {

constexpr int depth_max = 64;
constexpr const char* default_template_dir = "/usr/share/git-core/templates";

void copy_symlink(const std::string& from, const std::string& to) {
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(from.c_str(), target.data(), target.size());
  if (size < 0) throw_errno(errno, "cannot readlink", from);
  const std::string text(target.data(), static_cast<std::size_t>(size));
  if (::symlink(text.c_str(), to.c_str()) != 0) throw_errno(errno, "cannot symlink", to);
}

void copy_file(const std::string& from, const std::string& to, mode_t mode, const SharedMode& shared) {
  const base::UniqueFd in = base::open_file(from, O_RDONLY);
  const base::UniqueFd out = base::open_file(to, O_WRONLY | O_CREAT | O_EXCL, (mode & 0111) != 0 ? 0777 : 0666);
  std::array<std::byte, 65536> buffer;
  while (const std::size_t got = base::read_some(in.get(), buffer, from)) {
    base::write_all(out.get(), base::Bytes(buffer.data(), got), to);
  }
  shared.adjust_file(out.get(), to);
}

class TemplateCopy {
 public:
  TemplateCopy(const SharedMode& shared, std::vector<std::string>& warnings) : shared_(shared), warnings_(warnings) {}

  void copy_directory(const std::string& from, const std::string& to, int depth) {
    if (!base::path_exists(to)) base::make_directory(to);
    shared_.adjust_path(to);
    std::vector<std::string> names;
    if (depth >= depth_max || !base::list_names(from, names)) {
      warnings_.push_back(fmt::format("cannot opendir '{}'", from));
      return;
    }
    for (const std::string& name : names) copy_entry(from + "/" + name, to + "/" + name, depth);
  }

 private:
  void copy_entry(const std::string& from, const std::string& to, int depth) {
    struct stat info {};
    if (::lstat(from.c_str(), &info) != 0) throw_errno(errno, "cannot stat template", from);
    const bool there = base::path_exists(to);
    if (S_ISDIR(info.st_mode)) {
      if (!there || base::is_directory(to)) copy_directory(from, to, depth + 1);
    } else if (there) {
      return;
    } else if (S_ISLNK(info.st_mode)) {
      copy_symlink(from, to);
    } else if (S_ISREG(info.st_mode)) {
      copy_file(from, to, info.st_mode, shared_);
    } else {
      warnings_.push_back(fmt::format("ignoring template {}", from));
    }
  }

  const SharedMode& shared_;
  std::vector<std::string>& warnings_;
};

}  // namespace

std::string choose_template_dir(const std::optional<std::string>& option, const Environment& environment,
                                const Config& config) {
  if (option) return *option;
  if (environment.template_dir) return *environment.template_dir;
  if (const auto configured = config.get_path("init.templateDir")) return *configured;
  return base::is_directory(default_template_dir) ? default_template_dir : "";
}

void copy_template(const std::string& template_dir, const std::string& git_dir, const SharedMode& shared,
                   std::vector<std::string>& warnings) {
  if (template_dir.empty()) return;
  if (!base::is_directory(template_dir)) {
    warnings.push_back(fmt::format("templates not found in {}", template_dir));
    return;
  }
  try {
    refuse_unknown_format(read_repository_format(template_dir, template_dir));
  } catch (const Error& error) {
    warnings.push_back(fmt::format("not copying templates from '{}': {}", template_dir, error.message()));
    return;
  }
  TemplateCopy(shared, warnings).copy_directory(template_dir, git_dir, 0);
}

}  // namespace pfetch::repo
