// An object that bears the mark of a SHA-1 collision attack is refused, by id and place.
//
// No public attack made a Git object: the known colliding messages begin with other bytes than "blob 320\0". So the
// objects here are named by the SHA-1 of their content alone, and the detection that runs over them is the real one.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/sha1.h"
#include "tests/support/error_message.h"
#include "tests/support/ingesting.h"
#include "tests/support/sha1_collisions.h"

namespace pfetch::pack {
namespace {

using object::Kind;
using test::Ingested;
using test::PackBuilder;

class HeadlessHasher final : public object::Hasher {
 public:
  void hash(std::span<Job> jobs) const override {
    for (Job& job : jobs) {
      const auto result = base::sha1_checked({}, job.content);
      job.id = object::Oid::from_raw(result.digest.data());
      job.attack = result.attack;
    }
  }
};

IngestOptions headless() {
  IngestOptions options;
  options.hasher = std::make_shared<HeadlessHasher>();
  return options;
}

std::string text(const std::vector<std::byte>& bytes) {
  return std::string(base::as_text(bytes));
}

TEST(Attack, ABlobThatCollidesIsRefusedByIdAndOffset) {
  for (const auto& pair : {base::sha1_collisions::shattered(), base::sha1_collisions::shambles()}) {
    for (const auto& half : {pair.one, pair.two}) {
      PackBuilder pack;
      pack.whole(Kind::blob, "harmless");
      const std::uint64_t offset = pack.whole(Kind::blob, text(half));
      const std::string message = test::error_message([&] { Ingested(pack.finish(), headless()); });
      const auto digest = base::sha1_checked({}, half).digest;
      EXPECT_EQ(message, "SHA-1 collision attack detected in object " + object::Oid::from_raw(digest.data()).hex() +
                             " at offset " + std::to_string(offset));
    }
  }
}

TEST(Attack, ACollidingResultOfADeltaIsRefused) {
  const std::string half = text(base::sha1_collisions::shattered().one);
  const std::string base_content = half.substr(0, half.size() - 9) + "otherwise";
  PackBuilder pack;
  const std::uint64_t base_offset = pack.whole(Kind::blob, base_content);
  const std::uint64_t offset = pack.ofs_delta(base_offset, test::make_delta(base_content, half));
  const std::string message = test::error_message([&] { Ingested(pack.finish(), headless()); });
  EXPECT_NE(message.find("collision attack detected"), std::string::npos) << message;
  EXPECT_NE(message.find("at offset " + std::to_string(offset)), std::string::npos) << message;
}

TEST(Attack, AHarmlessNeighbourIsTaken) {
  std::string neighbour = text(base::sha1_collisions::shattered().one);
  neighbour[neighbour.size() - 100] ^= 1;
  PackBuilder pack;
  pack.whole(Kind::blob, neighbour);
  EXPECT_EQ(Ingested(pack.finish(), headless()).contents().size(), 1U);
}

}  // namespace
}  // namespace pfetch::pack
