// Objects that a clone borrows from repositories on this machine (--reference, --dissociate), and through
// GIT_ALTERNATE_OBJECT_DIRECTORIES.
//
// One thread at a time, except that the ObjectSource is thread safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/clone_request.h"
#include "object/oid.h"
#include "repo/repository.h"
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
  // What the refs of the repositories behind --reference point to.
  const std::vector<object::Oid>& tips() const { return tips_; }

  // Copies what is borrowed into the repository and borrows no longer.
  void dissociate(const repo::Repository& repository);

 private:
  void borrow(const std::string& reference, bool must, session::Reporter& reporter);
  void read_tips();

  std::vector<std::string> directories_;  // "…/objects"
  std::unique_ptr<store::Reader> source_;
  std::vector<object::Oid> tips_;
};

}  // namespace pfetch::command
