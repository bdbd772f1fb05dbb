#include "store/entry_header.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace pfetch::store {
namespace {

std::vector<std::byte> bytes_of(const std::vector<int>& values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::byte> size_header(unsigned type, std::uint64_t size) {
  std::vector<std::byte> bytes;
  auto byte = static_cast<unsigned>(type << 4 | (size & 15));
  for (size >>= 4; size != 0; size >>= 7) {
    bytes.push_back(static_cast<std::byte>(byte | 0x80));
    byte = static_cast<unsigned>(size & 0x7f);
  }
  bytes.push_back(static_cast<std::byte>(byte));
  return bytes;
}

void append_distance(std::vector<std::byte>& bytes, std::uint64_t distance) {
  std::vector<std::byte> reversed{static_cast<std::byte>(distance & 0x7f)};
  while ((distance >>= 7) != 0) reversed.push_back(static_cast<std::byte>(0x80 | (--distance & 0x7f)));
  bytes.insert(bytes.end(), reversed.rbegin(), reversed.rend());
}

TEST(EntryHeader, ReadsSizesOfEveryLength) {
  for (unsigned bits = 0; bits < 63; ++bits) {
    for (const std::uint64_t size : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
      const auto bytes = size_header(3, size);
      const auto header = read_entry_header(bytes);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->type, EntryType::blob);
      EXPECT_EQ(header->size, size);
      EXPECT_EQ(header->header_bytes, bytes.size());
    }
  }
}

TEST(EntryHeader, ReadsDistancesOfEveryLength) {
  for (unsigned bits = 0; bits < 63; ++bits) {
    for (const std::uint64_t distance : {(std::uint64_t{1} << bits), (std::uint64_t{1} << bits) + 127}) {
      auto bytes = size_header(6, 1000);
      append_distance(bytes, distance);
      const auto header = read_entry_header(bytes);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->base_distance, distance);
      EXPECT_EQ(header->size, 1000U);
      EXPECT_EQ(header->header_bytes, bytes.size());
      EXPECT_LE(bytes.size(), entry_header_bytes_max);
    }
  }
}

TEST(EntryHeader, ReadsTheBaseOfARefDelta) {
  auto bytes = size_header(7, 77);
  for (std::size_t i = 0; i < object::Oid::raw_size; ++i) bytes.push_back(static_cast<std::byte>(i));
  const auto header = read_entry_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_TRUE(is_delta(header->type));
  EXPECT_EQ(header->base_id.raw[19], 19);
  EXPECT_EQ(header->header_bytes, bytes.size());
}

TEST(EntryHeader, AsksForMoreUntilTheHeaderIsWhole) {
  auto ofs = size_header(6, 123456789);
  append_distance(ofs, 987654321);
  auto ref = size_header(7, 123456789);
  ref.insert(ref.end(), object::Oid::raw_size, std::byte{5});
  for (const auto& whole : {ofs, ref}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(read_entry_header(base::Bytes(whole).first(size)));
    }
    EXPECT_TRUE(read_entry_header(whole));
  }
}

TEST(EntryHeader, RefusesWhatCanNeverBeRight) {
  for (const auto& values : std::vector<std::vector<int>>{
           {0x00},
           {0x50},
           {0xd0, 0x01},
           {0xb0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08},  // the size needs 64 bits
           {0xb0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
           {0x60, 0x00},                                                        // its own base
           {0x60, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},  // the distance needs more than 63 bits
       }) {
    try {
      read_entry_header(bytes_of(values));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.message();
    }
  }
}

}  // namespace
}  // namespace pfetch::store
