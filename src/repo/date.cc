#include "repo/date.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/ascii.h"
#include "repo/date_parts.h"
#include "repo/date_words.h"

namespace pfetch::repo {

namespace {

constexpr std::int64_t day_seconds = 24 * 60 * 60;

// An exact date: everything is said, be it in one of many orders.
class ExactDate {
 public:
  ExactDate(std::string_view text, std::int64_t now) : cursor_(text), now_(now) {}

  std::optional<std::int64_t> parse() {
    if (const auto stored = stored_form()) return stored;
    while (!cursor_.at_end()) {
      const char c = cursor_.peek();
      if (base::is_letter(c)) {
        take_word();
      } else if (base::is_digit(c)) {
        take_number();
      } else if ((c == '-' || c == '+') && cursor_.digit_at(1) && parts_.hour != DateParts::unset) {
        take_zone();
      } else {
        cursor_.skip();
      }
    }
    if (epoch_) return epoch_;
    const auto as_utc = utc_seconds_of(parts_);
    if (!as_utc) return std::nullopt;
    return zone_minutes_ ? *as_utc - *zone_minutes_ * 60 : local_seconds_of(parts_);
  }

 private:
  // "@<seconds> <zone>", as commits store it.
  std::optional<std::int64_t> stored_form() const {
    DateCursor ahead = cursor_;
    if (ahead.peek() != '@' || !ahead.digit_at(1)) return std::nullopt;
    ahead.skip();
    const std::int64_t seconds = ahead.number();
    if (ahead.peek() != ' ' || (ahead.peek(1) != '+' && ahead.peek(1) != '-')) return std::nullopt;
    ahead.skip(2);
    std::size_t digits = 0;
    ahead.number(&digits);
    if (digits != 4 || !ahead.at_end()) return std::nullopt;
    return seconds;
  }

  void take_word() {
    const std::string_view rest = cursor_.rest();
    const DateWord word = find_exact_word(rest);
    switch (word.kind) {
      case DateWord::Kind::month:
        parts_.month = word.value;
        break;
      case DateWord::Kind::zone:
        if (!zone_minutes_) zone_minutes_ = word.value;
        break;
      case DateWord::Kind::am:
        parts_.hour = parts_.hour % 12;
        break;
      case DateWord::Kind::pm:
        parts_.hour = parts_.hour % 12 + 12;
        break;
      case DateWord::Kind::other:
        if (rest[0] == 'T' && cursor_.digit_at(1) && parts_.hour == DateParts::unset) {  // 20240102T030405
          parts_.minute = parts_.second = 0;
          cursor_.skip();
          return;
        }
        break;
      default:
        break;
    }
    cursor_.skip(word.size);
  }

  void take_number() {
    std::size_t digits = 0;
    const std::int64_t number = cursor_.number(&digits);
    const bool nothing_yet = parts_.year < 0 && parts_.month < 0 && parts_.day < 0 && parts_.hour < 0 &&
                             parts_.minute < 0 && parts_.second < 0;
    if (number >= 100000000 && nothing_yet) {
      epoch_ = number;
      const auto time = static_cast<std::time_t>(number);
      std::tm tm{};
      ::gmtime_r(&time, &tm);
      parts_ = date_parts_of(tm);
      return;
    }
    if (begins_date_group(cursor_) && take_date_group(cursor_, number, parts_, now_)) return;
    if (digits == 8) {
      set_date(parts_, number / 10000, number % 10000 / 100, number % 100, std::nullopt);
    } else if (digits == 6) {
      if (set_time(parts_, number / 10000, number % 10000 / 100, number % 100) && cursor_.peek() == '.' &&
          cursor_.digit_at(1)) {
        cursor_.skip();
        cursor_.number();
      }
    } else if (digits == 4) {
      if (number <= 1400 && !zone_minutes_) {
        zone_minutes_ = number / 100 * 60 + number % 100;
      } else if (number > 1900 && number < 2100) {
        parts_.year = static_cast<int>(number - 1900);
      }
    } else if (digits <= 2) {
      take_small_number(number, digits);
    }
  }

  // A number of one or two digits is a day if there is none yet, then a year, then a month.
  void take_small_number(std::int64_t number, std::size_t digits) {
    const int value = static_cast<int>(number);
    if (value > 0 && value < 32 && parts_.day < 0) {
      parts_.day = value;
    } else if (digits == 2 && parts_.year < 0 && value < 10 && parts_.day >= 0) {
      parts_.year = value + 100;
    } else if (digits == 2 && parts_.year < 0 && value >= 70) {
      parts_.year = value;
    } else if (value > 0 && value < 13) {
      parts_.month = value - 1;
    }
  }

  void take_zone() {
    const bool west = cursor_.peek() == '-';
    cursor_.skip();
    std::size_t digits = 0;
    std::int64_t hours = cursor_.number(&digits);
    std::int64_t minutes = 0;
    if (digits == 4) {
      minutes = hours % 100;
      hours /= 100;
    } else if (digits != 2) {
      return;
    } else if (cursor_.peek() == ':') {
      cursor_.skip();
      minutes = cursor_.number(&digits);
      if (digits != 2) return;
    }
    if (minutes < 60 && hours < 24) zone_minutes_ = (west ? -1 : 1) * (hours * 60 + minutes);
  }

  DateCursor cursor_;
  std::int64_t now_;
  DateParts parts_;
  std::optional<std::int64_t> zone_minutes_;
  std::optional<std::int64_t> epoch_;  // the text began with a count of seconds
};

// An approximate date: what is not said is as it is now.
class ApproximateDate {
 public:
  ApproximateDate(std::string_view text, std::int64_t now)
      : cursor_(text), now_seconds_(now), now_(local_date_parts(now)), parts_(now_) {
    parts_.year = parts_.month = parts_.day = DateParts::unset;
  }

  std::int64_t parse() {
    while (!cursor_.at_end()) {
      const char c = cursor_.peek();
      if (base::is_digit(c)) {
        place_number();
        take_number();
      } else if (base::is_letter(c)) {
        take_word();
      } else {
        cursor_.skip();
      }
    }
    place_number();
    return go_back(0);
  }

 private:
  // Fills in what is missing and goes back in time; returns where that is.
  std::int64_t go_back(std::int64_t seconds) {
    if (parts_.day < 0) parts_.day = now_.day;
    if (parts_.month < 0) parts_.month = now_.month;
    if (parts_.year < 0) parts_.year = parts_.month > now_.month ? now_.year - 1 : now_.year;
    const std::int64_t when = local_seconds_of(parts_) - seconds;
    parts_ = local_date_parts(when);
    return when;
  }

  // A number that no word claimed is a day, a month or a year, whichever is open.
  void place_number() {
    const std::int64_t number = std::exchange(number_, 0);
    if (number == 0) return;
    if (parts_.day < 0 && number < 32) {
      parts_.day = static_cast<int>(number);
    } else if (parts_.month < 0 && number < 13) {
      parts_.month = static_cast<int>(number - 1);
    } else if (parts_.year < 0) {
      if (number > 1969 && number < 2100) {
        parts_.year = static_cast<int>(number - 1900);
      } else if (number > 69 && number < 100) {
        parts_.year = static_cast<int>(number);
      } else if (number < 38) {
        parts_.year = static_cast<int>(number + 100);
      }
    }
  }

  void take_number() {
    const bool padded = cursor_.peek() == '0';
    std::size_t digits = 0;
    const std::int64_t number = cursor_.number(&digits);
    if (begins_date_group(cursor_) && take_date_group(cursor_, number, parts_, now_seconds_)) return;
    if (!padded || digits <= 2) number_ = number;  // "Dec 02", but never "Dec 0002"
  }

  void set_hour_of_day(int hour) {
    if (parts_.hour < hour) go_back(day_seconds);
    parts_.hour = hour;
    parts_.minute = parts_.second = 0;
  }

  void set_half_of_day(int first_hour) {
    const std::int64_t number = std::exchange(number_, 0);
    if (number != 0) {
      parts_.hour = static_cast<int>(number % 24);
      parts_.minute = parts_.second = 0;
    }
    parts_.hour = parts_.hour % 12 + first_hour;
  }

  void set_weekday(int weekday) {
    const std::int64_t weeks = std::exchange(number_, 0) - 1;
    const int days = parts_.weekday - weekday;
    go_back((days + 7 * (weeks + (days <= 0 ? 1 : 0))) * day_seconds);
  }

  void go_back_months(std::int64_t months) {
    go_back(0);
    const std::int64_t total = std::int64_t{parts_.year} * 12 + parts_.month - std::min<std::int64_t>(months, 1 << 20);
    parts_.year = static_cast<int>(total >= 0 ? total / 12 : -((11 - total) / 12));
    parts_.month = static_cast<int>(total - std::int64_t{parts_.year} * 12);
  }

  void take_word() {
    const DateWord word = find_approximate_word(cursor_.rest(), number_ != 0);
    cursor_.skip(word.size);
    switch (word.kind) {
      case DateWord::Kind::month:
        parts_.month = word.value;
        return;
      case DateWord::Kind::now:
        go_back(0);
        return;
      case DateWord::Kind::yesterday:
        number_ = 0;
        go_back(day_seconds);
        return;
      case DateWord::Kind::hour_of_day:
        place_number();
        set_hour_of_day(word.value);
        return;
      case DateWord::Kind::am:
        set_half_of_day(0);
        return;
      case DateWord::Kind::pm:
        set_half_of_day(12);
        return;
      case DateWord::Kind::never:
        parts_ = local_date_parts(0);
        number_ = 0;
        return;
      case DateWord::Kind::number:
        number_ = word.value;
        return;
      case DateWord::Kind::seconds:
        go_back(word.value * std::exchange(number_, 0));
        return;
      case DateWord::Kind::weekday:
        set_weekday(word.value);
        return;
      case DateWord::Kind::months:
        go_back_months(word.value * std::exchange(number_, 0));
        return;
      case DateWord::Kind::zone:
      case DateWord::Kind::other:
        return;
    }
  }

  DateCursor cursor_;
  std::int64_t now_seconds_;
  DateParts now_;
  DateParts parts_;
  std::int64_t number_ = 0;  // read, and not claimed by a word yet
};

}  // namespace

std::optional<std::int64_t> parse_approxidate(std::string_view text, std::int64_t now) {
  if (text.size() > date_size_max) return std::nullopt;
  if (const auto exact = ExactDate(text, now).parse()) return std::max<std::int64_t>(0, *exact);
  return std::max<std::int64_t>(0, ApproximateDate(text, now).parse());
}

}  // namespace pfetch::repo
