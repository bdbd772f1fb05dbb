// The parts of a date while it is read, and the groups of numbers that fill them, for repo/date.
//
// Plain values; thread safe. "Local" is the zone of TZ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

#include "base/ascii.h"

namespace pfetch::repo {

// Months from 0 and years from 1900, as struct tm counts them; `unset` for what was not said.
struct DateParts {
  static constexpr int unset = -1;
  int year = unset;
  int month = unset;
  int day = unset;
  int hour = unset;
  int minute = unset;
  int second = unset;
  int weekday = unset;          // 0 is Sunday; as local_date_parts found it, not kept up when other parts change
  int daylight_saving = unset;  // as tm_isdst; in an approximate date that of now, whatever the season: as git does

  bool has_date() const { return year != unset && month != unset && day != unset; }
};

DateParts date_parts_of(const std::tm& tm);
DateParts local_date_parts(std::int64_t seconds);
std::int64_t local_seconds_of(const DateParts& parts);
// nullopt unless all parts are there and the year is 1970 to 2099.
std::optional<std::int64_t> utc_seconds_of(const DateParts& parts);

// Reads numbers and words from the left, up to the end of the line.
class DateCursor {
 public:
  explicit DateCursor(std::string_view text) : text_(text.substr(0, text.find('\n'))) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool digit_at(std::size_t ahead) const { return base::is_digit(peek(ahead)); }
  void skip(std::size_t count = 1) { at_ = std::min(text_.size(), at_ + count); }
  std::string_view rest() const { return text_.substr(at_); }
  // A run of digits; what does not fit is held at a large value.
  std::int64_t number(std::size_t* digits = nullptr);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Takes a date over if it is one. `year` in its short or long spelling. With `not_after`, a date more than ten days
// later is not believed, and the year may be missing (−1): then it is that of `not_after`.
bool set_date(DateParts& parts, std::int64_t year, std::int64_t month, std::int64_t day,
              std::optional<std::int64_t> not_after);
bool set_time(DateParts& parts, std::int64_t hour, std::int64_t minute, std::int64_t second);

// Whether a separator and a digit follow: the number just read is the first of a group.
bool begins_date_group(const DateCursor& cursor);
// The rest of a group of two or three numbers with one separator: a time with ':', a date with '-', '/' or '.'. The
// cursor stands behind the first number. False, and nothing moved, when they make no sense together.
bool take_date_group(DateCursor& cursor, std::int64_t first, DateParts& parts, std::int64_t now);

}  // namespace pfetch::repo
