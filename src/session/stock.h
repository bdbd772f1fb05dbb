// What a command that brings nothing in finds in its repository: refs, objects and history, each opened when it is
// first asked for.
//
// A snapshot of the boundary, not of the refs. One thread at a time, except that `objects` is thread safe.
#pragma once

#include <memory>
#include <optional>

#include "graph/history.h"
#include "repo/refs.h"
#include "repo/repository.h"
#include "store/reader.h"

namespace pfetch::session {

class Stock {
 public:
  // `repository` must outlive this.
  explicit Stock(const repo::Repository& repository);

  const repo::Repository& repository() const { return repository_; }
  const repo::Config& config() const { return repository_.config(); }
  // They know the objects: a new value must exist, and that of a branch must be a commit.
  const std::shared_ptr<const repo::Refs>& refs() const { return refs_; }
  store::Reader& objects();
  graph::CommitGraph& graph();  // cut at the boundary

 private:
  const repo::Repository& repository_;
  std::shared_ptr<const repo::Refs> refs_;
  std::unique_ptr<store::Reader> objects_;
  std::unique_ptr<graph::History> history_;
};

}  // namespace pfetch::session
