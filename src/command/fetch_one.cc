#include "command/fetch_one.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/process.h"
#include "command/fetch_boundary.h"
#include "command/fetch_prune.h"
#include "command/fetch_publish.h"
#include "command/fetch_refs.h"
#include "command/fetch_report.h"
#include "command/fetch_retrieval.h"
#include "command/fetch_table.h"
#include "command/fetch_upstream.h"
#include "command/prune_boundary.h"
#include "graph/ancestry.h"
#include "graph/commit_table.h"
#include "object/peel.h"
#include "session/holdings.h"
#include "session/remote_settings.h"

namespace pfetch::command {

namespace {

using object::Oid;

class OneFetch {
 public:
  OneFetch(const FetchArguments& arguments, const FetchRemote& remote, const repo::Repository& repository,
           const CommandContext& context, session::StageClock& clock, FetchOutcome& outcome)
      : arguments_(arguments),
        remote_(remote),
        repository_(repository),
        context_(context),
        clock_(clock),
        outcome_(outcome),
        here_(repository),
        branch_(checked_out_branch(repository)),
        rules_(fetch_rules(arguments, remote, branch_upstream(repository.config(), branch_))) {}

  void run() {
    require_sensible_depth(arguments_, here_.boundary());
    // A depth fetch moves the boundary: better to hear now than at the end that it cannot.
    if (arguments_.has_depth() && !arguments_.dry_run) require_free_boundary(repository_);
    connect();
    choose_refs();
    bring_objects();
    decide();
    publish();
    report();
    server_->finish();
    outcome_.bytes_sent += server_->bytes_sent();
  }

 private:
  void connect() {
    clock_.begin("connect");
    session::RemoteRequest request;
    request.url = remote_.url;
    request.service = arguments_.upload_pack.value_or(remote_.upload_pack.value_or(request.service));
    request.server_options = arguments_.server_options.empty() ? remote_.server_options : arguments_.server_options;
    request.remote = remote_.name;
    request.program = "fetch";
    request.ip_version = arguments_.ip_version;
    const session::RemoteSettings settings =
        session::remote_settings(request, repository_.config(), repository_.environment(), context_.reporter);
    packets_ = settings.packets;
    server_ = session::open_session(settings, context_.cancel);
  }

  void choose_refs() {
    clock_.begin("refs");
    if (const auto prefixes = fetch_prefixes(rules_)) advertised_ = server_->refs(*prefixes);
    for (const std::string& warning : advertised_.warnings) context_.reporter.warn(warning);
    FetchRefs chosen = choose_fetch_refs(rules_, advertised_);
    for (const std::string& warning : chosen.warnings) context_.reporter.warn(warning);
    refs_ = std::move(chosen.refs);
    if (rules_.follows_tags()) add_new(refs_, following_tags());
    if (!arguments_.update_head_ok) require_not_checked_out();
  }

  std::vector<FetchedRef> following_tags() {
    std::unordered_set<Oid> fetched;
    for (const FetchedRef& ref : refs_) fetched.insert(ref.id);
    return tags_to_follow(
        advertised_, fetched, [this](const std::string& name) { return here_.has_ref(name); },
        [this](const Oid& id) {
          return (retrieval_ && retrieval_->has_arrived(id)) || here_.objects().contains(id, true);
        });
  }

  void require_not_checked_out() const {
    for (const repo::Worktree& worktree : here_.worktrees()) {
      if (worktree.bare || worktree.head_branch.empty()) continue;
      for (const FetchedRef& ref : refs_) {
        if (ref.local_name != worktree.head_branch) continue;
        throw Error(ErrorCode::refused, fmt::format("refusing to fetch into branch '{}' checked out at '{}'",
                                                    ref.local_name, worktree.path));
      }
    }
  }

  void bring_objects() {
    clock_.begin("receive");
    retrieval_.emplace(arguments_, here_, context_);
    retrieval_->bring(*server_, refs_, {.depth = moves_boundary(), .include_tags = rules_.follows_tags()});
    count(*retrieval_);
    warn_of_truncation(arguments_, here_, *retrieval_, context_.reporter);
    if (rules_.follows_tags()) bring_tags();
  }

  // --deepen counts from the boundary: without one it asks for nothing.
  bool moves_boundary() const { return arguments_.has_depth() && (arguments_.deepen == 0 || here_.boundary().there); }

  // Tags of what has come. With include-tag their objects have come as well; another server is asked once more.
  void bring_tags() {
    std::vector<FetchedRef> tags = following_tags();
    const bool all_here = std::all_of(tags.begin(), tags.end(), [this](const FetchedRef& tag) {
      return retrieval_->has_arrived(tag.id) || here_.objects().contains(tag.id, true);
    });
    if (!all_here) {
      install();
      if (!server_->takes_another_request()) {
        server_->finish();
        connect();
      }
      tag_retrieval_.emplace(arguments_, here_, context_);
      tag_retrieval_->bring(*server_, tags, {.depth = false, .include_tags = false});
      count(*tag_retrieval_);
    }
    for (FetchedRef& tag : tags) tag.is_late = true;
    add_new(refs_, std::move(tags));
  }

  // Makes what has come part of the repository, before any ref names it.
  void install() {
    if (retrieval_->acquisition() == nullptr) return;
    retrieval_->install();
    std::vector<Oid> whole;
    for (const FetchedRef& ref : refs_) whole.push_back(ref.id);
    here_.take_over(whole, retrieval_->edit());
  }

  void decide() {
    clock_.begin("decide");
    verdict_.emplace(arguments_, here_, *retrieval_, refs_);
    for (const std::string& warning : verdict_->warnings()) context_.reporter.warn(warning);
    if (prunes()) {
      const auto& refspecs = rules_.refspecs.empty() ? remote_.refspecs : rules_.refspecs;
      decisions_ = stale_refs(refspecs, advertised_, here_.refs());
    }
    std::vector<Oid> cuts = retrieval_->roots();
    cuts.insert(cuts.end(), retrieval_->server_boundary().begin(), retrieval_->server_boundary().end());
    object::ObjectSource& objects = tag_retrieval_ ? tag_retrieval_->objects() : retrieval_->objects();
    graph::CommitTable graph(objects, cuts);
    UpdateRules rules;
    rules.force = arguments_.force;
    rules.show_forced_updates = shows_forced_updates();
    rules.is_fast_forward = [&](const Oid& old_id, const Oid& new_id) -> std::optional<bool> {
      const auto from = object::commit_behind(objects, old_id);
      const auto to = object::commit_behind(objects, new_id);
      if (!from || !to) return std::nullopt;
      return graph::is_ancestor(graph, *graph.find(*from), *graph.find(*to));
    };
    for (std::size_t i = 0; i < refs_.size(); ++i) {
      if (!verdict_->accepts(i)) continue;
      RefDecision decision = decide_update(refs_[i], here_.ref_id(refs_[i].local_name), rules);
      if (decision.for_merge == ForMerge::yes && !object::commit_behind(objects, decision.new_id))
        decision.for_merge = ForMerge::no;
      decision.new_is_commit = retrieval_->brought_commit(decision.new_id);
      decisions_.push_back(std::move(decision));
    }
  }

  bool shows_forced_updates() const {
    return arguments_.show_forced_updates.value_or(repository_.config().get_bool("fetch.showforcedupdates", true));
  }

  bool prunes() const {
    const repo::Config& config = repository_.config();
    return arguments_.prune.value_or(remote_.prune.value_or(config.get_bool("fetch.prune", false)));
  }

  bool prunes_boundary() const {
    return arguments_.prune_shallow.value_or(repository_.config().get_bool("fetch.pruneshallow", false));
  }

  void publish() {
    clock_.begin("publish");
    if (arguments_.dry_run || (arguments_.atomic && is_rejected())) return;
    PublishOptions options;
    options.atomic = arguments_.atomic;
    options.reflog = base::environment_variable("GIT_REFLOG_ACTION").value_or(arguments_.words);
    options.shallow_wait_ms = shallow_wait_ms(repository_.config());
    const shallow::ShallowEdit edit = verdict_->edit(decisions_);
    retrieval_->install();
    if (tag_retrieval_) tag_retrieval_->install();
    forget_what_is_done();
    published_ = publish_fetch(decisions_, edit, here_, options, context_.reporter);
    retrieval_->release();
    if (tag_retrieval_) tag_retrieval_->release();
    outcome_.roots_added.insert(outcome_.roots_added.end(), edit.add.begin(), edit.add.end());
    outcome_.roots_removed.insert(outcome_.roots_removed.end(), edit.remove.begin(), edit.remove.end());
    if (prunes_boundary()) {
      for (const Oid& root : prune_boundary(repository_, options.shallow_wait_ms))
        outcome_.roots_removed.push_back(root);
    }
    if (arguments_.write_fetch_head) {
      write_fetch_head(repository_, fetch_head_lines(decisions_, shown_url(remote_.url)), arguments_.append);
    }
  }

  // With very many refs, room for their transaction.
  void forget_what_is_done() {
    retrieval_->forget_pack();
    if (tag_retrieval_) tag_retrieval_->forget_pack();
    advertised_ = {};
    if (!arguments_.set_upstream) refs_ = {};
  }

  void report() {
    if (!arguments_.porcelain) {
      for (const std::string& line : report_lines(decisions_, arguments_, remote_, here_)) context_.reporter.say(line);
    }
    if (!shows_forced_updates() && repository_.config().get_bool("advice.fetchshowforcedupdates", true)) {
      context_.reporter.warn(
          "nobody looks whether updates are forced here (fetch.showForcedUpdates); --show-forced-updates does");
    }
    if (arguments_.set_upstream && !arguments_.dry_run && !is_rejected()) {
      set_upstream(refs_, remote_, branch_, repository_, context_.reporter);
    }
    explain_long_history(arguments_, here_, *retrieval_, context_.reporter);
    if (is_rejected() || !published_.ok) outcome_.exit_code = 1;
    if (published_.has_name_conflict) {
      context_.reporter.complain(
          fmt::format("some refs stand in the way of others here; 'pfetch fetch --prune {}' removes those that the "
                      "other side has no longer",
                      remote_.name));
    }
    outcome_.remotes.push_back({remote_.name, shown_url(remote_.url), std::move(decisions_), verdict_->explanation()});
  }

  bool is_rejected() const {
    return std::any_of(decisions_.begin(), decisions_.end(),
                       [](const RefDecision& decision) { return decision.kind == UpdateKind::rejected; });
  }

  void count(FetchRetrieval& retrieval) {
    if (retrieval.acquisition() == nullptr) return;
    outcome_.bytes_received += retrieval.acquisition()->counters().bytes_received.load();
    outcome_.objects += retrieval.acquisition()->counters().objects_resolved.load();
  }

  const FetchArguments& arguments_;
  const FetchRemote& remote_;
  const repo::Repository& repository_;
  const CommandContext& context_;
  session::StageClock& clock_;
  FetchOutcome& outcome_;
  session::Holdings here_;
  const std::string branch_;  // "main"; empty: detached
  const FetchRules rules_;
  std::shared_ptr<transport::PacketTrace> packets_;
  std::unique_ptr<transport::FetchSession> server_;
  transport::RemoteRefs advertised_;
  std::vector<FetchedRef> refs_;
  std::optional<FetchRetrieval> retrieval_;
  std::optional<FetchRetrieval> tag_retrieval_;
  std::optional<BoundaryVerdict> verdict_;
  std::vector<RefDecision> decisions_;
  Published published_;
};

}  // namespace

void fetch_one(const FetchArguments& arguments, const FetchRemote& remote, const repo::Repository& repository,
               const CommandContext& context, session::StageClock& clock, FetchOutcome& outcome) {
  OneFetch(arguments, remote, repository, context, clock, outcome).run();
}

}  // namespace pfetch::command
