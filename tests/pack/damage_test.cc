// The pipeline refuses broken packs with a reason, and never takes memory for what is only claimed.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/ingesting.h"

namespace {

// The largest piece of memory that was asked for since it was last set to 0.
std::atomic<std::size_t> largest_allocation{0};

void* counted(std::size_t size) {
  std::size_t before = largest_allocation.load(std::memory_order_relaxed);
  while (size > before && !largest_allocation.compare_exchange_weak(before, size)) {
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace pfetch::pack {
namespace {

using object::Kind;
using test::Ingested;
using test::PackBuilder;

bool is_refusal(ErrorCode code) {
  return code == ErrorCode::corrupt || code == ErrorCode::refused;
}

// Both kinds of delta, an empty object, one of each kind.
std::string small_pack() {
  PackBuilder builder;
  const auto base = builder.whole(Kind::blob, "a base");
  builder.ofs_delta(base, test::make_delta("a base", "a new base"));
  builder.ref_delta(test::object_id(Kind::tree, "tree"), test::make_delta("tree", "tree and tree"));
  builder.whole(Kind::tree, "tree");
  builder.whole(Kind::commit, "");
  return builder.finish();
}

TEST(DamagedPack, IsRefusedWhereverItIsCut) {
  const std::string pack = small_pack();
  ASSERT_EQ(test::refusal(pack).message(), "");
  for (std::size_t size = 0; size < pack.size(); ++size) {
    const Error error = test::refusal(pack.substr(0, size), {}, size % 7);
    ASSERT_EQ(error.code(), ErrorCode::corrupt) << "cut to " << size << ": " << error.message();
  }
}

TEST(DamagedPack, IsRefusedForEveryByteWithABitFlipped) {
  // The checksum tells them all from one another; every bit of a byte is the same to it, so one of each will do.
  const std::string pack = small_pack();
  for (std::size_t byte = 0; byte < pack.size(); ++byte) {
    std::string damaged = pack;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << byte % 8));
    const Error error = test::refusal(damaged);
    ASSERT_TRUE(is_refusal(error.code())) << "byte " << byte << ": " << error.message();
  }
}

TEST(DamagedPack, IsRefusedOrGivesTrueObjectsWhenItsChecksumIsMadeRight) {
  const std::string pack = small_pack();
  IngestOptions options;
  options.workers = 1;
  int taken = 0;
  for (std::size_t bit = 0; bit < (pack.size() - 20) * 8; ++bit) {
    std::string damaged = pack;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    try {
      const Ingested ingested(test::with_right_checksum(damaged), options);
      ++taken;
      for (const auto& [id, seen] : ingested.sink.objects()) {
        ASSERT_EQ(test::object_id(seen.kind, seen.content), id) << "bit " << bit;
      }
    } catch (const Error& error) {
      ASSERT_TRUE(is_refusal(error.code())) << "bit " << bit << ": " << error.message();
    }
  }
  EXPECT_GT(taken, 0);  // the type of an object may be another one; nothing in a pack says which is right
}

struct Broken {
  const char* name;
  std::string pack;
  const char* message;
};

std::vector<Broken> broken_packs() {
  std::vector<Broken> all;
  const auto add = [&](const char* name, std::string pack, const char* message) {
    all.push_back({name, std::move(pack), message});
  };
  PackBuilder one;
  const auto first = one.whole(Kind::blob, "content");
  const std::string good = one.finish();
  add("no bytes", "", "early EOF");
  add("another file", "<html>nothing here</html>", "signature");
  add("version 4", test::with_right_checksum("PACK" + std::string("\0\0\0\4", 4) + good.substr(8)), "version 4");
  add("count too high", one.finish(2), "bad object");
  add("count too low", one.finish(0), "junk");
  add("enormous count", one.finish(0xffffffff), "object 2 of 4294967295");
  add("junk behind", good + "x", "junk");
  add("wrong checksum", good.substr(0, good.size() - 1) + static_cast<char>(good.back() ^ 1), "SHA1 mismatch");
  const auto with = [&](auto change) {
    PackBuilder builder = one;
    change(builder);
    return builder.finish();
  };
  add("type 0", with([](auto& b) { b.raw(0, 3, "", test::deflated("abc")); }), "bad object");
  add("type 5", with([](auto& b) { b.raw(5, 3, "", test::deflated("abc")); }), "bad object");
  add("longer than it says", with([](auto& b) { b.raw(3, 2, "", test::deflated("abc")); }), "longer");
  add("shorter than it says", with([](auto& b) { b.raw(3, 4, "", test::deflated("abc")); }), "shorter");
  add("not empty as it says", with([](auto& b) { b.raw(3, 0, "", test::deflated("abc")); }), "longer");
  add("no zlib stream", with([](auto& b) { b.raw(3, 3, "", "abcdefghijkl"); }), "damaged");
  add("base outside the pack", with([](auto& b) { b.ofs_delta(b.end() - 100000, "abc"); }), "out of bound");
  add("base between entries", with([&](auto& b) { b.ofs_delta(first + 1, "abc"); }), "delta base should begin");
  add("delta of itself", with([](auto& b) { b.raw(6, 3, std::string(1, '\0'), test::deflated("abc")); }), "bad object");
  add("empty delta", with([&](auto& b) { b.ofs_delta(first, ""); }), "bad delta");
  add("delta of another base", with([&](auto& b) { b.ofs_delta(first, test::make_delta("contents", "c")); }), "base");
  add("copy from outside", with([&](auto& b) {
        b.ofs_delta(first, test::delta_size(7) + test::delta_size(5) + test::copy_instruction(5, 5));
      }),
      "outside its base");
  add("reserved instruction",
      with([&](auto& b) { b.ofs_delta(first, test::delta_size(7) + test::delta_size(5) + std::string(1, '\0')); }),
      "reserved");
  return all;
}

TEST(DamagedPack, IsRefusedWithItsReason) {
  for (const Broken& broken : broken_packs()) {
    for (const std::size_t piece : {0U, 1U}) {
      const Error error = test::refusal(broken.pack, {}, piece);
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << broken.name;
      EXPECT_NE(error.message().find(broken.message), std::string::npos) << broken.name << ": " << error.message();
    }
  }
}

TEST(DamagedPack, TakesNoMemoryForASizeThatIsOnlyClaimed) {
  constexpr std::uint64_t terabyte = std::uint64_t{1} << 40;
  constexpr std::size_t modest = std::size_t{5} << 20;  // bytes: an entry that is inflated in one go is up to 4 MB
  for (const std::uint64_t claimed : {std::uint64_t{3} << 20, std::uint64_t{5} << 20, std::uint64_t{1} << 29, terabyte,
                                      (std::uint64_t{1} << 63) - 1}) {
    for (const unsigned type : {1U, 2U, 3U, 4U, 7U}) {
      PackBuilder builder;
      const std::string between = type == 7 ? std::string(20, 'i') : "";
      builder.raw(type, claimed, between, test::deflated("only this"));
      const std::string pack = builder.finish();
      largest_allocation = 0;
      const Error error = test::refusal(pack);
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << claimed << " of type " << type << ": " << error.message();
      EXPECT_LT(largest_allocation.load(), modest) << claimed << " of type " << type;
    }
  }
  // The result of a delta.
  PackBuilder builder;
  const auto base = builder.whole(Kind::blob, "content");
  builder.ofs_delta(base, test::delta_size(7) + test::delta_size(terabyte) + test::copy_instruction(0, 7));
  largest_allocation = 0;
  EXPECT_EQ(test::refusal(builder.finish()).code(), ErrorCode::corrupt);
  EXPECT_LT(largest_allocation.load(), modest);
  // The count of entries: 8 bytes for each 4,096 are allowed.
  largest_allocation = 0;
  EXPECT_EQ(test::refusal(PackBuilder().finish(0xffffffff)).code(), ErrorCode::corrupt);
  EXPECT_LT(largest_allocation.load(), std::size_t{9} << 20);
}

TEST(DamagedPack, DoesNotGrowADeltaBeyondItsBound) {
  const std::string content(1 << 20, 'x');
  for (const std::uint64_t megabytes : {513, 5 << 10}) {
    PackBuilder builder;
    const auto base = builder.whole(Kind::blob, content);
    std::string delta = test::delta_size(content.size()) + test::delta_size(megabytes << 20);
    for (std::uint64_t i = 0; i < megabytes; ++i) delta += test::copy_instruction(0, 1 << 20);
    builder.ofs_delta(base, delta);
    const std::string pack = builder.finish();
    largest_allocation = 0;
    const Error error = test::refusal(pack);
    EXPECT_EQ(error.code(), ErrorCode::refused) << error.message();
    EXPECT_NE(error.message().find("core.bigFileThreshold"), std::string::npos) << error.message();
    EXPECT_LT(largest_allocation.load(), std::size_t{5} << 20);
  }
}

}  // namespace
}  // namespace pfetch::pack
