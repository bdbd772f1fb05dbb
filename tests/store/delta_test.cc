#include "store/delta.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/pack_builder.h"

namespace pfetch::store {
namespace {

using test::copy_instruction;
using test::delta_size;

TEST(MeasureDelta, GivesWhatTheInstructionsMake) {
  EXPECT_EQ(measure_delta(base::as_bytes(test::make_delta("one two", "one and two"))), 11U);
  const std::string large =
      delta_size(1 << 20) + delta_size(0x10000 + 5) + copy_instruction(0, 0x10000) + copy_instruction(0x123456, 5);
  EXPECT_EQ(measure_delta(base::as_bytes(large)), 0x10005U);
  EXPECT_EQ(measure_delta(base::as_bytes(delta_size(7) + delta_size(0))), 0U);
}

TEST(MeasureDelta, RefusesASizeThatIsOnlyClaimedAndEveryCut) {
  const std::string delta = test::make_delta("one two", "one and two");
  for (std::size_t size = 0; size < delta.size(); ++size) {
    EXPECT_THROW(measure_delta(base::as_bytes(delta.substr(0, size))), Error) << size;
  }
  EXPECT_THROW(
      measure_delta(base::as_bytes(delta_size(7) + delta_size(std::uint64_t{1} << 40) + copy_instruction(0, 7))),
      Error);
  EXPECT_THROW(measure_delta(base::as_bytes(delta + std::string(1, '\0'))), Error);
  EXPECT_THROW(measure_delta(base::as_bytes(delta_size(7) + std::string(11, '\xff'))), Error);
}

TEST(ApplyDelta, MakesTheTarget) {
  const std::string base(100'000, 'b');
  const std::string target = base.substr(0, 70'000) + "middle" + base.substr(0, 30'000);
  std::string result(target.size(), '\0');
  apply_delta(base::as_bytes(base), base::as_bytes(test::make_delta(base, target)),
              std::as_writable_bytes(std::span(result)));
  EXPECT_TRUE(result == target);
}

}  // namespace
}  // namespace pfetch::store
