// The file system: each request is counted, waits in the delay queue, and is then carried out in the backing directory,
// or fails on purpose. The thread that takes requests from the kernel never sleeps in one.
#pragma once

#include <functional>

#include "tests/support/latency_fs/delay_queue.h"
#include "tests/support/latency_fs/faults.h"
#include "tests/support/latency_fs/fuse.h"
#include "tests/support/latency_fs/node_table.h"
#include "tests/support/latency_fs/options.h"

namespace latency_fs {

class FileSystem {
 public:
  // Throws std::system_error when the backing directory cannot be opened.
  explicit FileSystem(const Options& options);

  // To be given to fuse_session_new together with the FileSystem.
  static const fuse_lowlevel_ops operations;
  const Counters& counters() const { return counters_; }

  // What the handlers use.
  static FileSystem& of(fuse_req_t request) { return *static_cast<FileSystem*>(fuse_req_userdata(request)); }
  // Carries `work` out after the delay of `operation`; it answers the request. `name` is below `inode`, or null.
  void later(Operation operation, fuse_req_t request, fuse_ino_t inode, const char* name, std::function<void()> work);
  NodeTable& nodes() { return nodes_; }
  Counters& mutable_counters() { return counters_; }
  const Options& options() const { return options_; }
  // Answers with what `name` below `parent` is; `file` when it was created and opened.
  void reply_entry(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_file_info* file = nullptr);
  void reply_attributes(fuse_req_t request, fuse_ino_t inode);

 private:
  void round_times(struct stat& stat) const;

  const Options options_;
  Counters counters_;
  Faults faults_;
  NodeTable nodes_;
  DelayQueue queue_;  // last: its threads use all of the above
};

}  // namespace latency_fs
