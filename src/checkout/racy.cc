#include "checkout/racy.h"

#include "base/ascii.h"
#include "object/tree_view.h"

namespace pfetch::checkout {
namespace {

// A file system that keeps no fractions may count in steps of two seconds.
constexpr std::uint32_t coarse_step_s = 2;
// How newer versions of git record a size that is a multiple of 4 GiB, so that it is not taken for empty.
constexpr std::uint32_t recorded_multiple = 0x80000000;

bool is_empty_blob(const object::Oid& id) {
  static const object::Oid empty = object::Oid::from_hex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").value();
  return id == empty;
}

// An entry without nanoseconds was made where there are none, or by a tool that does not record them.
bool times_agree(std::uint32_t recorded_s, std::uint32_t recorded_ns, std::uint32_t s, std::uint32_t ns) {
  return recorded_s == s && (recorded_ns == 0 || recorded_ns == ns);
}

bool sizes_agree(std::uint32_t recorded, const struct stat& found) {
  const auto low = static_cast<std::uint32_t>(found.st_size);
  return recorded == low || (low == 0 && found.st_size != 0 && recorded == recorded_multiple);
}

bool is_another_kind(const IndexEntry& entry, const struct stat& found, const StatRules& rules) {
  if (!is_same_type(entry, found, rules)) return true;
  const bool is_file = (entry.mode & object::mode_type_mask) == (object::mode_file & object::mode_type_mask);
  return is_file && rules.trust_executable_bit && ((entry.mode ^ found.st_mode) & 0100) != 0;
}

bool times_and_place_agree(const IndexStat& entry, const IndexStat& found, const StatRules& rules) {
  if (rules.minimal) return entry.mtime_s == found.mtime_s;
  return times_agree(entry.mtime_s, entry.mtime_ns, found.mtime_s, found.mtime_ns) &&
         (!rules.trust_ctime || times_agree(entry.ctime_s, entry.ctime_ns, found.ctime_s, found.ctime_ns)) &&
         entry.uid == found.uid && entry.gid == found.gid && entry.ino == found.ino;
}

}  // namespace

StatRules stat_rules(const repo::Config& config) {
  StatRules rules;
  rules.trust_ctime = config.get_bool("core.trustctime", true);
  rules.minimal = base::same_ignoring_case(config.get("core.checkstat", "default"), "minimal");
  rules.trust_executable_bit = config.get_bool("core.filemode", true);
  rules.symlinks = config.get_bool("core.symlinks", true);
  return rules;
}

bool is_same_type(const IndexEntry& entry, const struct stat& found, const StatRules& rules) {
  switch (object::canonical_mode(entry.mode)) {
    case object::mode_file:
    case object::mode_executable:
      return S_ISREG(found.st_mode);
    case object::mode_symlink:
      return S_ISLNK(found.st_mode) || (!rules.symlinks && S_ISREG(found.st_mode));
    default:
      return S_ISDIR(found.st_mode);
  }
}

StatVerdict compare_stat(const IndexEntry& entry, const struct stat& found, const IndexStat& index_file,
                         const StatRules& rules) {
  if (entry.intent_to_add || is_another_kind(entry, found, rules)) return StatVerdict::changed;
  if (S_ISDIR(found.st_mode)) return StatVerdict::look;
  // A size of zero also says that the entry was made without a file, or is smudged.
  if (entry.stat.size == 0 && !is_empty_blob(entry.id)) return StatVerdict::look;
  if (!sizes_agree(entry.stat.size, found)) return entry.stat.size == 0 ? StatVerdict::look : StatVerdict::changed;
  if (!times_and_place_agree(entry.stat, index_stat(found), rules)) return StatVerdict::look;
  return is_racy(entry.stat, index_file, rules) ? StatVerdict::look : StatVerdict::clean;
}

bool stat_agrees(const IndexStat& recorded, const struct stat& found, const StatRules& rules) {
  return sizes_agree(recorded.size, found) && times_and_place_agree(recorded, index_stat(found), rules);
}

bool is_racy(const IndexStat& entry, const IndexStat& index_file, const StatRules& rules) {
  if (entry.mtime_ns == 0) return index_file.mtime_s < std::uint64_t{entry.mtime_s} + coarse_step_s;
  if (rules.minimal || index_file.mtime_ns == 0) return index_file.mtime_s <= entry.mtime_s;
  if (index_file.mtime_s != entry.mtime_s) return index_file.mtime_s < entry.mtime_s;
  return index_file.mtime_ns <= entry.mtime_ns;
}

void smudge(IndexEntry& entry) {
  entry.stat.size = 0;
}

}  // namespace pfetch::checkout
