#include "command/clone_session.h"

#include <fmt/format.h>

#include <ctime>

#include "base/error.h"
#include "base/fd.h"
#include "repo/config_file.h"
#include "repo/date.h"
#include "repo/paths.h"
#include "repo/refs.h"
#include "session/checkout_setup.h"
#include "session/ingest_setup.h"
#include "shallow/shallow_file.h"
#include "transport/http_url.h"

namespace pfetch::command {

CloneSession::CloneSession(const CloneRequest& request, const CommandContext& context)
    : request_(request), context_(context), clock_(context.progress), environment_(context.environment) {}

CloneSession::~CloneSession() {
  context_.progress.watch(nullptr, nullptr);
}

bool CloneSession::checks_out() const {
  return !request_.bare && !request_.no_checkout && refs_.head_id.has_value();
}

void CloneSession::read_settings() {
  clock_.begin("connect");
  for (const std::string& setting : request_.config) environment_.add_override(setting);
  early_config_ = repo::Config::load(environment_);
  if (request_.origin.empty()) request_.origin = early_config_.get("clone.defaultremotename", "origin");
  if (!request_.reject_shallow) request_.reject_shallow = early_config_.get_bool("clone.rejectshallow", false);
  require_usable();
  directory_ = request_.directory.value_or(directory_from_url(request_.url, request_.bare));
  while (directory_.size() > 1 && directory_.back() == '/') directory_.pop_back();
  session::require_absent_or_empty(directory_);
  if (request_.separate_git_dir) session::require_absent_or_empty(*request_.separate_git_dir);
  require_source();
  source_url_ = base::path_exists(request_.url) ? repo::absolute_path(request_.url) : request_.url;
  remote_ =
      session::remote_settings({source_url_, request_.upload_pack, request_.server_options, request_.origin, "clone"},
                               early_config_, environment_, context_.reporter);
  if (remote_.url.scheme == transport::Scheme::path && request_.has_depth() && !request_.no_local) {
    context_.reporter.say("note: depth is honoured for a local path (git clone would ignore it)");
  }
}

void CloneSession::require_source() {
  const transport::Url url = transport::parse_url(request_.url, base::path_exists);
  if (url.scheme != transport::Scheme::path) return;
  if (!base::path_exists(request_.url) && !base::path_exists(request_.url + ".git")) {
    throw Error(ErrorCode::not_found, "repository '" + request_.url + "' does not exist");
  }
  if (base::path_exists(request_.url) && !base::is_directory(request_.url)) {
    std::string start;
    base::read_file_if_there(request_.url, start);
    if (!start.starts_with("gitdir: ")) {
      throw Error(ErrorCode::unsupported,
                  "'" + request_.url + "' is a file: cloning from a bundle is not supported yet");
    }
  }
}

void CloneSession::require_usable() {
  if (request_.depth < 0) throw Error(ErrorCode::refused, "depth must be a positive number");
  if (request_.revision && (request_.branch || request_.mirror)) {
    throw Error(ErrorCode::refused, std::string("options '--revision' and '--") +
                                        (request_.branch ? "branch" : "mirror") + "' cannot be used together");
  }
  if (request_.bare && request_.separate_git_dir) {
    throw Error(ErrorCode::refused, "options '--bare' and '--separate-git-dir' cannot be used together");
  }
  if (!transport::is_valid_ref_name("refs/remotes/" + request_.origin + "/test")) {
    throw Error(ErrorCode::refused, "'" + request_.origin + "' is not a valid remote name");
  }
}

void CloneSession::connect() {
  context_.reporter.say(fmt::format("Cloning into {}'{}'...", request_.bare ? "bare repository " : "", directory_));
  server_ = session::open_session(remote_, context_.cancel);
}

void CloneSession::choose() {
  clock_.begin("refs");
  advertised_ = server_->refs(ref_prefixes(request_));
  for (const std::string& warning : advertised_.warnings) context_.reporter.warn(warning);
  refs_ = choose_refs(request_, advertised_, repo::default_branch(early_config_));
  if (*request_.reject_shallow && !request_.has_depth() && !server_->server_shallow().empty()) {
    throw Error(ErrorCode::refused, "source repository is shallow, reject to clone.");
  }
}

void CloneSession::create_repository() {
  clock_.begin("create repository");
  repo::InitOptions init;
  init.directory = directory_;
  init.bare = request_.bare;
  init.template_dir = request_.template_directory;
  if (environment_.work_tree && !request_.bare) {  // then the directory is the repository, without ".git" below it
    init.work_tree = repo::absolute_path(*environment_.work_tree);
    init.directory_is_git_dir = true;
  }
  if (request_.separate_git_dir) init.separate_git_dir = repo::absolute_path(*request_.separate_git_dir);
  fresh_ = std::make_unique<session::FreshRepository>(init, environment_);
  for (const std::string& warning : fresh_->warnings()) context_.reporter.warn(warning);
}

void CloneSession::configure_repository() {
  repo::Repository& repository = fresh_->repository();
  repo::ConfigFileEdit edit(repository.common_dir() + "/config");
  for (const std::string& setting : request_.config) {
    const auto equals = setting.find('=');
    edit.add(setting.substr(0, equals),
             equals == std::string::npos ? std::nullopt : std::optional<std::string>(setting.substr(equals + 1)));
  }
  const std::string remote = "remote." + request_.origin;
  edit.set(remote + ".url", transport::without_secrets(source_url_));
  for (const std::string& refspec : refs_.refspecs) edit.add(remote + ".fetch", refspec);
  if (request_.mirror) edit.set(remote + ".mirror", "true");
  if (!request_.tags) edit.set(remote + ".tagopt", "--no-tags");
  if (!request_.bare && !refs_.head_branch.empty() && !refs_.head_remote_branch.empty()) {
    const std::string branch = "branch." + refs_.head_branch.substr(std::string_view("refs/heads/").size());
    edit.set(branch + ".remote", request_.origin);
    edit.set(branch + ".merge", refs_.head_remote_branch);
    const std::string rebase = early_config_.get("branch.autosetuprebase", "never");
    if (rebase == "always" || rebase == "remote") edit.set(branch + ".rebase", "true");
  }
  edit.commit();
  repository.reload_config();
}

transport::FetchRequest CloneSession::fetch_request() {
  transport::FetchRequest fetch;
  fetch.wants = refs_.wants;
  fetch.depth.depth = request_.depth;
  if (request_.since) {
    const std::time_t now = std::time(nullptr);
    fetch.depth.since = std::to_string(repo::parse_approxidate(*request_.since, now).value_or(now));
  }
  fetch.depth.exclude = request_.exclude;
  fetch.include_tag = refs_.include_tag;
  fetch.thin_pack = true;  // with nothing here no pack can be thin, but some servers want to hear it
  fetch.no_progress = !request_.progress;
  if (!borrowed_.empty()) {
    negotiator_ = std::make_unique<transport::ConsecutiveNegotiator>(*borrowed_objects_, borrowed_tips());
    fetch.negotiator = negotiator_.get();
  }
  return fetch;
}

void CloneSession::receive() {
  clock_.begin("receive");
  repo::Repository& repository = fresh_->repository();
  const repo::Config& config = repository.config();
  response_ = server_->request(fetch_request());
  if (*request_.reject_shallow && !request_.has_depth() && !response_.shallow.empty()) {
    throw Error(ErrorCode::refused, "source repository is shallow, reject to clone.");
  }
  pack::IngestOptions options;
  options.pack_directory = repository.objects_dir() + "/pack";
  options.workers = request_.jobs;
  session::configure_ingest(config, options);
  options.thin_bases = borrowed_objects_.get();
  options.refuse_duplicates = !request_.has_depth();  // as git clone, which then asks for a self-contained pack
  ingest_ = std::make_unique<pack::Ingest>(options, context_.cancel);
  pack::ArrivingPack& arriving = ingest_->pack();
  objects_ = std::make_unique<session::CombinedSource>(arriving, borrowed_objects_.get());

  std::vector<object::Oid> boundary = response_.shallow;
  boundary.insert(boundary.end(), server_->server_shallow().begin(), server_->server_shallow().end());
  connectivity_ = std::make_unique<session::Connectivity>(
      boundary, [&arriving](const object::Oid& id) { return arriving.kind_of(id); });
  std::vector<object::ObjectSink*> sinks = {connectivity_.get()};
  if (session::checks_fetched_objects(config)) {
    fsck_ = std::make_unique<session::FsckSink>(session::fsck_rules(config, "fetch"));
    sinks.push_back(fsck_.get());
  }
  if (checks_out()) {
    prepare_worktree();
    sinks.push_back(engine_.get());
  }
  context_.progress.watch(&ingest_->counters(), engine_ ? &engine_->counters() : nullptr);
  ingest_->run(server_->pack(), sinks);
  server_->finish();
}

void CloneSession::prepare_worktree() {
  repo::Repository& repository = fresh_->repository();
  std::vector<std::string> warnings;
  checkout::EngineOptions options =
      session::checkout_options(repository, *repository.work_tree(), request_.jobs, warnings);
  for (const std::string& warning : warnings) context_.reporter.warn(warning);
  pack::ArrivingPack& arriving = ingest_->pack();
  engine_ = std::make_unique<checkout::Engine>(
      std::move(options), *refs_.head_id,
      checkout::EngineContext{
          *objects_, [&arriving](const object::Oid& id) { return arriving.kind_of(id).has_value(); }, context_.cancel});
}

void CloneSession::prove_connected() {
  clock_.begin("prove connected");
  connectivity_->prove(refs_.wants, borrowed_objects_.get(), borrowed_tips());
  if (fsck_) {
    fsck_->finish(*objects_);
    for (const std::string& warning : fsck_->warnings()) context_.reporter.warn(warning);
  }
}

}  // namespace pfetch::command
