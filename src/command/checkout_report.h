// What a checkout says, in git's words, which scripts and people's fingers know.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/checkout_context.h"
#include "session/worktree_switch.h"

namespace pfetch::command {

// "787547d two": an abbreviated id and the first paragraph of the message in one line.
std::string described(const object::Oid& commit, const CheckoutContext& context);

// Why nothing was changed; `action` is "checkout". The lists each under its heading, the whole as one complaint after
// the other.
void report_refusal(const session::SwitchRefusal& refusal, const CheckoutContext& context);
// "a: needs merge", for standard output.
std::vector<std::string> unmerged_lines(const session::SwitchRefusal& refusal);

// The advice that comes with a HEAD that is detached for the first time.
void report_detaching(const std::string& name, const CheckoutContext& context);

// Whoever leaves a detached HEAD is told what it was, or which commits nothing leads to any more.
void report_left_behind(const object::Oid& left, const object::Oid& now, const CheckoutContext& context);

struct UpstreamState {
  std::string upstream;  // the whole name of the ref that stands for it
  bool gone = false;
  std::size_t ahead = 0;
  std::size_t behind = 0;
};
// Of a branch by its whole name; nullopt: it has no upstream that is stored here.
std::optional<UpstreamState> upstream_state(const std::string& branch, const CheckoutContext& context);
// "Your branch is up to date with 'origin/main'.", for standard output.
std::vector<std::string> upstream_lines(const UpstreamState& state, const CheckoutContext& context);

}  // namespace pfetch::command
