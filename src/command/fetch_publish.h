// Makes what a fetch has brought visible, in the order that a crash between any two steps leaves whole. The objects are
// installed; then refs locked and checked → `.git/shallow` merged → refs moved → the boundary looked at once more →
// FETCH_HEAD.
#pragma once

#include <string>
#include <vector>

#include "command/fetch_updates.h"
#include "session/holdings.h"
#include "session/reporter.h"

namespace pfetch::command {

struct PublishOptions {
  bool atomic = false;      // all refs or none
  std::string reflog;       // "fetch origin": what stands before ": fast-forward"
  int shallow_wait_ms = 0;  // for `.git/shallow.lock`
};

struct Published {
  bool ok = true;                  // every ref took its new value
  bool has_name_conflict = false;  // "foo" stands beside "foo/bar"
};

// Decisions that could not be done are marked as failed; what is wrong is also told. `edit`: how the boundary moves.
Published publish_fetch(std::vector<RefDecision>& decisions, const shallow::ShallowEdit& edit, session::Holdings& here,
                        const PublishOptions& options, session::Reporter& reporter);

// Replaces FETCH_HEAD, or appends to it.
void write_fetch_head(const repo::Repository& repository, const std::string& lines, bool append);

}  // namespace pfetch::command
