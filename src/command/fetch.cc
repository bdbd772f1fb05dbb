#include "command/fetch.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "command/fetch_maintenance.h"
#include "command/fetch_one.h"
#include "command/fetch_upstream.h"
#include "repo/repository.h"

namespace pfetch::command {

namespace {

struct Exclusive {
  const char* first;
  const char* second;
};

void require_usable(const FetchArguments& arguments) {
  const auto exclude = [](bool both, const Exclusive& options) {
    if (!both) return;
    throw Error(ErrorCode::refused,
                std::string("options '") + options.first + "' and '" + options.second + "' cannot be used together");
  };
  exclude(arguments.deepen > 0 && arguments.depth > 0, {"--deepen", "--depth"});
  exclude(arguments.unshallow && arguments.depth > 0, {"--depth", "--unshallow"});
  exclude(arguments.unshallow && arguments.deepen > 0, {"--deepen", "--unshallow"});
  if (arguments.all && (!arguments.remote.empty())) {
    const bool has_refspecs = !arguments.refspecs.empty();
    throw Error(ErrorCode::refused, has_refspecs ? "fetch --all does not make sense with refspecs"
                                                 : "fetch --all does not take a repository argument");
  }
}

// The remotes that are meant, and whether they are several.
struct Sources {
  std::vector<std::string> names;
  bool several = false;
  bool are_named = true;  // by the user, or as that of the branch; a URL or a path will do then
};

void add_remote_or_group(const repo::Config& config, const std::string& name, std::vector<std::string>& names) {
  std::optional<std::vector<std::string>> group = remote_group(config, name);
  if (!group) {
    const std::vector<std::string> remotes = config.subsections("remote");
    if (std::find(remotes.begin(), remotes.end(), name) == remotes.end()) {
      throw Error(ErrorCode::not_found, "no such remote or remote group: " + name);
    }
    group = {name};
  }
  for (std::string& member : *group) {
    if (std::find(names.begin(), names.end(), member) == names.end()) names.push_back(std::move(member));
  }
}

Sources choose_sources(const FetchArguments& arguments, const repo::Repository& repository) {
  const repo::Config& config = repository.config();
  if (arguments.all) {
    std::vector<std::string> names = all_remotes(config);
    const bool several = names.size() != 1;
    return {std::move(names), several};
  }
  Sources sources;
  if (arguments.multiple) {
    sources.several = true;
    if (!arguments.remote.empty()) add_remote_or_group(config, arguments.remote, sources.names);
    for (const std::string& name : arguments.refspecs) add_remote_or_group(config, name, sources.names);
    return sources;
  }
  if (arguments.remote.empty()) {
    const std::string branch = checked_out_branch(repository);
    return {{default_remote(config, branch)}, false, !branch_upstream(config, branch).remote.empty()};
  }
  if (const auto group = remote_group(config, arguments.remote)) {
    add_remote_or_group(config, arguments.remote, sources.names);
    sources.several = sources.names.size() > 1;
    if (sources.several && !arguments.refspecs.empty()) {
      throw Error(ErrorCode::refused, "fetching a group and specifying refspecs does not make sense");
    }
    return sources;
  }
  return {{arguments.remote}, false};
}

// Paths of remotes count from the top, wherever the command was started.
void enter_top(const repo::Repository& repository) {
  const std::string& top = repository.work_tree() ? *repository.work_tree() : repository.git_dir();
  if (::chdir(top.c_str()) != 0) throw_errno(errno, "cannot change to", top);
}

// With --prune-tags all tags are fetched, so that those which are not there any more can be told.
bool wants_all_tags(const FetchArguments& arguments, const FetchRemote& remote, const repo::Config& config) {
  if (!arguments.refspecs.empty()) return false;
  return arguments.prune_tags.value_or(remote.prune_tags.value_or(config.get_bool("fetch.prunetags", false)));
}

FetchRemote remote_named(const FetchArguments& arguments, const repo::Repository& repository, const std::string& name,
                         bool was_named) {
  FetchRemote remote = read_fetch_remote(repository.config(), name);
  if (!remote.configured && !was_named) {
    throw Error(ErrorCode::not_found,
                "no remote repository specified: name a URL or a configured remote to fetch from");
  }
  if (wants_all_tags(arguments, remote, repository.config())) {
    remote.refspecs.push_back(object::Refspec::for_all_tags());
  }
  return remote;
}

void fetch_each(const FetchArguments& arguments, const Sources& sources, const repo::Repository& repository,
                const CommandContext& context, session::StageClock& clock, FetchOutcome& outcome) {
  FetchArguments each = arguments;
  each.remote.clear();
  each.refspecs.clear();
  for (const std::string& name : sources.names) {
    context.reporter.say("Fetching " + name);
    try {
      fetch_one(each, remote_named(each, repository, name, false), repository, context, clock, outcome);
      each.append = true;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      context.reporter.complain(error.message());
      context.reporter.complain("could not fetch " + name);
      outcome.exit_code = 1;
    }
  }
}

}  // namespace

FetchOutcome fetch(const FetchArguments& arguments, const CommandContext& context) {
  require_usable(arguments);
  session::StageClock clock(context.progress);
  FetchOutcome outcome;
  const repo::Repository repository = repo::Repository::discover(context.environment);
  enter_top(repository);
  const Sources sources = choose_sources(arguments, repository);
  if (sources.several) {
    fetch_each(arguments, sources, repository, context, clock, outcome);
  } else if (!sources.names.empty()) {
    const FetchRemote remote = remote_named(arguments, repository, sources.names.front(), sources.are_named);
    fetch_one(arguments, remote, repository, context, clock, outcome);
  }
  clock.begin("maintenance");
  maintain(arguments, repository, context.reporter);
  clock.end();
  outcome.seconds = clock.total_seconds();
  outcome.stages = clock.stages();
  return outcome;
}

}  // namespace pfetch::command
