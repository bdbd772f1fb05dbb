// One command from its arguments to an exit code.
#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "repo/environment.h"

namespace pfetch::cli {

struct RunContext {
  const repo::Environment& environment;
  base::Cancellation& cancel;
};

int run_clone(const std::vector<std::string>& arguments, const RunContext& context);
int run_fetch(const std::vector<std::string>& arguments, const RunContext& context);
int run_checkout(const std::vector<std::string>& arguments, const RunContext& context);
int run_reset(const std::vector<std::string>& arguments, const RunContext& context);
int run_index_pack(const std::vector<std::string>& arguments, const RunContext& context);

}  // namespace pfetch::cli
