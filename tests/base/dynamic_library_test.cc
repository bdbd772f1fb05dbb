#include "base/dynamic_library.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tests/support/error_message.h"

namespace pfetch::base {
namespace {

TEST(DynamicLibrary, FindsAFunctionByName) {
  const DynamicLibrary library("libm.so.6", "a test");
  double (*square_root)(double) = nullptr;
  library.find("sqrt", square_root);
  EXPECT_EQ(square_root(9.0), 3.0);
}

TEST(DynamicLibrary, NamesWhatIsMissingAndWhatNeedsIt) {
  const std::string message = test::error_message([] { DynamicLibrary("libnosuch.so.1", "a test"); });
  EXPECT_EQ(message.rfind("a test needs libnosuch.so.1: ", 0), 0U) << message;
}

TEST(DynamicLibrary, NamesAFunctionThatIsNotThere) {
  const DynamicLibrary library("libm.so.6", "a test");
  void (*function)() = nullptr;
  EXPECT_EQ(test::error_message([&] { library.find("no_such_function", function); }),
            "a test needs libm.so.6, but there is no no_such_function in it");
}

}  // namespace
}  // namespace pfetch::base
