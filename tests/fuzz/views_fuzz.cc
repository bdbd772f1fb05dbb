// Feeds any bytes to the three views: they read them or throw ErrorCode::corrupt, and never read outside.
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "object/commit_view.h"
#include "object/tag_view.h"
#include "object/tree_view.h"

namespace {

template <typename Work>
void expect_corrupt_only(Work work) {
  try {
    work();
  } catch (const pfetch::Error& error) {
    if (error.code() != pfetch::ErrorCode::corrupt) std::abort();
  }
}

std::size_t sum = 0;  // keeps the reads from being optimised away

void touch(std::string_view text) {
  for (const char c : text) sum += static_cast<unsigned char>(c);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pfetch;
  const base::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  expect_corrupt_only([&] {
    const object::TreeView tree(object::Oid{}, bytes);
    for (const object::TreeEntry& entry : tree) {
      touch(entry.name);
      sum += entry.id().raw[object::Oid::raw_size - 1];
    }
  });
  expect_corrupt_only([&] {
    const object::CommitView commit(object::Oid{}, bytes);
    for (const object::Oid parent : commit.parents()) sum += parent.raw[0];
    touch(commit.author());
    touch(commit.committer());
    touch(commit.message());
    sum += static_cast<std::size_t>(commit.committer_date());
  });
  expect_corrupt_only([&] {
    const object::TagView tag(object::Oid{}, bytes);
    touch(tag.name());
    touch(tag.tagger());
    touch(tag.message());
  });
  return 0;
}
