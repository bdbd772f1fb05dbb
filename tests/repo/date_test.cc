#include "repo/date.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <random>
#include <vector>

#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

constexpr std::int64_t now = 1710513247;  // Friday 15 March 2024, 14:34:07 UTC

class Zone {
 public:
  explicit Zone(const char* name) {
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

// Compares with `git rev-parse --since=…` under the same clock and zone, and names each text that differs.
void expect_as_git(const std::vector<std::string>& texts, const char* zone_name) {
  test::Scratch scratch;
  const Zone zone(zone_name);
  std::string script = "export TZ=" + base::shell_quote(zone_name) + " GIT_TEST_DATE_NOW=" + std::to_string(now) +
                       "\ngit init -q r && cd r && git rev-parse";
  std::string ours;
  for (const std::string& text : texts) {
    script += " --since=" + base::shell_quote(text);
    ours += "--max-age=" + std::to_string(parse_approxidate(text, now).value()) + "\n";
  }
  scratch.write("script", script);
  const std::string theirs = scratch.output("sh script");
  for (std::size_t i = 0, a = 0, b = 0; i < texts.size(); ++i) {
    const std::size_t a_end = ours.find('\n', a);
    const std::size_t b_end = theirs.find('\n', b);
    EXPECT_EQ(ours.substr(a, a_end - a), theirs.substr(b, b_end - b)) << "'" << texts[i] << "' in " << zone_name;
    if (b_end == std::string::npos) break;
    a = a_end + 1;
    b = b_end + 1;
  }
}

const std::vector<std::string>& common_forms() {
  static const std::vector<std::string> forms = {
      "1700000000",
      "100000000",
      "99999999",
      "@1700000000 +0000",
      "@123 +0100",
      "@123",
      "1700000000 +0200",
      "2024-01-02",
      "2024-01-02 03:04:05",
      "2024-01-02 03:04:05 +0530",
      "2024-01-02 03:04:05 -08:00",
      "2024-01-02T03:04:05Z",
      "2024-01-02T03:04:05",
      "2024-01-02T03:04:05.123+02",
      "20240102T030405Z",
      "20240102",
      "2024-01-02 03:04",
      "Tue, 2 Jan 2024 03:04:05 +0100",
      "Tue Jan 2 03:04:05 2024 -0700",
      "Jan 2 2024",
      "2 Jan 2024",
      "January 2nd, 2024",
      "Jan 2 2024 10:11:12",
      "jan 5",
      "dec 5",
      "2024/01/02",
      "01/02/2024",
      "13/02/2024",
      "1/2/24",
      "02.01.2024",
      "2.1.24",
      "2024.01.02",
      "1/2",
      "13.2",
      "12/31",
      "31.12",
      "5/6/2030",
      "2030-01-01",
      "now",
      "never",
      "yesterday",
      "noon",
      "midnight",
      "tea",
      "noon yesterday",
      "yesterday noon",
      "10 am",
      "3:15pm",
      "12:30 am yesterday",
      "today",
      "tuesday",
      "last tuesday",
      "last friday",
      "2 fridays ago",
      "last week",
      "last month",
      "last year",
      "3 days ago",
      "2.weeks.ago",
      "2 weeks ago",
      "1 hour ago",
      "ten minutes ago",
      "five.seconds.ago",
      "6.months.ago",
      "14 months ago",
      "2 years ago",
      "1.year.2.months.ago",
      "3 days 4 hours",
      "1 day ago at noon",
      "two.days.ago 10:00",
      "1 week ago tuesday",
      "15:00",
      "15:00:01",
      "2024",
      "2024-01",
      "jan 2024",
      "5",
      "5 jan",
      "31",
      "foo",
      "",
      "  ",
      "0",
      "00",
      "Dec 0002",
      "1.5.2021 10:00",
      "2021-02-30",
      "2021-13-01",
      "1969-12-31 00:00:00",
      "1970-01-01 00:00:00 +0000",
      "2099-12-31 23:59:59 +0000",
      "2100-01-01 00:00:00 +0000",
      "Jan 1 00:00:00 2020 EST",
      "Jan 1 00:00:00 2020 PDT",
      "Jan 1 00:00:00 2020 CEST",
      "2020-06-01 10:00:00 Z",
      "2020-06-01 10:00:00 pm",
      "Thu, 30 Feb 2023 10:00:00 GMT",
      "4 weeks",
      "100.days",
      "one month",
      "last sunday",
      "second",
      "3 seconds ago",
      "06/05/2009",
      "06.05.2009",
      "2008-12-01T10:00+0100",
      "Wed Jun 15 16:06:23 2016",
      "1,234 days ago",
      "-5 days",
      "2020-01-01 24:00:00",
      "2020-01-01 25:00:00",
      "10:60",
      "23:59:60",
      "2020-01-01 000000",
  };
  return forms;
}

}  // namespace

TEST(Approxidate, MeansWhatGitMeansByCommonForms) {
  for (const char* zone : {"UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"}) {
    expect_as_git(common_forms(), zone);
  }
}

TEST(Approxidate, MeansWhatGitMeansByRandomPhrases) {
  const char* const words[] = {"2024-01-02", "03:04:05", "jan",       "December", "2",      "15",         "31",  "2019",
                               "last",       "three",    "days",      "weeks",    "months", "years",      "ago", "noon",
                               "pm",         "tuesday",  "yesterday", "+0200",    "12/24",  "10.11.2012", "1:2", "Z",
                               "T",          "0",        "hour",      "now",      "EST",    "0815"};
  std::mt19937 random(7);
  std::vector<std::string> texts;
  for (int i = 0; i < 250; ++i) {
    std::string text;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      text += words[random() % std::size(words)];
      if (n > 1) text += " .-"[random() % 8 < 6 ? 0 : 1 + random() % 2];
    }
    texts.push_back(text);
  }
  expect_as_git(texts, "Europe/Berlin");
}

TEST(Approxidate, RefusesOnlyWhatIsTooLong) {
  EXPECT_EQ(parse_approxidate("gibberish", now), now);
  EXPECT_EQ(parse_approxidate(std::string(date_size_max + 1, '1'), now), std::nullopt);
}

}  // namespace pfetch::repo
