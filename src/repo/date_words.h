// The words that dates are made of, for repo/date: names of months, days, zones, units and numbers.
//
// Pure and thread safe. Case does not count; a name of a month or day may be cut to three letters.
#pragma once

#include <cstddef>
#include <string_view>

namespace pfetch::repo {

struct DateWord {
  enum class Kind {
    month,    // value 0 to 11
    weekday,  // value 0 (Sunday) to 6
    zone,     // value: minutes east of UTC
    am,
    pm,
    now,
    yesterday,
    hour_of_day,  // noon, midnight, tea; value: the hour
    never,
    number,   // one, two, … last; value: the number
    seconds,  // a unit of fixed length; value: its seconds
    months,   // a month or a year; value: its months
    other,    // passed over
  };
  Kind kind = Kind::other;
  int value = 0;
  std::size_t size = 1;  // bytes of the text that it takes
};

// What the letters at the start of `text` (not empty) are in an exact date.
DateWord find_exact_word(std::string_view text);

// … and in an approximate one. Units mean something only behind a number; words for numbers only where there is none.
DateWord find_approximate_word(std::string_view text, bool behind_number);

}  // namespace pfetch::repo
