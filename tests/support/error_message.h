// What a call is refused with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace pfetch::test {

// The message of the Error that `act` throws; "accepted" when it throws none.
template <typename Act>
std::string error_message(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

// The same, for an Error that must have this code.
template <typename Act>
std::string error_message(Act&& act, ErrorCode code) {
  return error_message([&] {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.message();
      throw;
    }
  });
}

}  // namespace pfetch::test
