#include "repo/date_words.h"

#include <array>
#include <optional>

#include "base/ascii.h"

namespace pfetch::repo {

namespace {

using Kind = DateWord::Kind;

constexpr std::array<std::string_view, 12> month_names = {"january",   "february", "march",    "april",
                                                          "may",       "june",     "july",     "august",
                                                          "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> weekday_names = {"sundays",   "mondays", "tuesdays", "wednesdays",
                                                           "thursdays", "fridays", "saturdays"};
constexpr std::array<std::string_view, 11> number_names = {"zero", "one",   "two",   "three", "four", "five",
                                                           "six",  "seven", "eight", "nine",  "ten"};

struct Named {
  std::string_view name;
  int value;
};

// Minutes east of UTC, daylight saving included.
constexpr Named zones[] = {
    {"idlw", -720}, {"nt", -660},  {"cat", -600}, {"hst", -600}, {"hdt", -540}, {"yst", -540}, {"ydt", -480},
    {"pst", -480},  {"pdt", -420}, {"mst", -420}, {"mdt", -360}, {"cst", -360}, {"cdt", -300}, {"est", -300},
    {"edt", -240},  {"ast", -180}, {"adt", -180}, {"wat", -60},  {"gmt", 0},    {"utc", 0},    {"z", 0},
    {"wet", 0},     {"bst", 60},   {"cet", 60},   {"met", 60},   {"mewt", 60},  {"mest", 120}, {"cest", 120},
    {"mesz", 120},  {"fwt", 60},   {"fst", 120},  {"eet", 120},  {"eest", 180}, {"wast", 420}, {"wadt", 480},
    {"cct", 480},   {"jst", 540},  {"east", 600}, {"eadt", 660}, {"gst", 600},  {"nzt", 720},  {"nzst", 720},
    {"nzdt", 780},  {"idle", 720},
};

constexpr Named units[] = {
    {"seconds", 1}, {"minutes", 60}, {"hours", 60 * 60}, {"days", 24 * 60 * 60}, {"weeks", 7 * 24 * 60 * 60},
};

constexpr Named hours_of_day[] = {{"noon", 12}, {"midnight", 0}, {"tea", 17}};

// How many bytes of `text` agree with `word`; 0 if the text's own word goes on differently.
std::size_t agreement(std::string_view text, std::string_view word) {
  std::size_t size = 0;
  while (size < text.size() && size < word.size() && base::to_lower(text[size]) == word[size]) ++size;
  if (size < text.size() && size < word.size() && (base::is_letter(text[size]) || base::is_digit(text[size]))) return 0;
  return size;
}

bool is_whole(std::string_view text, std::string_view word) {
  return agreement(text, word) == word.size();
}

std::size_t letters(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && base::is_letter(text[size])) ++size;
  return size;
}

template <std::size_t size>
std::optional<DateWord> find_name(std::string_view text, const std::array<std::string_view, size>& names, Kind kind) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t match = agreement(text, names[i]);
    if (match >= 3) return DateWord{kind, static_cast<int>(i), match};
  }
  return std::nullopt;
}

}  // namespace

DateWord find_exact_word(std::string_view text) {
  if (const auto month = find_name(text, month_names, Kind::month)) return *month;
  if (const auto weekday = find_name(text, weekday_names, Kind::weekday)) return *weekday;
  for (const Named& zone : zones) {
    const std::size_t match = agreement(text, zone.name);
    if (match >= 3 || match == zone.name.size()) return {Kind::zone, zone.value, match};
  }
  if (is_whole(text, "pm")) return {Kind::pm, 0, 2};
  if (is_whole(text, "am")) return {Kind::am, 0, 2};
  return {Kind::other, 0, letters(text)};
}

DateWord find_approximate_word(std::string_view text, bool behind_number) {
  const std::size_t size = letters(text);
  // What is found stands for the whole run of letters.
  const auto found = [size](Kind kind, int value = 0) { return DateWord{kind, value, size}; };
  if (const auto month = find_name(text, month_names, Kind::month)) return found(Kind::month, month->value);
  if (is_whole(text, "yesterday")) return found(Kind::yesterday);
  for (const Named& hour : hours_of_day) {
    if (is_whole(text, hour.name)) return found(Kind::hour_of_day, hour.value);
  }
  if (is_whole(text, "pm")) return found(Kind::pm);
  if (is_whole(text, "am")) return found(Kind::am);
  if (is_whole(text, "never")) return found(Kind::never);
  if (is_whole(text, "now")) return found(Kind::now);
  if (!behind_number) {
    for (std::size_t i = 1; i < number_names.size(); ++i) {
      if (is_whole(text, number_names[i])) return found(Kind::number, static_cast<int>(i));
    }
    return is_whole(text, "last") ? found(Kind::number, 1) : found(Kind::other);
  }
  for (const Named& unit : units) {
    if (agreement(text, unit.name) + 1 >= unit.name.size()) return found(Kind::seconds, unit.value);
  }
  if (const auto weekday = find_name(text, weekday_names, Kind::weekday)) return found(Kind::weekday, weekday->value);
  if (agreement(text, "months") >= 5) return found(Kind::months, 1);
  if (agreement(text, "years") >= 4) return found(Kind::months, 12);
  return found(Kind::other);
}

}  // namespace pfetch::repo
