// What a fetch may do to the boundary (`.git/shallow`), and what its user should hear about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/fetch_arguments.h"
#include "command/fetch_retrieval.h"
#include "command/fetch_updates.h"
#include "session/holdings.h"
#include "session/reporter.h"
#include "shallow/explain.h"
#include "shallow/reconcile.h"

namespace pfetch::command {

// Throws ErrorCode::refused for --unshallow of what is complete.
void require_sensible_depth(const FetchArguments& arguments, const shallow::ShallowFile& boundary);

// How long to wait for `.git/shallow.lock`: pfetch.shallowLockTimeout, in milliseconds (1000).
int shallow_wait_ms(const repo::Config& config);
// Throws ErrorCode::exists, naming the lock and its age, while somebody else holds it.
void require_free_boundary(const repo::Repository& repository);

// Removes the commit-graph, which names parents that are no longer here once a complete repository is cut: git does not
// read it there, but calls it damaged.
void remove_commit_graph(const repo::Repository& repository);

// Which refs may take their new value when the other side is shallow, and how our boundary moves: the eight steps.
class BoundaryVerdict {
 public:
  BoundaryVerdict(const FetchArguments& arguments, session::Holdings& here, FetchRetrieval& retrieval,
                  const std::vector<FetchedRef>& refs);

  // Of the ref at `at` in the list of the constructor.
  bool accepts(std::size_t at) const;
  // A sentence for each ref that is not accepted.
  std::vector<std::string> warnings() const;
  // Of arguments.explain, when the other side's boundary was in question.
  const std::optional<shallow::Explanation>& explanation() const { return explanation_; }
  // For the updates that will be made.
  shallow::ShallowEdit edit(const std::vector<RefDecision>& decisions) const;

 private:
  const FetchRetrieval& retrieval_;
  const bool writes_fetch_head_;
  std::vector<shallow::RefUpdate> updates_;                // one for each ref
  std::optional<shallow::Reconciliation> reconciliation_;  // nullopt: the other side's boundary is not in question
  std::optional<shallow::Explanation> explanation_;
};

// A complete repository is about to be cut by --depth.
void warn_of_truncation(const FetchArguments& arguments, const session::Holdings& here, const FetchRetrieval& retrieval,
                        session::Reporter& reporter);

// A plain fetch has brought much from before the boundary.
void explain_long_history(const FetchArguments& arguments, session::Holdings& here, const FetchRetrieval& retrieval,
                          session::Reporter& reporter);

}  // namespace pfetch::command
