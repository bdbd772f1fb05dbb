#include "repo/reflog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/error.h"
#include "base/fd.h"
#include "repo/ref_files.h"

namespace pfetch::repo {

using object::Oid;

namespace {

std::optional<ReflogEntry> parse_line(std::string_view line) {
  constexpr std::size_t ids_size = 2 * (Oid::hex_size + 1);
  if (line.size() < ids_size || line[Oid::hex_size] != ' ' || line[ids_size - 1] != ' ') return std::nullopt;
  const auto old_id = Oid::from_hex(line.substr(0, Oid::hex_size));
  const auto new_id = Oid::from_hex(line.substr(Oid::hex_size + 1, Oid::hex_size));
  if (!old_id || !new_id) return std::nullopt;
  ReflogEntry entry{*old_id, *new_id, {}, 0, {}, {}};
  std::string_view rest = line.substr(ids_size);
  const auto tab = rest.find('\t');
  if (tab != std::string_view::npos) entry.message = rest.substr(tab + 1);
  rest = rest.substr(0, tab);
  const auto mail_end = rest.find("> ");
  if (mail_end == std::string_view::npos) return std::nullopt;
  entry.ident = rest.substr(0, mail_end + 1);
  rest.remove_prefix(mail_end + 2);
  const auto [after, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), entry.seconds);
  if (trouble != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(after - rest.data()));
  if (rest.size() < 2 || rest.front() != ' ' || (rest[1] != '+' && rest[1] != '-')) return std::nullopt;
  entry.zone = rest.substr(1);
  return entry;
}

// Opens for appending; empty when there is no log (or a directory instead) and none is to be made.
base::UniqueFd open_log(const std::string& path, bool create) {
  for (int attempt = 0;; ++attempt) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
    if (fd >= 0) return base::UniqueFd(fd);
    if (errno == EINTR) continue;
    if (!create && (errno == ENOENT || errno == EISDIR || errno == ENOTDIR)) return {};
    // Empty directories of deleted refs give way; a directory above may have been removed by another process.
    const bool cleared = errno == EISDIR && attempt < 3 && remove_empty_directories(path);
    const bool retry = cleared || (errno == ENOENT && attempt < 3);
    if (!retry) throw_errno(errno, "unable to append to", path);
    make_parent_directories(path, {});
  }
}

}  // namespace

bool starts_reflog(std::string_view ref_name, LogRefs log_refs, bool bare) {
  if (log_refs == LogRefs::unset) log_refs = bare ? LogRefs::none : LogRefs::normal;
  if (log_refs != LogRefs::normal) return log_refs == LogRefs::always;
  return ref_name == "HEAD" || ref_name.starts_with("refs/heads/") || ref_name.starts_with("refs/remotes/") ||
         ref_name.starts_with("refs/notes/");
}

std::string reflog_message(std::string_view message) {
  std::string text;
  bool blank = false;
  for (const char c : message) {
    if (base::is_space(c)) {
      blank = !text.empty();
      continue;
    }
    if (blank) text.push_back(' ');
    blank = false;
    text.push_back(c);
  }
  return text;
}

std::string reflog_line(const Oid& old_id, const Oid& new_id, std::string_view ident, std::string_view message) {
  const std::string text = reflog_message(message);
  return fmt::format("{} {} {}{}{}\n", old_id.hex(), new_id.hex(), ident, text.empty() ? "" : "\t", text);
}

bool append_reflog(const std::string& path, std::string_view line, bool create, const SharedMode& shared) {
  if (create) make_parent_directories(path, shared);
  const base::UniqueFd fd = open_log(path, create);
  if (!fd) return false;
  shared.adjust_path(path);
  base::write_all(fd.get(), base::as_bytes(line), path);
  return true;
}

void remove_reflog(const std::string& path, const std::string& top) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR && errno != EISDIR) {
    throw_errno(errno, "unable to unlink", path);
  }
  remove_empty_parents(path, top);
}

void for_each_reflog_entry(const std::string& path, const std::function<bool(const ReflogEntry&)>& visit) {
  const base::UniqueFd fd = base::open_if_there(path, O_RDONLY);
  if (!fd || S_ISDIR(base::stat_fd(fd.get(), path).st_mode)) return;
  const base::MappedFile map(fd.get(), path);
  std::string_view text = base::as_text(map.view());
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto entry = parse_line(text.substr(0, end));
    if (entry && !visit(*entry)) return;
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace pfetch::repo
