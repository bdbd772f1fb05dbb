// Brings the objects that refs of the other side need and that are not here: decides what to ask for, asks, takes the
// pack in and proves that all is connected. Nothing of the repository changes before `install`.
//
// One per conversation and request. One thread.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "command/command_context.h"
#include "command/fetch_arguments.h"
#include "command/fetch_refs.h"
#include "session/acquisition.h"
#include "session/holdings.h"
#include "shallow/shallow_file.h"
#include "transport/fetch_session.h"

namespace pfetch::command {

class FetchRetrieval {
 public:
  // All must outlive this.
  FetchRetrieval(const FetchArguments& arguments, session::Holdings& here, const CommandContext& context)
      : arguments_(arguments), here_(here), context_(context) {}

  struct Asked {
    bool depth = true;  // with what the arguments say of the boundary; false: as a plain fetch
    bool include_tags = false;
  };
  // Brings what `refs` need; with ref-in-want the server has the last word on their ids. Throws ErrorCode::corrupt when
  // something is missing in the end.
  void bring(transport::FetchSession& server, std::vector<FetchedRef>& refs, const Asked& asked);

  // Makes what has come part of the repository, once; a pack is kept from every repack until `release`, which is to be
  // called when refs hold its objects.
  void install();
  void release();
  // Frees what is known of the pack; only to be called when it is installed. `has_arrived` then says no.
  void forget_pack() { acquisition_.reset(); }

  // What was here and what has come.
  object::ObjectSource& objects();
  bool has_arrived(const object::Oid& id) const { return acquisition_ && acquisition_->has_arrived(id); }
  bool brought_commit(const object::Oid& id) const {
    return acquisition_ && acquisition_->kind_of(id) == object::Kind::commit;
  }
  const session::Acquisition* acquisition() const { return acquisition_ ? &*acquisition_ : nullptr; }

  // How the server moves our boundary, as it was asked to. Of what it adds, only commits that are here.
  const shallow::ShallowEdit& edit() const { return edit_; }
  // The server's own boundary, which a plain fetch may run into.
  const std::vector<object::Oid>& server_boundary() const { return server_boundary_; }
  // Whether one of those commits was here before the pack came.
  bool had_root(const object::Oid& id) const { return had_roots_.contains(id); }
  // Our boundary with the edit.
  std::vector<object::Oid> roots() const;
  // Of a plain fetch: how many commits came that are older than each of our roots.
  std::size_t commits_before_boundary() const { return older_commits_; }

 private:
  std::vector<object::Oid> missing_of(const std::vector<FetchedRef>& refs, bool with_depth);
  std::vector<object::Oid> not_whole(const std::vector<object::Oid>& wants);
  bool is_whole(const object::Oid& id, const std::unordered_set<object::Oid>& boundary);
  std::vector<object::Oid> not_exact(const std::vector<object::Oid>& wants);
  transport::FetchRequest request_for(const std::vector<object::Oid>& wants, bool with_depth);
  static void ask_by_name(const std::vector<FetchedRef>& refs, transport::FetchRequest& request);
  void take_boundary(transport::FetchSession& server, transport::FetchResponse& response, bool with_depth);
  void take_pack(transport::FetchSession& server, const std::vector<object::Oid>& wants);
  std::optional<std::int64_t> oldest_root_date();
  void expect_parents(const object::Oid& uncovered);

  const FetchArguments& arguments_;
  session::Holdings& here_;
  const CommandContext& context_;
  std::vector<object::Oid> similar_;  // what refs pointed to before
  std::optional<session::Before> before_;
  std::optional<session::Acquisition> acquisition_;
  std::optional<session::Installed> installed_;
  shallow::ShallowEdit edit_;
  std::vector<object::Oid> server_boundary_;
  std::unordered_set<object::Oid> had_roots_;
  std::size_t older_commits_ = 0;
};

}  // namespace pfetch::command
