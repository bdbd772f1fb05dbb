// What the parts of a checkout share.
#pragma once

#include <string>

#include "command/command_context.h"
#include "object/ref_name.h"
#include "session/revision.h"
#include "session/stock.h"

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
};

// What is checked out before anything happens.
struct HeadBefore {
  std::string branch;    // the whole name of the branch; empty: HEAD is detached, or points to something else
  object::Oid id;        // null: the branch is yet to be born
  bool detached = true;  // it names a commit itself

  bool unborn() const { return id.is_null(); }
  // "main", or the id: how reflogs call it.
  std::string words() const { return branch.empty() ? id.hex() : std::string(object::short_ref_name(branch)); }
};

}  // namespace pfetch::command
