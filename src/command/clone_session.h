// The steps of a clone, in the order in which command/clone tells them. One object per clone; not thread safe (each
// step runs its own threads).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/clone.h"
#include "command/clone_refs.h"
#include "pack/ingest.h"
#include "session/combined_source.h"
#include "session/connectivity.h"
#include "session/fresh_repository.h"
#include "session/fsck_sink.h"
#include "session/remote_settings.h"
#include "store/reader.h"

namespace pfetch::command {

class CloneSession {
 public:
  CloneSession(const CloneRequest& request, const CommandContext& context);
  ~CloneSession();

  // Nothing is created yet.
  void read_settings();
  void connect();
  void choose();

  // From here on there are directories, which go away again unless `keep` is reached.
  void create_repository();
  void configure_repository();
  void borrow_objects();
  bool anything_to_receive() const { return !refs_.wants.empty(); }
  void receive();
  void prove_connected();
  void install();

  // From here on the repository is visible to others.
  void publish_refs();
  void finish_worktree();
  void keep();
  void require_filtered();

  CloneOutcome outcome();

 private:
  void require_usable();
  void require_source();
  transport::FetchRequest fetch_request();
  std::vector<object::Oid> borrowed_tips() const;
  void borrow(const std::string& reference, bool must);
  void prepare_worktree();
  void report_head();
  void run_filters();
  void report_filters(const std::vector<checkout::FilterFailure>& failures);
  void run_post_checkout();
  void write_boundary();
  void set_head();
  void dissociate();
  std::vector<object::Oid> boundary_met() const;
  object::Oid commit_of(const object::Oid& id);
  std::optional<object::Oid> peeled(const object::Oid& id);
  bool checks_out() const;

  CloneRequest request_;
  const CommandContext& context_;
  session::StageClock clock_;
  CloneOutcome outcome_;

  std::string directory_;
  std::string source_url_;  // as it is configured and named in reflogs
  session::RemoteSettings remote_;
  repo::Config early_config_;  // before there is a repository
  repo::Environment environment_;
  std::unique_ptr<transport::FetchSession> server_;
  transport::RemoteRefs advertised_;
  CloneRefs refs_;
  transport::FetchResponse response_;

  std::unique_ptr<session::FreshRepository> fresh_;
  std::vector<std::string> borrowed_;  // "objects" directories
  std::unique_ptr<store::Reader> borrowed_objects_;
  std::unique_ptr<transport::Negotiator> negotiator_;

  std::unique_ptr<pack::Ingest> ingest_;
  std::unique_ptr<session::CombinedSource> objects_;
  std::unique_ptr<session::Connectivity> connectivity_;
  std::unique_ptr<session::FsckSink> fsck_;
  std::unique_ptr<checkout::Engine> engine_;
  std::size_t files_lost_ = 0;  // a required filter failed at them
};

}  // namespace pfetch::command
