#include "command/fetch_retrieval.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <ctime>

#include "base/error.h"
#include "command/negotiation.h"
#include "object/commit_view.h"
#include "object/peel.h"
#include "repo/date.h"
#include "shallow/depth_window.h"

namespace pfetch::command {

namespace {

using object::Oid;

transport::DepthSpec depth_spec(const FetchArguments& arguments) {
  transport::DepthSpec spec;
  spec.depth = arguments.unshallow ? INT_MAX : arguments.deepen > 0 ? arguments.deepen : arguments.depth;
  spec.relative = arguments.deepen > 0;
  if (arguments.since) {
    const std::time_t now = std::time(nullptr);
    spec.since = std::to_string(repo::parse_approxidate(*arguments.since, now).value_or(now));
  }
  spec.exclude = arguments.exclude;
  return spec;
}

constexpr std::uint32_t unpack_limit_by_default = 100;

// What is below 0 counts as not set.
std::uint32_t unpack_limit(const repo::Config& config) {
  for (const char* key : {"fetch.unpacklimit", "transfer.unpacklimit"}) {
    const std::int64_t limit = config.get_int(key, -1);
    if (limit >= 0) return static_cast<std::uint32_t>(std::min<std::int64_t>(limit, UINT32_MAX));
  }
  return unpack_limit_by_default;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// Counts the commits of a pack that are older than a date.
class OlderCommits final : public object::ObjectSink {
 public:
  explicit OlderCommits(std::int64_t date) : date_(date) {}
  void accept(const object::ResolvedObject& resolved) override {
    if (resolved.kind != object::Kind::commit) return;
    if (object::CommitView(resolved.id, resolved.bytes.view()).committer_date() < date_) ++count_;
  }
  std::size_t count() const { return count_.load(); }

 private:
  const std::int64_t date_;  // seconds since the epoch
  std::atomic<std::size_t> count_{0};
};

// With more roots than this nobody can say where the boundary lies in time.
constexpr std::size_t dated_roots_max = 1000;

}  // namespace

object::ObjectSource& FetchRetrieval::objects() {
  if (acquisition_) return acquisition_->objects();
  return here_.objects();
}

std::vector<Oid> FetchRetrieval::roots() const {
  return shallow::merged(here_.boundary().roots, edit_);
}

void FetchRetrieval::bring(transport::FetchSession& server, std::vector<FetchedRef>& refs, const Asked& asked) {
  for (const FetchedRef& ref : refs) {
    const Oid old_id = ref.local_name.empty() ? Oid() : here_.ref_id(ref.local_name);
    if (!old_id.is_null()) similar_.push_back(old_id);
  }
  const std::vector<Oid> wants = missing_of(refs, asked.depth);
  if (wants.empty()) return;
  transport::FetchRequest request = request_for(wants, asked.depth);
  request.include_tag = asked.include_tags;
  if (server.capabilities().has_word("fetch", "ref-in-want")) ask_by_name(refs, request);
  const auto negotiator = arguments_.refetch ? nullptr : make_negotiator(arguments_, here_, refs, context_.reporter);
  request.negotiator = negotiator.get();
  transport::FetchResponse response = server.request(request);
  std::vector<Oid> tips = request.wants;
  for (const auto& [name, id] : response.wanted_refs) {
    tips.push_back(id);
    for (FetchedRef& ref : refs) {
      if (ref.remote_name == name) ref.id = id;
    }
  }
  take_boundary(server, response, asked.depth);
  take_pack(server, tips);
}

// A ref that moves between the list and the request is then had as it is, and not refused.
void FetchRetrieval::ask_by_name(const std::vector<FetchedRef>& refs, transport::FetchRequest& request) {
  std::unordered_set<Oid> by_name;
  std::unordered_set<std::string_view> names;
  for (const FetchedRef& ref : refs) {
    if (ref.by_id || !std::binary_search(request.wants.begin(), request.wants.end(), ref.id)) continue;
    by_name.insert(ref.id);
    if (names.insert(ref.remote_name).second) request.want_refs.push_back(ref.remote_name);
  }
  for (const FetchedRef& ref : refs) {
    if (ref.by_id) by_name.erase(ref.id);
  }
  std::erase_if(request.wants, [&](const Oid& id) { return by_name.contains(id); });
}

// What has to be asked for.
std::vector<Oid> FetchRetrieval::missing_of(const std::vector<FetchedRef>& refs, bool with_depth) {
  std::vector<Oid> wants;
  wants.reserve(refs.size());
  for (const FetchedRef& ref : refs) wants.push_back(ref.id);
  wants = object::sorted_unique(std::move(wants));
  if (arguments_.refetch) return wants;
  return with_depth ? not_exact(wants) : not_whole(wants);
}

std::vector<Oid> FetchRetrieval::not_whole(const std::vector<Oid>& wants) {
  std::vector<Oid> missing;
  std::vector<Oid> doubtful;
  for (const Oid& id : wants) {
    if (here_.is_tip(id)) continue;
    (here_.objects().contains(id, true) ? doubtful : missing).push_back(id);
  }
  if (doubtful.empty()) return missing;
  const std::vector<bool> reached = here_.history().reachability().reached(here_.tips(), doubtful);
  const std::unordered_set<Oid> boundary(here_.boundary().roots.begin(), here_.boundary().roots.end());
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    if (!reached[i] && !is_whole(doubtful[i], boundary)) missing.push_back(doubtful[i]);
  }
  return missing;
}

// With --depth N: the tips for which the same answer would change something. Levels count over all tips together, so
// for more than one level either all are asked for or none: a server that hears of some would cut the others short.
std::vector<Oid> FetchRetrieval::not_exact(const std::vector<Oid>& wants) {
  const bool counts_levels =
      arguments_.depth > 0 && arguments_.depth < INT_MAX && !arguments_.since && arguments_.exclude.empty();
  if (!counts_levels || !here_.boundary().there) return wants;
  std::vector<Oid> others;  // not exact, as far as their ids tell
  std::vector<Oid> commits;
  for (const Oid& id : wants) {
    const bool may_be_commit = here_.objects().contains(id, true);
    const auto commit = here_.boundary().has(id) ? std::optional(id)
                        : may_be_commit          ? object::commit_behind(here_.objects(), id)
                                                 : std::nullopt;
    if (commit) commits.push_back(*commit);
    const bool is_exact = here_.is_tip(id) && (!commit || arguments_.depth > 1 || here_.boundary().has(*commit));
    if (!is_exact) others.push_back(id);
  }
  if (arguments_.depth == 1) return others;
  if (!others.empty()) return wants;
  const bool exact = shallow::depth_window(here_.history().graph(), here_.boundary(), commits, arguments_.depth).exact;
  return exact ? std::vector<Oid>() : wants;
}

// An object that is here though no ref reaches it: it may lack anything.
bool FetchRetrieval::is_whole(const Oid& id, const std::unordered_set<Oid>& boundary) {
  const auto info = here_.objects().info(id);
  if (!info) return false;
  const session::Before before = here_.before();
  const session::Closure::ArrivedKind nothing_arrived = [](const Oid&) { return std::nullopt; };
  try {
    session::Closure(before, here_.objects(), boundary, nothing_arrived).prove({{id, info->kind, {}}}, {});
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
    return false;
  }
}

transport::FetchRequest FetchRetrieval::request_for(const std::vector<Oid>& wants, bool with_depth) {
  transport::FetchRequest request;
  request.wants = wants;
  request.shallow = here_.boundary().roots;
  if (with_depth) request.depth = depth_spec(arguments_);
  request.thin_pack = true;
  request.no_progress = !arguments_.progress;
  return request;
}

// The server's word on the boundary comes before the pack.
void FetchRetrieval::take_boundary(transport::FetchSession& server, transport::FetchResponse& response,
                                   bool with_depth) {
  if (!with_depth && response.unshallow.empty()) {
    server_boundary_ = std::move(response.shallow);
    server_boundary_.insert(server_boundary_.end(), server.server_shallow().begin(), server.server_shallow().end());
    for (const Oid& id : server_boundary_) {
      if (here_.objects().contains(id)) had_roots_.insert(id);
    }
    return;
  }
  for (const Oid& id : response.unshallow) {
    if (here_.boundary().has(id)) continue;
    throw Error(ErrorCode::protocol, "no shallow found: the server uncovers " + id.hex() + ", which is no root here");
  }
  edit_ = {std::move(response.shallow), std::move(response.unshallow)};
}

void FetchRetrieval::install() {
  if (!acquisition_ || installed_) return;
  installed_.emplace(acquisition_->install({}));
}

void FetchRetrieval::release() {
  installed_.reset();
}

void FetchRetrieval::take_pack(transport::FetchSession& server, const std::vector<Oid>& wants) {
  before_.emplace(here_.before());
  before_->similar = similar_;
  session::AcquisitionOptions options;
  options.boundary = roots();
  options.boundary.insert(options.boundary.end(), server_boundary_.begin(), server_boundary_.end());
  options.before = &*before_;
  options.workers = arguments_.jobs;
  options.unpack_limit = arguments_.keep ? 0 : unpack_limit(here_.repository().config());
  options.keep_message = "fetch-pack " + std::to_string(::getpid()) + " on " + host_name();
  acquisition_.emplace(here_.repository(), options, context_.cancel);
  session::ProgressWatch watch(context_.progress);
  watch.on(acquisition_->counters(), nullptr);
  const auto oldest = arguments_.has_depth() ? std::nullopt : oldest_root_date();
  OlderCommits older(oldest.value_or(0));
  acquisition_->receive(server, oldest ? &older : nullptr);
  older_commits_ = older.count();
  for (const Oid& id : edit_.remove) expect_parents(id);
  acquisition_->prove_connected(wants, context_.reporter);
  // A root that is not here would be a hole: the server means commits of a history that nobody asked for.
  std::erase_if(edit_.add, [this](const Oid& id) { return !has_arrived(id) && !here_.objects().contains(id); });
}

std::optional<std::int64_t> FetchRetrieval::oldest_root_date() {
  const std::vector<Oid>& roots = here_.boundary().roots;
  if (roots.empty() || roots.size() > dated_roots_max) return std::nullopt;
  std::optional<std::int64_t> oldest;
  for (const Oid& root : roots) {
    const auto position = here_.history().graph().find(root);
    if (!position) continue;
    const std::int64_t date = here_.history().graph().date(*position);
    if (!oldest || date < *oldest) oldest = date;
  }
  return oldest;
}

// History goes on behind a commit that was a root.
void FetchRetrieval::expect_parents(const Oid& uncovered) {
  const auto commit = objects().read(uncovered);
  if (!commit || commit->kind != object::Kind::commit) return;
  const object::CommitView view(uncovered, commit->bytes.view());
  for (const Oid parent : view.parents()) {
    acquisition_->expect(parent, object::Kind::commit, uncovered);
  }
}

}  // namespace pfetch::command
