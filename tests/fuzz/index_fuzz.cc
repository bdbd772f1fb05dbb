// An index of any bytes is read, or refused with pfetch::Error; what was read is written, and read back the same.
//
// The first two bytes say where the shared index begins. It gets a right checksum, and a link the right name; the index
// itself goes without a checksum. So damage is not refused at once.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/sha1.h"
#include "checkout/index_reader.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace pfetch;

constexpr std::size_t checksum_bytes = object::Oid::raw_size;

struct Input {
  std::string own;
  std::string shared;
};

Input prepare(std::string_view data) {
  const std::size_t cut = std::min<std::size_t>(base::load_be16(data.data()), data.size() - 2);
  Input input{std::string(data.substr(2, cut)), std::string(data.substr(2 + cut))};
  base::PlainSha1 sha1;
  sha1.update(base::as_bytes(input.shared));
  const base::Sha1Digest digest = sha1.finish();
  const std::string_view checksum(reinterpret_cast<const char*>(digest.data()), digest.size());
  input.shared += checksum;
  const std::size_t link = input.own.find("link");
  if (link != std::string::npos && link + 8 + checksum_bytes <= input.own.size()) {
    input.own.replace(link + 8, checksum_bytes, checksum);  // behind the signature and the size
  }
  input.own.append(checksum_bytes, '\0');
  return input;
}

bool same_entry(const checkout::IndexEntry& one, const checkout::IndexEntry& other) {
  return one.path == other.path && object::canonical_mode(one.mode) == object::canonical_mode(other.mode) &&
         one.id == other.id && one.stat == other.stat && one.stage == other.stage &&
         one.assume_valid == other.assume_valid && one.skip_worktree == other.skip_worktree &&
         one.intent_to_add == other.intent_to_add && one.fsmonitor_valid == other.fsmonitor_valid;
}

void check_round_trip(const checkout::Index& index) {
  static const test::TemporaryDirectory directory;
  const std::string path = directory / "index";
  auto lock = base::LockFile::take(path);
  checkout::write_index(lock, index, 2, false);
  lock.commit();
  const checkout::Index again = checkout::read_index(path, directory.path());
  if (!std::equal(index.entries.begin(), index.entries.end(), again.entries.begin(), again.entries.end(), same_entry) ||
      index.cache_tree.size() != again.cache_tree.size() || index.untracked_cache != again.untracked_cache ||
      index.resolve_undo != again.resolve_undo || index.fsmonitor != again.fsmonitor || index.sparse != again.sparse) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const Input input = prepare({reinterpret_cast<const char*>(data), size});
  checkout::Index index;
  try {
    index = checkout::parse_index(base::as_bytes(input.own),
                                  [&](const object::Oid&) { return base::as_bytes(input.shared); });
    checkout::emptied_untracked_cache(base::as_bytes(index.untracked_cache));
  } catch (const Error&) {
    return 0;
  }
  check_round_trip(index);
  return 0;
}
