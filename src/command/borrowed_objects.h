// Objects that a clone borrows from repositories on this machine (--reference, --dissociate), and through
// GIT_ALTERNATE_OBJECT_DIRECTORIES.
//
// One thread at a time, except that the ObjectSource is thread safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/clone_request.h"
#include "graph/history.h"
#include "object/oid.h"
#include "repo/repository.h"
#include "session/closure.h"
#include "session/reporter.h"
#include "store/reader.h"

namespace pfetch::command {

class BorrowedObjects {
 public:
  // Names the object directories in the repository's info/alternates. Throws ErrorCode::refused for a --reference that
  // is no repository or does not have its whole history; of --reference-if-able that is only told.
  BorrowedObjects(const CloneRequest& request, const repo::Repository& repository, session::Reporter& reporter);

  // Whether a --reference is used, so that the other side can be told what is here.
  bool any() const { return !directories_.empty(); }
  // Null when there is nothing.
  object::ObjectSource* source() { return source_.get(); }
  // What the refs of the repositories behind --reference point to; ascending.
  const std::vector<object::Oid>& tips() const { return tips_; }
  // The same as what the new repository has from the start; null when there is nothing.
  const session::Before* before() const { return before_ ? &*before_ : nullptr; }

  // Copies what is borrowed into the repository and borrows no longer.
  void dissociate(const repo::Repository& repository);

 private:
  void borrow(const std::string& reference, bool must, session::Reporter& reporter);

  std::vector<std::string> directories_;  // "…/objects"
  std::unique_ptr<store::Reader> source_;
  std::vector<object::Oid> tips_;
  std::unique_ptr<graph::History> history_;
  std::optional<session::Before> before_;
};

}  // namespace pfetch::command
