// The half of a checkout that takes paths from a tree or the index.
#pragma once

#include "command/checkout.h"
#include "command/checkout_target.h"

namespace pfetch::command {

// The pathspecs of --pathspec-from-file. Throws ErrorCode::usage beside other pathspecs, ErrorCode::not_found.
std::vector<std::string> read_pathspec_file(const CheckoutArguments& arguments, const CheckoutTarget& target,
                                            const CheckoutContext& context);

// `wanted_branch`: one that was asked for, too, which is refused.
void checkout_files(const CheckoutArguments& arguments, const CheckoutTarget& target, const std::string& wanted_branch,
                    const CheckoutContext& context, CheckoutOutcome& outcome);

}  // namespace pfetch::command
