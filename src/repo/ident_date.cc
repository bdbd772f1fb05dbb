// The dates of GIT_COMMITTER_DATE: see git-commit(1), "DATE FORMATS".
#include <array>
#include <charconv>
#include <ctime>

#include "repo/ident.h"

namespace pfetch::repo {

namespace {

// Reads a text from the left. Each function leaves the text alone when what it looks for is not there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { skip_blanks(); }

  bool at_end() const { return text_.empty(); }
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) text_.remove_prefix(1);
  }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_one_of(std::string_view choices) {
    if (text_.empty() || choices.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  // `low` to `high` decimal digits.
  std::optional<std::int64_t> number(std::size_t low, std::size_t high) {
    std::size_t size = 0;
    while (size < text_.size() && text_[size] >= '0' && text_[size] <= '9') ++size;
    std::int64_t value = 0;
    if (size < low || size > high) return std::nullopt;
    if (std::from_chars(text_.data(), text_.data() + size, value).ec != std::errc()) return std::nullopt;
    text_.remove_prefix(size);
    return value;
  }
  std::string_view word() {
    std::size_t size = 0;
    while (size < text_.size() && ((text_[size] | 32) >= 'a' && (text_[size] | 32) <= 'z')) ++size;
    const std::string_view taken = text_.substr(0, size);
    text_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view text_;
};

struct Civil {
  std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

std::optional<std::int64_t> to_seconds(const Civil& civil) {
  const bool in_range = civil.year >= 1970 && civil.year <= 2099 && civil.month >= 1 && civil.month <= 12 &&
                        civil.day >= 1 && civil.day <= 31 && civil.hour <= 24 && civil.minute <= 59 &&
                        civil.second <= 60;
  if (!in_range) return std::nullopt;
  std::tm utc{};
  utc.tm_year = static_cast<int>(civil.year - 1900);
  utc.tm_mon = static_cast<int>(civil.month - 1);
  utc.tm_mday = static_cast<int>(civil.day);
  utc.tm_hour = static_cast<int>(civil.hour);
  utc.tm_min = static_cast<int>(civil.minute);
  utc.tm_sec = static_cast<int>(civil.second);
  return static_cast<std::int64_t>(::timegm(&utc));
}

std::int64_t zone_seconds(int zone) {
  return (zone / 100 * 60 + zone % 100) * 60;
}

// "+0130", "-02", "+01:30", "Z"; nothing gives nullopt.
std::optional<int> read_zone(Scanner& scanner, bool& malformed) {
  scanner.skip_blanks();
  if (scanner.take('Z')) return 0;
  const bool plus = scanner.take('+');
  if (!plus && !scanner.take('-')) return std::nullopt;
  std::int64_t value = 0;
  if (const auto hours = scanner.number(2, 2)) {
    value = *hours * 100;
    if (scanner.take(':')) {
      const auto minutes = scanner.number(2, 2);
      malformed = !minutes;
      value += minutes.value_or(0);
    }
  } else if (const auto both = scanner.number(4, 4)) {
    value = *both;
  } else {
    malformed = true;
  }
  if (value > 2400 || value % 100 > 59) value = 0;  // Git, too, takes an impossible zone for +0000
  return static_cast<int>(plus ? value : -value);
}

std::optional<ParsedDate> with_local_zone(const Civil& civil) {
  const auto as_utc = to_seconds(civil);
  if (!as_utc) return std::nullopt;
  std::tm local{};
  const auto when = static_cast<std::time_t>(*as_utc);
  ::gmtime_r(&when, &local);
  local.tm_isdst = -1;
  const auto seconds = static_cast<std::int64_t>(::mktime(&local));
  return ParsedDate{seconds, local_zone(seconds)};
}

std::optional<ParsedDate> finish(const Civil& civil, Scanner& scanner) {
  bool malformed = false;
  const auto zone = read_zone(scanner, malformed);
  scanner.skip_blanks();
  if (malformed || !scanner.at_end()) return std::nullopt;
  if (!zone) return with_local_zone(civil);
  const auto seconds = to_seconds(civil);
  if (!seconds) return std::nullopt;
  return ParsedDate{*seconds - zone_seconds(*zone), *zone};
}

bool read_time(Scanner& scanner, Civil& civil) {
  const auto hour = scanner.number(1, 2);
  if (!hour || !scanner.take(':')) return false;
  const auto minute = scanner.number(2, 2);
  if (!minute) return false;
  civil.hour = *hour;
  civil.minute = *minute;
  if (!scanner.take(':')) return true;
  const auto second = scanner.number(2, 2);
  if (!second) return false;
  civil.second = *second;
  if (scanner.take('.')) return scanner.number(1, 9).has_value();  // a fraction counts for nothing
  return true;
}

// "[@]1600000000 [+0130]". Without '@' nine digits are needed, or it could be a date.
std::optional<ParsedDate> parse_raw(Scanner scanner) {
  const bool marked = scanner.take('@');
  const auto seconds = scanner.number(marked ? 1 : 9, 18);
  if (!seconds) return std::nullopt;
  bool malformed = false;
  const auto zone = read_zone(scanner, malformed);
  scanner.skip_blanks();
  if (malformed || !scanner.at_end()) return std::nullopt;
  return ParsedDate{*seconds, zone ? *zone : local_zone(*seconds)};
}

// "2020-01-02T03:04:05+01:30", also with '.' or '/' in the date and a blank before the time.
std::optional<ParsedDate> parse_iso(Scanner scanner) {
  Civil civil;
  const auto year = scanner.number(4, 4);
  if (!year || !scanner.take_one_of("-./")) return std::nullopt;
  const auto month = scanner.number(1, 2);
  if (!month || !scanner.take_one_of("-./")) return std::nullopt;
  const auto day = scanner.number(1, 2);
  if (!day || !scanner.take_one_of("T ")) return std::nullopt;
  civil.year = *year;
  civil.month = *month;
  civil.day = *day;
  scanner.skip_blanks();
  if (!read_time(scanner, civil)) return std::nullopt;
  return finish(civil, scanner);
}

// "Thu, 7 Apr 2005 22:13:13 +0200", the day of the week left out or not.
std::optional<ParsedDate> parse_rfc2822(Scanner scanner) {
  static constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (!scanner.word().empty()) {
    scanner.take(',');
    scanner.skip_blanks();
  }
  Civil civil;
  const auto day = scanner.number(1, 2);
  scanner.skip_blanks();
  const std::string_view name = scanner.word();
  scanner.skip_blanks();
  const auto year = scanner.number(4, 4);
  scanner.skip_blanks();
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (name.substr(0, 3) == months[i]) civil.month = static_cast<std::int64_t>(i) + 1;
  }
  if (!day || !year || civil.month == 0 || !read_time(scanner, civil)) return std::nullopt;
  civil.day = *day;
  civil.year = *year;
  return finish(civil, scanner);
}

}  // namespace

std::optional<ParsedDate> parse_date(std::string_view text) {
  const Scanner scanner(text);
  if (auto date = parse_raw(scanner)) return date;
  if (auto date = parse_iso(scanner)) return date;
  return parse_rfc2822(scanner);
}

}  // namespace pfetch::repo
