#include "repo/loose_refs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <optional>

#include "base/ascii.h"
#include "base/error.h"
#include "base/fd.h"
#include "object/ref_name.h"

namespace pfetch::repo {

namespace {

// A ref name with "ref: " and some white space; anything longer is no ref.
constexpr std::size_t content_size_max = object::ref_name_size_max + 64;

LooseRef broken(std::string trouble) {
  LooseRef ref;
  ref.state = LooseRef::State::broken;
  ref.trouble = std::move(trouble);
  return ref;
}

LooseRef symbolic(std::string_view target) {
  if (!object::is_valid_ref_name(target, {.one_level = true})) return broken("reference points to an invalid name");
  LooseRef ref;
  ref.state = LooseRef::State::symbolic;
  ref.target = target;
  return ref;
}

// The target of a symlink that is a symbolic ref; nullopt when it is an ordinary link, to be followed.
std::optional<LooseRef> read_symlink(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return std::nullopt;
  const std::string_view name(target.data(), static_cast<std::size_t>(size));
  if (name.substr(0, 5) != "refs/" || !object::is_valid_ref_name(name)) return std::nullopt;
  return symbolic(name);
}

}  // namespace

LooseRef parse_loose_ref(std::string_view content) {
  std::string_view text = base::without_final_space(content);
  if (text.substr(0, 4) == "ref:") {
    text.remove_prefix(4);
    while (!text.empty() && base::is_space(text.front())) text.remove_prefix(1);
    return symbolic(text);
  }
  const auto id = object::Oid::from_hex(text.substr(0, object::Oid::hex_size));
  const bool ends = text.size() == object::Oid::hex_size || (id && base::is_space(text[object::Oid::hex_size]));
  if (!id || !ends) return broken("reference broken");
  LooseRef ref;
  ref.state = LooseRef::State::direct;
  ref.id = *id;
  return ref;
}

LooseRef read_loose_ref(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    if (errno == ENAMETOOLONG) return {};
    throw_errno(errno, "could not stat", path);
  }
  if (S_ISLNK(info.st_mode)) {
    if (auto link = read_symlink(path)) return *link;
  }
  if (base::is_directory(path)) {
    LooseRef ref;
    ref.state = LooseRef::State::directory;
    return ref;
  }
  const base::UniqueFd fd = base::open_if_there(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return {};
  std::string content(content_size_max + 1, '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const auto rest = std::as_writable_bytes(std::span(content)).subspan(filled);
    const std::size_t got = base::read_some(fd.get(), rest, path);
    if (got == 0) break;
    filled += got;
  }
  if (filled == content.size()) return broken("reference broken");
  content.resize(filled);
  return parse_loose_ref(content);
}

void list_loose_refs(const std::string& top, const std::string& directory, std::vector<std::string>& names,
                     bool locks) {
  const std::string path = top + "/" + directory;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(path.c_str()), ::closedir);
  if (!open) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG) return;
    throw_errno(errno, "could not open directory", path);
  }
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view file(entry->d_name);
    if (file.front() == '.') continue;
    if (!locks && file.ends_with(".lock")) continue;
    std::string name = directory + "/" + std::string(file);
    if (name.size() > object::ref_name_size_max) continue;
    const bool is_directory =
        entry->d_type == DT_DIR || (entry->d_type != DT_REG && base::is_directory(top + "/" + name));
    if (is_directory) {
      list_loose_refs(top, name, names, locks);
    } else {
      names.push_back(std::move(name));
    }
  }
}

}  // namespace pfetch::repo
