// HEAD, before and after: what it was, where it is put, and what of a merge or cherry-pick ends with that.
#pragma once

#include <string>

#include "command/checkout_context.h"

namespace pfetch::command {

// Throws ErrorCode::corrupt when HEAD is broken.
HeadBefore read_head(const repo::Refs& refs);

// Both write reflogs. Throw ErrorCode::refused when a ref is locked or a hook says no.
void put_head_on_branch(const std::string& branch, const std::string& message, const session::Stock& stock);
void detach_head(const object::Oid& commit, const std::string& message, const session::Stock& stock);

// What a merge, cherry-pick or revert in progress has left in the git directory goes away. A sequence with commits
// still to come stays, as with git. Returns what was cancelled ("cherry picking", "revert"), for a warning.
std::vector<std::string> clear_operations(const repo::Repository& repository);

// Runs the hook post-checkout to its end; its exit status.
int run_post_checkout(const HeadBefore& before, const object::Oid& after, bool is_switch,
                      const CheckoutContext& context);

}  // namespace pfetch::command
