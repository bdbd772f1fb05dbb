// The files of a clone: written while the pack arrives, finished when it is proven.
//
// The sink is called from many threads, everything else from one.
#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "checkout/engine.h"
#include "repo/repository.h"
#include "session/acquisition.h"
#include "session/reporter.h"

namespace pfetch::command {

class CloneWorktree {
 public:
  // `head` is the commit that is checked out, or a tag that leads to it. All must outlive this.
  CloneWorktree(const repo::Repository& repository, const object::Oid& head, unsigned workers,
                session::Acquisition& acquisition, session::Reporter& reporter, base::Cancellation& cancel);

  object::ObjectSink& sink() { return engine_; }
  const checkout::CheckoutCounters& counters() const { return engine_.counters(); }

  // Files that had to wait for something else. May run beside the installation of the pack.
  void finish_files() { engine_.finish_files(); }
  bool has_filtered() const { return engine_.has_filtered(); }
  // Runs the filters of the files that have some (gitattributes), and reports what they failed at.
  void run_filters(const checkout::FilterOrigin& origin);
  // Symlinks and the index. Returns the paths that share a name on this file system, which it has reported, too.
  std::vector<std::string> finish();
  // Whether all files are there: no required filter failed.
  bool complete() const { return files_lost_ == 0; }
  // Throws when not, with the cure. The clone is to stay then.
  void require_complete() const;

 private:
  const repo::Repository& repository_;
  session::Reporter& reporter_;
  checkout::Engine engine_;
  std::size_t files_lost_ = 0;  // a required filter failed at them
};

// The exit status of the post-checkout hook, 0 without one.
int run_post_checkout(const repo::Repository& repository, const object::Oid& head, session::Reporter& reporter);

}  // namespace pfetch::command
