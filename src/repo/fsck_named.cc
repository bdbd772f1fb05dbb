// Fsck of blobs that Git reads by itself: .gitmodules, whose values reach commands and file names, and .gitattributes.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/error.h"
#include "repo/config_syntax.h"
#include "repo/fsck_report.h"

namespace pfetch::repo {

namespace {

constexpr std::size_t attributes_bytes_max = std::size_t{100} << 20;
constexpr std::size_t attributes_line_bytes_max = 2048;

bool looks_like_option(std::string_view text) {
  return text.starts_with("-");
}

// A submodule's name becomes a directory below .git/modules: it must not climb out.
bool is_allowed_name(std::string_view name) {
  if (name.empty()) return false;
  for (;;) {
    const std::size_t end = std::min(name.find_first_of("/\\"), name.size());
    if (name.substr(0, end) == "..") return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

// Whether `text` holds a line feed, be it written as %0a.
bool holds_newline(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return true;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size()) return false;
    const int high = base::hex_digit(text[at + 1]);
    const int low = base::hex_digit(text[at + 2]);
    if (high >= 0 && low >= 0 && high * 16 + low == '\n') return true;
  }
  return false;
}

// A relative URL is put behind the superproject's. With more ".." than that has directories, what follows would take
// the place of its host: "../../:evil" and "..//evil" are such.
bool climbs_into_host(std::string_view url) {
  bool climbed = false;
  for (;;) {
    if (url.starts_with("../")) {
      climbed = true;
      url.remove_prefix(3);
    } else if (url.starts_with("./")) {
      url.remove_prefix(2);
    } else {
      return climbed && (url.starts_with(":") || url.starts_with("/"));
    }
  }
}

// What Git hands to curl: these schemes, or a remote helper's name before another URL ("https::…").
std::optional<std::string_view> curl_url(std::string_view url) {
  for (const std::string_view helper : {"http::", "https::", "ftp::", "ftps::"}) {
    if (url.starts_with(helper)) return url.substr(helper.size());
  }
  for (const std::string_view scheme : {"http://", "https://", "ftp://", "ftps://"}) {
    if (url.starts_with(scheme)) return url;
  }
  return std::nullopt;
}

// Its parts become lines for credential helpers: there must be a scheme and a host, and no part may hold a line feed.
bool is_allowed_curl_url(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return false;
  std::string_view host = url.substr(scheme_end + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.find('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  return !host.empty() && !holds_newline(url);
}

bool is_allowed_url(std::string_view url) {
  if (looks_like_option(url)) return false;
  const bool relative = url.starts_with("./") || url.starts_with("../");
  if (relative || url.starts_with("git://")) return !holds_newline(url) && !(relative && climbs_into_host(url));
  const auto for_curl = curl_url(url);
  return !for_curl || is_allowed_curl_url(*for_curl);
}

// `name` is "submodule.<name>.<key>"; others are nobody's business.
void check_setting(std::string_view name, const std::optional<std::string>& value, FsckReport& report) {
  constexpr std::string_view section = "submodule.";
  const std::size_t key_at = name.rfind('.') + 1;
  if (!name.starts_with(section) || key_at <= section.size()) return;
  const std::string_view submodule = name.substr(section.size(), key_at - 1 - section.size());
  const std::string_view key = name.substr(key_at);
  if (!is_allowed_name(submodule)) {
    report.add(FsckId::gitmodules_name, fmt::format("disallowed submodule name: {}", submodule));
  }
  if (!value) return;
  if (key == "url" && !is_allowed_url(*value)) {
    report.add(FsckId::gitmodules_url, fmt::format("disallowed submodule url: {}", *value));
  } else if (key == "path" && looks_like_option(*value)) {
    report.add(FsckId::gitmodules_path, fmt::format("disallowed submodule path: {}", *value));
  } else if (key == "update" && value->starts_with("!")) {
    report.add(FsckId::gitmodules_update, fmt::format("disallowed submodule update setting: {}", *value));
  }
}

}  // namespace

void check_gitmodules(std::string_view text, FsckReport& report) {
  try {
    ConfigParser parser(text, ".gitmodules");
    for (ConfigStatement statement; parser.next(statement);) {
      if (!statement.is_section) check_setting(statement.name, statement.value, report);
    }
  } catch (const Error&) {
    report.add(FsckId::gitmodules_parse, "could not parse gitmodules blob");
  }
}

void check_gitattributes(std::string_view text, FsckReport& report) {
  if (text.size() > attributes_bytes_max) {
    report.add(FsckId::gitattributes_large, ".gitattributes too large to parse");
    return;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end >= attributes_line_bytes_max) {
      report.add(FsckId::gitattributes_line_length, ".gitattributes has too long lines to parse");
      return;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace pfetch::repo
