#include "repo/date_parts.h"

namespace pfetch::repo {

namespace {

constexpr std::int64_t day_seconds = 24 * 60 * 60;

std::tm to_tm(const DateParts& parts) {
  std::tm tm{};
  tm.tm_year = parts.year;
  tm.tm_mon = parts.month;
  tm.tm_mday = parts.day;
  tm.tm_hour = parts.hour;
  tm.tm_min = parts.minute;
  tm.tm_sec = parts.second;
  tm.tm_isdst = parts.daylight_saving;
  return tm;
}

// The year in its short or long spelling, counted from 1900; nullopt for what is none.
std::optional<int> year_from(std::int64_t number) {
  if (number >= 1970 && number < 2100) return static_cast<int>(number - 1900);
  if (number > 70 && number < 100) return static_cast<int>(number);
  if (number >= 0 && number < 38) return static_cast<int>(number + 100);
  return std::nullopt;
}

}  // namespace

DateParts date_parts_of(const std::tm& tm) {
  return {tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec};
}

DateParts local_date_parts(std::int64_t when) {
  const auto time = static_cast<std::time_t>(when);
  std::tm tm{};
  ::localtime_r(&time, &tm);
  DateParts parts = date_parts_of(tm);
  parts.daylight_saving = tm.tm_isdst;
  parts.weekday = tm.tm_wday;
  return parts;
}

std::int64_t local_seconds_of(const DateParts& parts) {
  std::tm tm = to_tm(parts);
  return static_cast<std::int64_t>(::mktime(&tm));
}

std::optional<std::int64_t> utc_seconds_of(const DateParts& parts) {
  if (parts.year < 70 || parts.year > 199 || parts.month < 0 || parts.month > 11) return std::nullopt;
  if (parts.hour < 0 || parts.minute < 0 || parts.second < 0) return std::nullopt;
  std::tm tm = to_tm(parts);
  return static_cast<std::int64_t>(::timegm(&tm));
}

bool set_date(DateParts& parts, std::int64_t year, std::int64_t month, std::int64_t day,
              std::optional<std::int64_t> not_after) {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  DateParts checked = parts;
  checked.month = static_cast<int>(month - 1);
  checked.day = static_cast<int>(day);
  if (year == -1) {
    if (!not_after) return false;
    const auto time = static_cast<std::time_t>(*not_after);
    std::tm tm{};
    ::gmtime_r(&time, &tm);
    checked.year = tm.tm_year;
  } else {
    const auto known = year_from(year);
    if (!known) {
      if (!not_after) parts = checked;  // as in git, the month and the day count even so
      return false;
    }
    checked.year = *known;
  }
  if (not_after) {
    const auto when = utc_seconds_of(checked);
    if (when && *when > *not_after + 10 * day_seconds) return false;
  }
  if (year == -1) checked.year = parts.year;
  parts = checked;
  return true;
}

bool set_time(DateParts& parts, std::int64_t hour, std::int64_t minute, std::int64_t second) {
  if (hour > 24 || minute > 59 || second > 60) return false;
  parts.hour = static_cast<int>(hour);
  parts.minute = static_cast<int>(minute);
  parts.second = static_cast<int>(second);
  return true;
}

bool take_date_group(DateCursor& cursor, std::int64_t first, DateParts& parts, std::int64_t now) {
  DateCursor ahead = cursor;
  const char separator = ahead.peek();
  ahead.skip();
  const std::int64_t second = ahead.number();
  std::int64_t third = -1;
  if (ahead.peek() == separator && ahead.digit_at(1)) {
    ahead.skip();
    third = ahead.number();
  }
  if (separator == ':') {
    if (!set_time(parts, first, second, std::max<std::int64_t>(third, 0))) return false;
    if (ahead.peek() == '.' && ahead.digit_at(1) && parts.has_date()) {  // a fraction of a second
      ahead.skip();
      ahead.number();
    }
  } else {
    const bool year_first = first > 70 && (set_date(parts, first, second, third, std::nullopt) ||
                                           set_date(parts, first, third, second, std::nullopt));
    // Dots are European and put the day first; the American order is tried first for the others.
    const bool understood = year_first || (separator != '.' && set_date(parts, third, first, second, now)) ||
                            set_date(parts, third, second, first, now) ||
                            (separator == '.' && set_date(parts, third, first, second, now));
    if (!understood) return false;
  }
  cursor = ahead;
  return true;
}

bool begins_date_group(const DateCursor& cursor) {
  const char c = cursor.peek();
  return (c == ':' || c == '-' || c == '/' || c == '.') && cursor.digit_at(1);
}

std::int64_t DateCursor::number(std::size_t* digits) {
  constexpr std::int64_t large = std::int64_t{1} << 53;
  std::int64_t value = 0;
  const std::size_t start = at_;
  for (; digit_at(0); ++at_) value = std::min(large, value * 10 + (peek() - '0'));
  if (digits != nullptr) *digits = at_ - start;
  return value;
}

}  // namespace pfetch::repo
