// How a fetch finds out what both sides have: the algorithm and the tips that arguments and configuration choose.
#pragma once

#include <memory>
#include <vector>

#include "command/fetch_arguments.h"
#include "command/fetch_refs.h"
#include "session/holdings.h"
#include "session/reporter.h"
#include "transport/negotiator.h"

namespace pfetch::command {

// Null: nothing is to be proposed. `refs` are those of the other side that are asked about. Throws ErrorCode::config
// for an unknown fetch.negotiationAlgorithm, ErrorCode::not_found for a --negotiation-tip that is no object.
std::unique_ptr<transport::Negotiator> make_negotiator(const FetchArguments& arguments, session::Holdings& here,
                                                       const std::vector<FetchedRef>& refs,
                                                       session::Reporter& reporter);

}  // namespace pfetch::command
