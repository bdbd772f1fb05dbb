#include "transport/retry.h"

#include <gtest/gtest.h>

#include "tests/support/error_message.h"

namespace pfetch::transport {
namespace {

using std::chrono::seconds;

TEST(Retries, AreBoundedAndSaidEachTime) {
  base::Cancellation cancel;
  std::string said;
  Retries retries({3, seconds(0), seconds(5), [&](std::string_view text) { said += std::string(text) + "\n"; }},
                  cancel);
  EXPECT_TRUE(retries.wait_for_another(TransientError("busy")));
  EXPECT_TRUE(retries.wait_for_another(TransientError("busy")));
  EXPECT_FALSE(retries.wait_for_another(TransientError("busy")));
  EXPECT_EQ(said, "busy; trying again (try 2 of 3)\nbusy; trying again (try 3 of 3)\n");
}

TEST(Retries, ADemandOverTheBoundIsNotWaitedFor) {
  base::Cancellation cancel;
  Retries retries({3, seconds(0), seconds(5), {}}, cancel);
  EXPECT_FALSE(retries.wait_for_another(TransientError("busy", seconds(6))));
}

TEST(Retries, AWaitEndsWithACancellation) {
  base::Cancellation cancel;
  cancel.request();
  Retries retries({3, seconds(1000), seconds(5000), {}}, cancel);
  EXPECT_EQ(test::error_message([&] { retries.wait_for_another(TransientError("busy")); }, ErrorCode::cancelled),
            "interrupted");
}

}  // namespace
}  // namespace pfetch::transport
