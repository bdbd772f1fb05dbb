// What the words of a checkout mean: a branch, a commit, a tree to take paths from, paths, or a branch of a remote that
// is to be created here. The rules, and the words of every refusal, are those of git-checkout(1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/checkout_arguments.h"
#include "command/checkout_context.h"

namespace pfetch::command {

struct CheckoutTarget {
  std::string name;                   // as messages and reflogs have it; empty: nothing was named
  std::string branch;                 // the whole name, if it is a branch here
  std::optional<object::Oid> commit;  // nullopt: nothing was named, or a tree alone
  std::optional<object::Oid> tree;    // of what was named
  std::vector<std::string> paths;     // as they were given
  bool counts_paths = false;          // git tells how many were updated unless they stand behind "--"
  std::string guessed_branch;         // to be created, because just one remote has it
};

// Throws ErrorCode::not_found or usage.
CheckoutTarget find_target(const CheckoutArguments& arguments, bool may_guess, const CheckoutContext& context);

// Whether `word` is, or with pathspec magic begins with, the path of a file that is there.
bool names_file(std::string_view word, const std::string& prefix);

// git's words for what is neither a revision nor a file, and for what is both.
[[noreturn]] void throw_unknown_argument(std::string_view word);
void require_no_file(std::string_view word, const std::string& prefix);

}  // namespace pfetch::command
