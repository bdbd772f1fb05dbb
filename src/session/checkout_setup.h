// What the configuration and the environment say about a worktree, as settings for the checkout engine.
#pragma once

#include <string>
#include <vector>

#include "checkout/engine.h"
#include "checkout/ignore.h"
#include "repo/repository.h"
#include "session/reporter.h"

namespace pfetch::session {

// The reporter is told what is wrong with attribute files. `workers`: 0: as many as are right.
checkout::EngineOptions checkout_options(const repo::Repository& repository, const std::string& work_tree,
                                         unsigned workers, Reporter& reporter);

// Which untracked files may be overwritten: core.excludesFile (by default git/ignore in the user's configuration) and
// info/exclude, besides what the worktree itself says.
checkout::IgnoreRules ignore_rules(const repo::Repository& repository, const std::string& work_tree);

// Where filters run, and what they find in their environment.
checkout::FilterPlace filter_place(const repo::Repository& repository, const std::string& work_tree);

}  // namespace pfetch::session
