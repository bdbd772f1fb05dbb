// What the parts of a checkout share.
#pragma once

#include <optional>
#include <string>

#include "command/command_context.h"
#include "object/ref_name.h"
#include "repo/paths.h"
#include "session/revision.h"
#include "session/stock.h"
#include "session/work_place.h"
#include "session/worktree_switch.h"

namespace pfetch::command {

struct CheckoutContext {
  const CommandContext& command;
  session::Stock& stock;
  session::Revisions& revisions;
  std::string start;   // the directory in which the command was started; the current one is the top
  std::string prefix;  // the same below the top, "" or ending in '/'

  const repo::Repository& repository() const { return stock.repository(); }
  const repo::Config& config() const { return stock.config(); }
  session::Reporter& reporter() const { return command.reporter; }
  session::SwitchContext for_switch() const {
    return {repository(), stock.objects(), command.reporter, command.progress, command.cancel};
  }
};

// The repository that a command works on, entered at the top of its worktree. Throws without a worktree.
class CheckoutPlace {
 public:
  // `context` must outlive it.
  explicit CheckoutPlace(const CommandContext& context)
      : repository_(repo::Repository::discover(context.environment)),
        prefix_(session::work_prefix(repository_)),
        start_(repo::current_directory()),
        stock_(repository_),
        revisions_(stock_, context.reporter, prefix_),
        context_{context, stock_, revisions_, start_, prefix_} {
    session::enter_work_tree(repository_);
  }
  CheckoutPlace(const CheckoutPlace&) = delete;
  CheckoutPlace& operator=(const CheckoutPlace&) = delete;

  const CheckoutContext& context() const { return context_; }

 private:
  const repo::Repository repository_;
  const std::string prefix_;
  const std::string start_;
  session::Stock stock_;
  session::Revisions revisions_;
  const CheckoutContext context_;
};

// What is checked out before anything happens.
struct HeadBefore {
  std::string branch;    // the whole name of the branch; empty: HEAD is detached, or points to something else
  object::Oid id;        // null: the branch is yet to be born
  bool detached = true;  // it names a commit itself

  bool unborn() const { return id.is_null(); }
  std::optional<object::Oid> commit() const { return unborn() ? std::nullopt : std::optional(id); }
  // "main", or the id: how reflogs call it.
  std::string words() const { return branch.empty() ? id.hex() : std::string(object::short_ref_name(branch)); }
};

}  // namespace pfetch::command
