#include "tests/support/latency_fs/options.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

namespace latency_fs {

const char* const usage =
    "usage: latency_fs [OPTION…] BACKING MOUNTPOINT\n"
    "Shows the directory BACKING at MOUNTPOINT, with every operation delayed. Stays in the foreground; ends when it "
    "is\n"
    "unmounted, or on SIGINT, SIGTERM, SIGHUP.\n"
    "  --delay-us=N          each operation takes N microseconds longer; any number of them at once\n"
    "  --delay-us-OP=N       for the operation OP, whatever --delay-us says\n"
    "  --fail=OP:ERRNO[:NTH[+]|:PATH]   OP fails: always, the NTH time (and from then on), or where the path has PATH\n"
    "  --short-writes        a write takes only half of its bytes\n"
    "  --cache-seconds=N     what the kernel may remember about names and attributes (0)\n"
    "  --time-step=N         times are multiples of N seconds, as where a file system keeps no more\n"
    "  --counters=FILE       counts of operations as JSON, written at the end and on SIGUSR1\n"
    "  --tied                ends with the process that started it\n"
    "OP: lookup getattr setattr readlink mkdir unlink rmdir symlink rename link open read write flush release fsync\n"
    "    opendir readdir releasedir statfs create fallocate\n"
    "ERRNO: EIO EDQUOT EMFILE ENFILE ENOSPC EROFS EACCES EPERM EINTR ENOENT EEXIST ENOTDIR ELOOP ESTALE\n";

namespace {

struct ErrorName {
  std::string_view name;
  int number;
};
constexpr ErrorName error_names[] = {
    {"EIO", EIO},       {"EDQUOT", EDQUOT},   {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"ENOSPC", ENOSPC},
    {"EROFS", EROFS},   {"EACCES", EACCES},   {"EPERM", EPERM},   {"EINTR", EINTR},   {"ENOENT", ENOENT},
    {"EEXIST", EEXIST}, {"ENOTDIR", ENOTDIR}, {"ELOOP", ELOOP},   {"ESTALE", ESTALE},
};

std::optional<std::uint64_t> number_in(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::uint64_t must_be_number(std::string_view word, std::string_view option) {
  if (const auto value = number_in(word)) return *value;
  throw UsageError("'" + std::string(word) + "' is not a number, in " + std::string(option));
}

Operation operation_named(std::string_view name) {
  const auto found = std::find(operation_names.begin(), operation_names.end(), name);
  if (found == operation_names.end()) throw UsageError("there is no operation '" + std::string(name) + "'");
  return static_cast<Operation>(found - operation_names.begin());
}

int error_named(std::string_view name) {
  for (const ErrorName& error : error_names) {
    if (error.name == name) return error.number;
  }
  throw UsageError("unknown error '" + std::string(name) + "'");
}

Fault parse_fault(std::string_view word) {
  const std::size_t first = word.find(':');
  if (first == std::string_view::npos) throw UsageError("--fail needs OP:ERRNO");
  const std::size_t second = word.find(':', first + 1);
  Fault fault{
      operation_named(word.substr(0, first)), error_named(word.substr(first + 1, second - first - 1)), 0, false, {}};
  if (fault.operation == Operation::release || fault.operation == Operation::releasedir) {
    throw UsageError("nobody hears of a release that fails; choose flush");
  }
  if (second == std::string_view::npos) return fault;
  std::string_view rest = word.substr(second + 1);
  const bool plus = rest.ends_with('+');
  if (const auto nth = number_in(rest.substr(0, rest.size() - (plus ? 1 : 0)))) {
    if (*nth == 0) throw UsageError("the first time is number 1, in --fail");
    fault.nth = *nth;
    fault.from_then_on = plus;
  } else {
    fault.path_part = rest;
  }
  return fault;
}

// The value of `name=value`, if `word` is that.
std::optional<std::string_view> value_of(std::string_view word, std::string_view name) {
  if (!word.starts_with(name) || word.size() == name.size() || word[name.size()] != '=') return std::nullopt;
  return word.substr(name.size() + 1);
}

void parse_delay(std::string_view word, Options& options, std::vector<std::pair<Operation, std::uint64_t>>& single) {
  if (const auto all = value_of(word, "--delay-us")) {
    const std::chrono::microseconds delay(must_be_number(*all, word));
    for (std::size_t i = 0; i < operation_names.size(); ++i) options.delay[static_cast<Operation>(i)] = delay;
    return;
  }
  const std::size_t equals = word.find('=');
  const std::size_t start = std::string_view("--delay-us-").size();
  if (equals == std::string_view::npos || equals < start) throw UsageError("unknown option " + std::string(word));
  single.emplace_back(operation_named(word.substr(start, equals - start)),
                      must_be_number(word.substr(equals + 1), word));
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  std::vector<std::string> places;
  std::vector<std::pair<Operation, std::uint64_t>> single_delays;
  for (const std::string& word : words) {
    if (word.starts_with("--delay-us")) {
      parse_delay(word, options, single_delays);
    } else if (const auto fault = value_of(word, "--fail")) {
      options.faults.push_back(parse_fault(*fault));
    } else if (const auto seconds = value_of(word, "--cache-seconds")) {
      options.cache_seconds = static_cast<double>(must_be_number(*seconds, word));
    } else if (const auto step = value_of(word, "--time-step")) {
      options.time_step_s = must_be_number(*step, word);
    } else if (const auto counters = value_of(word, "--counters")) {
      options.counters = *counters;
    } else if (word == "--short-writes") {
      options.short_writes = true;
    } else if (word == "--tied") {
      options.tied = true;
    } else if (word.starts_with("-")) {
      throw UsageError("unknown option " + word);
    } else {
      places.push_back(word);
    }
  }
  if (places.size() != 2) throw UsageError("a backing directory and a mount point are needed");
  options.backing = places[0];
  options.point = places[1];
  for (const auto& [operation, delay] : single_delays) options.delay[operation] = std::chrono::microseconds(delay);
  return options;
}

}  // namespace latency_fs
