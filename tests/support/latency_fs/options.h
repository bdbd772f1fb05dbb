// What the command line asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/latency_fs/operation.h"

namespace latency_fs {

// An operation that fails on purpose.
struct Fault {
  Operation operation;
  int error_number;
  std::uint64_t nth = 0;      // 0: each one; else the nth that the rest of this fits, counted from 1
  bool from_then_on = false;  // the nth and all after it
  std::string path_part;      // only where the path below the backing directory has this in it; empty: everywhere
};

struct Options {
  std::string backing;  // the directory that is passed through
  std::string point;    // where it is mounted
  PerOperation<std::chrono::microseconds> delay;
  std::vector<Fault> faults;
  bool short_writes = false;      // a write of more than one byte takes half of them
  double cache_seconds = 0;       // how long the kernel may trust what it was told about names and attributes
  std::uint64_t time_step_s = 0;  // times are told in steps of so many seconds; 0: as they are
  std::string counters;           // the file that counters are written to; empty: none
  bool tied = false;              // ends with the process that started it
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

extern const char* const usage;

// Throws UsageError.
Options parse_options(const std::vector<std::string>& words);

}  // namespace latency_fs
