// The half of a checkout that switches to a branch or a commit.
#pragma once

#include "command/checkout.h"
#include "command/checkout_target.h"

namespace pfetch::command {

// `wanted_branch`: the name of a branch to create, or with -B to move; empty: none.
void switch_branch(const CheckoutArguments& arguments, CheckoutTarget target, const std::string& wanted_branch,
                   const CheckoutContext& context, CheckoutOutcome& outcome);

}  // namespace pfetch::command
