// The number of workers of a checkout, from the configuration, the machine and the place where the files go.
#pragma once

#include <string>

#include "checkout/worker_control.h"
#include "repo/config.h"

namespace pfetch::checkout {

// checkout.workers (below 1: one for each logical core) and checkout.thresholdForParallelism. As in git, a set number
// of workers applies from 100 files on unless the threshold says otherwise; with neither set the number is found by
// measuring. `work_tree` must exist. Throws ErrorCode::config.
WorkerCircumstances worker_circumstances(const repo::Config& config, const std::string& work_tree, std::uint64_t files,
                                         std::uint64_t bytes);

}  // namespace pfetch::checkout
