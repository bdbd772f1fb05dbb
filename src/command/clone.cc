#include "command/clone.h"

#include <fmt/format.h>

#include <ctime>

#include "base/error.h"
#include "command/borrowed_objects.h"
#include "command/clone_publish.h"
#include "command/clone_refs.h"
#include "command/clone_repository.h"
#include "command/clone_settings.h"
#include "command/clone_worktree.h"
#include "repo/date.h"
#include "session/peel.h"
#include "transport/negotiator.h"

namespace pfetch::command {

namespace {

void announce(const CloneSettings& settings, session::Reporter& reporter) {
  const char* kind = settings.request.bare ? "bare repository " : "";
  reporter.say(fmt::format("Cloning into {}'{}'...", kind, settings.directory));
}

void require_complete_source(const CloneSettings& settings, const std::vector<object::Oid>& source_boundary) {
  if (!*settings.request.reject_shallow || settings.request.has_depth() || source_boundary.empty()) return;
  throw Error(ErrorCode::refused, "source repository is shallow, reject to clone.");
}

CloneRefs ask_for_refs(const CloneSettings& settings, transport::FetchSession& server, session::Reporter& reporter) {
  const transport::RemoteRefs advertised = server.refs(ref_prefixes(settings.request, settings.ref_rules));
  for (const std::string& warning : advertised.warnings) reporter.warn(warning);
  CloneRefs refs = choose_refs(settings.request, advertised, settings.ref_rules);
  require_complete_source(settings, server.server_shallow());
  return refs;
}

// Asks for the objects; returns the boundary: where the other side's history is cut, by its own nature or for us.
std::vector<object::Oid> ask_for_objects(const CloneSettings& settings, const CloneRefs& refs,
                                         BorrowedObjects& borrowed, transport::FetchSession& server) {
  const CloneRequest& request = settings.request;
  transport::FetchRequest fetch;
  fetch.wants = refs.wants;
  fetch.depth.depth = request.depth;
  if (request.since) {
    const std::time_t now = std::time(nullptr);
    fetch.depth.since = std::to_string(repo::parse_approxidate(*request.since, now).value_or(now));
  }
  fetch.depth.exclude = request.exclude;
  fetch.include_tag = refs.include_tag;
  fetch.no_progress = !request.progress;
  fetch.thin_pack = true;  // with nothing here no pack can be thin, but some servers want to hear it
  std::unique_ptr<transport::Negotiator> negotiator;
  if (borrowed.any()) {
    negotiator = transport::make_negotiator(transport::NegotiationAlgorithm::consecutive, *borrowed.source(),
                                            {.tips = borrowed.tips(), .known_common = {}, .cuts = {}});
    fetch.negotiator = negotiator.get();
  }
  transport::FetchResponse response = server.request(fetch);
  require_complete_source(settings, response.shallow);
  std::vector<object::Oid> boundary = std::move(response.shallow);
  boundary.insert(boundary.end(), server.server_shallow().begin(), server.server_shallow().end());
  return boundary;
}

session::AcquisitionOptions acquisition_options(const CloneSettings& settings, std::vector<object::Oid> boundary,
                                                BorrowedObjects& borrowed) {
  session::AcquisitionOptions options;
  options.boundary = std::move(boundary);
  options.before = borrowed.before();
  options.workers = settings.request.jobs;
  // As git clone, which asks for a self-contained pack when there is no boundary.
  options.refuse_duplicates = !settings.request.has_depth();
  return options;
}

void report_head(const CloneSettings& settings, const CloneRefs& refs, const std::optional<object::Oid>& head,
                 const repo::Repository& repository, session::Reporter& reporter) {
  if (refs.empty_remote) {
    reporter.warn("You appear to have cloned an empty repository.");
  } else if (refs.head_is_nowhere && settings.request.checks_out()) {
    reporter.warn("remote HEAD refers to nonexistent ref, unable to checkout");
  } else if (head && settings.request.checks_out() && refs.head_branch.empty() &&
             repository.config().get_bool("advice.detachedhead", true)) {
    reporter.say(fmt::format(
        "Note: switching to '{}': HEAD is detached. To keep commits that you make here, give them a branch: "
        "git switch -c <new-branch-name>",
        head->hex()));
  }
}

void count(const pack::IngestCounters& from, CloneOutcome& outcome) {
  outcome.bytes_received = from.bytes_received.load();
  outcome.objects = from.objects_resolved.load();
  outcome.deltas = from.deltas.load();
  outcome.inflated_once = from.inflated_once.load();
  outcome.inflated_again = from.inflated_again.load();
}

void count(const checkout::CheckoutCounters& from, CloneOutcome& outcome) {
  outcome.files = from.files_written.load();
  outcome.bytes_written = from.bytes_written.load();
  outcome.blobs_written_receiving = from.written_receiving.load();
  outcome.blobs_replayed = from.replayed.load();
}

void finish_worktree(CloneWorktree& worktree, const CloneRefs& refs, const object::Oid& head,
                     const repo::Repository& repository, session::StageClock& clock, session::Reporter& reporter,
                     CloneOutcome& outcome) {
  if (worktree.has_filtered()) {
    clock.begin("filter content");
    worktree.run_filters({refs.head_branch, head.hex()});
  }
  clock.begin("finish worktree");
  outcome.collided = worktree.finish();
  if (worktree.complete()) outcome.exit_code = run_post_checkout(repository, head, reporter);
}

}  // namespace

CloneOutcome clone(const CloneRequest& request, const CommandContext& context) {
  session::Reporter& reporter = context.reporter;
  session::StageClock clock(context.progress);
  CloneOutcome outcome;

  clock.begin("connect");
  const CloneSettings settings = read_clone_settings(request, context.environment, reporter);
  announce(settings, reporter);
  const auto server = session::open_session(settings.remote, context.cancel);

  clock.begin("refs");
  const CloneRefs refs = ask_for_refs(settings, *server, reporter);

  // From here on there are directories, which go away again unless the end is reached.
  clock.begin("create repository");
  const auto fresh = create_repository(settings, reporter);
  repo::Repository& repository = fresh->repository();
  configure_repository(settings, refs, repository);
  BorrowedObjects borrowed(settings.request, repository, reporter);

  // An empty repository has nothing to send.
  std::optional<session::Acquisition> acquisition;
  std::optional<CloneWorktree> worktree;
  std::optional<object::Oid> head;
  session::ProgressWatch watch(context.progress);
  if (!refs.wants.empty()) {
    clock.begin("receive");
    const std::vector<object::Oid> boundary = ask_for_objects(settings, refs, borrowed, *server);
    acquisition.emplace(repository, acquisition_options(settings, boundary, borrowed), context.cancel);
    if (refs.head_id && settings.request.checks_out()) {
      worktree.emplace(repository, *refs.head_id, request.jobs, *acquisition, reporter, context.cancel);
    }
    watch.on(acquisition->counters(), worktree ? &worktree->counters() : nullptr);
    acquisition->receive(*server, worktree ? &worktree->sink() : nullptr);
    server->finish();

    clock.begin("prove connected");
    acquisition->prove_connected(refs.wants, reporter);
    if (refs.head_id) head = session::commit_of(acquisition->objects(), *refs.head_id);

    clock.begin("install pack");
    acquisition->install([&worktree] {
      if (worktree) worktree->finish_files();
    });

    // From here on the repository is visible to others.
    clock.begin("publish refs");
    publish_refs(settings, refs, repository, *acquisition);
  }
  publish_head(settings, refs, head, repository);
  report_head(settings, refs, head, repository, reporter);
  if (request.dissociate && borrowed.any()) {
    clock.begin("dissociate");
    borrowed.dissociate(repository);
  }
  if (worktree) finish_worktree(*worktree, refs, *head, repository, clock, reporter, outcome);
  fresh->keep();
  if (worktree) worktree->require_complete();
  clock.end();

  outcome.directory = settings.directory;
  outcome.branch = refs.short_head_branch();
  outcome.head = head ? head->hex() : "";
  outcome.bytes_sent = server->bytes_sent();
  if (acquisition) count(acquisition->counters(), outcome);
  if (worktree) count(worktree->counters(), outcome);
  outcome.seconds = clock.total_seconds();
  outcome.stages = clock.stages();
  return outcome;
}

}  // namespace pfetch::command
