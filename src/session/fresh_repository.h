// The repository that a clone makes: created first, removed again unless it is kept.
//
// What was not there before goes away on any failure: the work tree, the git directory, and leading directories that
// had to be made. A directory that was there already, and empty, is emptied and kept.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/cleanup.h"
#include "repo/init.h"

namespace pfetch::session {

class FreshRepository {
 public:
  // Throws ErrorCode::exists when the directory is there and not empty.
  FreshRepository(const repo::InitOptions& options, const repo::Environment& environment);
  ~FreshRepository();

  repo::Repository& repository() { return *repository_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // The clone has succeeded.
  void keep();

 private:
  void claim(const std::string& directory);

  std::vector<base::RemoveOnFailure> remove_;  // in the order in which they were made, and removed in reverse
  std::unique_ptr<repo::Repository> repository_;
  std::vector<std::string> warnings_;
};

// Throws "destination path '…' already exists and is not an empty directory".
void require_absent_or_empty(const std::string& directory);

}  // namespace pfetch::session
