#include "checkout/cpu_quota.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/fd.h"

namespace pfetch::checkout {

namespace {

constexpr std::uint64_t file_size_max = 1 << 20;

std::string contents(const std::string& path) {
  std::string text;
  try {
    base::read_file_if_there(path, text, file_size_max);
  } catch (const Error&) {
    text.clear();
  }
  return text;
}

// Takes the next word off `text`.
std::string_view next_word(std::string_view& text, std::string_view between = " \n") {
  text.remove_prefix(std::min(text.find_first_not_of(between), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(between));
  text.remove_prefix(word.size());
  return word;
}

// `quota` microseconds of each `period`; "max" and negative numbers set no bound.
std::optional<double> share(std::string_view quota, std::string_view period) {
  long long used = 0;
  long long whole = 0;
  if (std::from_chars(quota.data(), quota.data() + quota.size(), used).ec != std::errc() || used <= 0) return {};
  if (std::from_chars(period.data(), period.data() + period.size(), whole).ec != std::errc() || whole <= 0) return {};
  return static_cast<double>(used) / static_cast<double>(whole);
}

std::optional<double> share_of_group(const std::string& directory, bool version_2) {
  if (version_2) {
    const std::string text = contents(directory + "/cpu.max");
    std::string_view rest = text;
    const std::string_view quota = next_word(rest);
    return share(quota, next_word(rest));
  }
  const std::string quota = contents(directory + "/cpu.cfs_quota_us");
  return share(quota, contents(directory + "/cpu.cfs_period_us"));
}

void take_smaller(std::optional<double>& into, std::optional<double> other) {
  if (other && (!into || *other < *into)) into = other;
}

// The smallest share of the group at `path` and those above it. Inside a container `path` may be one of the host's
// that is not seen from here: then what is mounted is the container's own group.
std::optional<double> share_along(const std::string& mounted, std::string_view path, bool version_2) {
  std::optional<double> smallest;
  for (;;) {
    if (path.ends_with('/')) path.remove_suffix(1);
    take_smaller(smallest, share_of_group(mounted + std::string(path), version_2));
    if (path.empty()) return smallest;
    path = path.substr(0, path.rfind('/'));
  }
}

bool has_cpu_controller(std::string_view names) {
  while (!names.empty()) {
    if (next_word(names, ",") == "cpu") return true;
  }
  return false;
}

}  // namespace

std::optional<double> cpu_quota(const std::string& root) {
  const std::string groups = contents(root + "/proc/self/cgroup");
  const std::string mounts = root + "/sys/fs/cgroup";
  std::optional<double> smallest;
  std::string_view rest = groups;
  while (!rest.empty()) {  // a line is NUMBER:CONTROLLERS:PATH, version 2 has number 0 and no controllers
    const std::string_view line = next_word(rest, "\n");
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (path.find("..") != std::string_view::npos) continue;  // outside what this process sees
    if (controllers.empty()) {
      for (const char* place : {"", "/unified"}) take_smaller(smallest, share_along(mounts + place, path, true));
    } else if (has_cpu_controller(controllers)) {
      for (const char* place : {"/cpu", "/cpu,cpuacct"})
        take_smaller(smallest, share_along(mounts + place, path, false));
    }
  }
  return smallest;
}

unsigned processors(const std::string& root) {
  cpu_set_t set;
  unsigned count = std::max(1U, std::thread::hardware_concurrency());
  if (::sched_getaffinity(0, sizeof set, &set) == 0) count = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  const std::optional<double> quota = cpu_quota(root);
  if (!quota || *quota >= count) return count;
  return std::max(1U, static_cast<unsigned>(std::ceil(*quota)));
}

}  // namespace pfetch::checkout
