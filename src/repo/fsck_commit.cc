// Fsck of commits and annotated tags: their headers, and the people and dates in them.
#include <fmt/format.h>

#include <limits>

#include "base/ascii.h"
#include "object/ref_name.h"
#include "repo/fsck_report.h"

namespace pfetch::repo {

namespace {

using object::Oid;

// Walks an object's text. Reading past the end gives newlines: every header line is known to end in one.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  char peek(std::size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\n'; }
  std::string_view rest() const { return rest_; }
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }
  void skip_to_any(std::string_view stops) { skip(std::min(rest_.find_first_of(stops), rest_.size())); }
  bool skip_word(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    skip(word.size());
    return true;
  }
  // The rest of the line; nullopt when the text ends before the line does.
  std::optional<std::string_view> take_line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest_.substr(0, end);
    skip(end + 1);
    return line;
  }

 private:
  std::string_view rest_;
};

// Headers must be lines without NUL, up to a blank line or the end. Returns whether reading on makes no sense.
bool check_header_shape(std::string_view text, FsckReport& report) {
  const std::size_t end = std::min(text.find("\n\n"), text.size());
  if (const std::size_t nul = text.substr(0, end).find('\0'); nul != std::string_view::npos) {
    return report.add(FsckId::nul_in_header, fmt::format("unterminated header: NUL at offset {}", nul));
  }
  if (end != text.size() || (!text.empty() && text.back() == '\n')) return false;
  return report.add(FsckId::unterminated_header, "unterminated header");
}

bool bad_person(FsckReport& report, FsckId id, const char* what) {
  return report.add(id, fmt::format("invalid author/committer line - {}", what));
}

// "<digits> <zone>" behind the '>' and blank of a line about a person.
bool check_date(Cursor at, FsckReport& report) {
  if (at.peek() == '0' && at.peek(1) != ' ') return bad_person(report, FsckId::zero_padded_date, "zero-padded date");
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t date = 0;
  std::size_t digits = 0;
  for (; base::is_digit(at.peek(digits)); ++digits) {
    const int digit = at.peek(digits) - '0';
    if (date > (largest - digit) / 10) {
      return bad_person(report, FsckId::bad_date_overflow, "date causes integer overflow");
    }
    date = date * 10 + digit;
  }
  if (digits == 0 || at.peek(digits) != ' ') return bad_person(report, FsckId::bad_date, "bad date");
  at.skip(digits + 1);
  const bool zone = (at.peek() == '+' || at.peek() == '-') && base::is_digit(at.peek(1)) &&
                    base::is_digit(at.peek(2)) && base::is_digit(at.peek(3)) && base::is_digit(at.peek(4)) &&
                    at.peek(5) == '\n';
  return !zone && bad_person(report, FsckId::bad_timezone, "bad time zone");
}

// The line behind "author ", "committer " or "tagger "; `text` moves on to the next line. Reports one flaw at most.
bool check_person(Cursor& text, FsckReport& report) {
  const auto line = text.take_line();
  Cursor at(line.value_or(std::string_view{}));
  if (at.peek() == '<') return bad_person(report, FsckId::missing_name_before_email, "missing space before email");
  const std::string_view before = at.rest();
  at.skip_to_any("<>");
  if (at.peek() == '>') return bad_person(report, FsckId::bad_name, "bad name");
  if (at.peek() != '<') return bad_person(report, FsckId::missing_email, "missing email");
  if (before[before.size() - at.rest().size() - 1] != ' ') {
    return bad_person(report, FsckId::missing_space_before_email, "missing space before email");
  }
  at.skip(1);
  at.skip_to_any("<>");
  if (at.peek() != '>') return bad_person(report, FsckId::bad_email, "bad email");
  at.skip(1);
  if (at.peek() != ' ') return bad_person(report, FsckId::missing_space_before_date, "missing space before date");
  at.skip(1);
  return check_date(at, report);
}

bool is_id(std::optional<std::string_view> line) {
  return line && Oid::from_hex(*line);
}

}  // namespace

void check_commit(std::string_view text, FsckReport& report) {
  if (check_header_shape(text, report)) return;
  Cursor at(text);
  if (!at.skip_word("tree ")) {
    report.add(FsckId::missing_tree, "invalid format - expected 'tree' line");
    return;
  }
  if (!is_id(at.take_line()) && report.add(FsckId::bad_tree_sha1, "invalid 'tree' line format - bad sha1")) return;
  while (at.skip_word("parent ")) {
    if (is_id(at.take_line())) continue;
    if (report.add(FsckId::bad_parent_sha1, "invalid 'parent' line format - bad sha1")) return;
  }
  int authors = 0;
  for (; at.skip_word("author "); ++authors) {
    if (check_person(at, report)) return;
  }
  if (authors == 0 && report.add(FsckId::missing_author, "invalid format - expected 'author' line")) return;
  if (authors > 1 && report.add(FsckId::multiple_authors, "invalid format - multiple 'author' lines")) return;
  if (!at.skip_word("committer ")) {
    report.add(FsckId::missing_committer, "invalid format - expected 'committer' line");
    return;
  }
  if (check_person(at, report)) return;
  if (text.find('\0') != std::string_view::npos) {
    report.add(FsckId::nul_in_commit, "NUL byte in the commit object body");
  }
}

void check_tag(std::string_view text, FsckReport& report) {
  if (check_header_shape(text, report)) return;
  Cursor at(text);
  if (!at.skip_word("object ")) {
    report.add(FsckId::missing_object, "invalid format - expected 'object' line");
    return;
  }
  if (!is_id(at.take_line()) && report.add(FsckId::bad_object_sha1, "invalid 'object' line format - bad sha1")) return;
  if (!at.skip_word("type ")) {
    report.add(FsckId::missing_type_entry, "invalid format - expected 'type' line");
    return;
  }
  const auto type = at.take_line();
  if (!type) {
    report.add(FsckId::missing_type, "invalid format - unexpected end after 'type' line");
    return;
  }
  if (!object::kind_from_name(*type) && report.add(FsckId::bad_type, "invalid 'type' value")) return;
  if (!at.skip_word("tag ")) {
    report.add(FsckId::missing_tag_entry, "invalid format - expected 'tag' line");
    return;
  }
  const auto name = at.take_line();
  if (!name) {
    report.add(FsckId::missing_tag, "invalid format - unexpected end after 'tag' line");
    return;
  }
  if (!object::is_valid_ref_name("refs/tags/" + std::string(*name)) &&
      report.add(FsckId::bad_tag_name, fmt::format("invalid 'tag' name: {}", *name))) {
    return;
  }
  if (!at.skip_word("tagger ")) {  // tags of 2005 have none
    if (report.add(FsckId::missing_tagger_entry, "invalid format - expected 'tagger' line")) return;
  } else if (check_person(at, report)) {
    return;
  }
  if (!at.rest().empty() && at.peek() != '\n') {
    report.add(FsckId::extra_header_entry, "invalid format - extra header(s) after 'tagger'");
  }
}

}  // namespace pfetch::repo
