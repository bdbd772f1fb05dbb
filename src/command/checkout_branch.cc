#include "command/checkout_branch.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/error.h"
#include "repo/config_file.h"
#include "session/refs_setup.h"
#include "session/upstream.h"

namespace pfetch::command {

namespace {

using Track = CheckoutArguments::Track;

enum class Setup { never, by_default, always, simple, inherit, direct };  // `direct`: asked for on the command line

Setup setup_wanted(Track wanted, const repo::Config& config) {
  if (wanted == Track::none) return Setup::never;
  if (wanted == Track::direct) return Setup::direct;
  if (wanted == Track::inherit) return Setup::inherit;
  const std::string set = config.get("branch.autosetupmerge", "true");
  if (set == "always") return Setup::always;
  if (set == "simple") return Setup::simple;
  if (set == "inherit") return Setup::inherit;
  return config.get_bool("branch.autosetupmerge", true) ? Setup::by_default : Setup::never;
}

// The ref that the start is, symbolic ones followed; empty: it is an expression, or HEAD is detached.
std::string ref_of_start(const std::string& start, const CheckoutContext& context) {
  const std::string meant = context.revisions.meant_name(start);
  std::string found;
  for (const std::string& full : object::ref_lookup_names(meant)) {
    const auto ref = context.stock.refs()->resolve(full);
    if (!ref || ref->id.is_null() || !ref->trouble.empty()) continue;
    if (!found.empty()) throw Error(ErrorCode::usage, fmt::format("ambiguous object name: '{}'", start));
    found = ref->name;
  }
  return found;
}

// Whose tracking ref it is, and what it is called there.
std::vector<Tracking> tracked_by(const std::string& ref, const repo::Config& config) {
  std::vector<Tracking> found;
  for (const std::string& remote : config.subsections("remote")) {
    for (const object::Refspec& spec : session::fetch_refspecs(config, remote)) {
      const auto source = spec.to_src(ref);
      if (!source) continue;
      found.push_back({.remote = remote, .merge = {*source}});
      break;
    }
  }
  return found;
}

Tracking inherited(const std::string& ref, const CheckoutContext& context) {
  const std::string name = ref.starts_with("refs/heads/") ? std::string(object::short_ref_name(ref)) : ref;
  const session::Upstream upstream = session::upstream_of(context.config(), name);
  const char* const missing = upstream.remote.empty()  ? "no remote is set"
                              : upstream.merge.empty() ? "no merge configuration is set"
                                                       : nullptr;
  if (missing == nullptr) return {.remote = upstream.remote, .merge = upstream.merge, .inherited = true};
  context.reporter().warn(fmt::format("asked to inherit tracking from '{}', but {}", name, missing));
  return {};
}

bool rebases(const Tracking& tracking, const repo::Config& config) {
  const std::string when = config.get("branch.autosetuprebase", "never");
  if (when == "always") return true;
  if (when == "local") return tracking.remote == ".";
  if (when == "remote") return tracking.remote != ".";
  if (when != "never") throw Error(ErrorCode::config, "malformed value for branch.autosetuprebase");
  return false;
}

std::string shown(const Tracking& tracking, const std::string& merge) {
  if (!merge.starts_with("refs/heads/")) return merge;
  const std::string name(object::short_ref_name(merge));
  return tracking.remote == "." && !tracking.inherited ? name : tracking.remote + "/" + name;
}

}  // namespace

NewBranch plan_branch(const std::string& name, bool reset, const CheckoutContext& context) {
  NewBranch branch;
  branch.name = name.find("@{") == std::string::npos ? name : context.revisions.meant_name(name);
  if (branch.name.starts_with("refs/heads/") && name.find("@{") != std::string::npos) {
    branch.name = object::short_ref_name(branch.name);
  }
  branch.ref = "refs/heads/" + branch.name;
  if (branch.name.starts_with('-') || branch.name == "HEAD" || !object::is_valid_ref_name(branch.ref)) {
    throw Error(ErrorCode::usage, fmt::format("'{}' is not a valid branch name", name));
  }
  branch.exists = context.stock.refs()->read(branch.ref).has_value();
  if (branch.exists && !reset) {
    throw Error(ErrorCode::exists, fmt::format("a branch named '{}' already exists", branch.name));
  }
  // Known before anything is written.
  if (branch.exists) return branch;
  if (const auto other = context.stock.refs()->conflicting_ref(branch.ref, *context.stock.refs()->packed())) {
    throw Error(ErrorCode::exists,
                fmt::format("cannot lock ref '{0}': '{1}' exists; cannot create '{0}'", branch.ref, *other));
  }
  return branch;
}

namespace {

Tracking find_tracking(const NewBranch& branch, Track wanted, const CheckoutContext& context) {
  const Setup setup = setup_wanted(wanted, context.config());
  const bool explicitly = setup == Setup::direct || (setup == Setup::inherit && wanted == Track::inherit);
  const std::string ref = ref_of_start(branch.start, context);
  const std::vector<Tracking> remotes = ref.empty() ? std::vector<Tracking>() : tracked_by(ref, context.config());
  if (!object::is_branch_name(ref) && remotes.empty()) {
    if (!explicitly) return {};
    throw Error(ErrorCode::usage,
                fmt::format("cannot set up tracking information; starting point '{}' is not a branch", branch.start));
  }
  if (setup == Setup::never) return {};
  if (setup == Setup::inherit) return inherited(ref, context);
  if (remotes.size() > 1) {
    throw Error(ErrorCode::config, fmt::format("not tracking: ambiguous information for ref '{}'", ref));
  }
  if (!remotes.empty()) {
    const bool is_namesake = object::short_ref_name(remotes.front().merge.front()) == branch.name;
    return setup == Setup::simple && !is_namesake ? Tracking{} : remotes.front();
  }
  if (setup == Setup::by_default || setup == Setup::simple) return {};
  return {.remote = ".", .merge = {ref}};
}

}  // namespace

Tracking plan_tracking(const NewBranch& branch, Track wanted, const CheckoutContext& context) {
  Tracking tracking = find_tracking(branch, wanted, context);
  tracking.by_rebasing = rebases(tracking, context.config());
  return tracking;
}

void create_branch(const NewBranch& branch, const object::Oid& start, const CheckoutContext& context) {
  repo::RefUpdate update{.name = branch.ref, .new_id = start};
  if (!branch.exists) update.old_id = object::Oid();
  update.message = fmt::format("branch: {} {}", branch.exists ? "Reset to" : "Created from", branch.start);
  update.create_reflog = branch.create_reflog;
  session::update_refs(context.stock.refs(), context.config(), {std::move(update)});
}

std::optional<std::string> set_up_tracking(const NewBranch& branch, const Tracking& tracking,
                                           const CheckoutContext& context) {
  if (tracking.merge.empty()) return std::nullopt;
  if (tracking.remote == "." && tracking.merge == std::vector{branch.ref}) {
    context.reporter().warn(fmt::format("not setting branch '{}' as its own upstream", branch.name));
    return std::nullopt;
  }
  const std::string section = "branch." + branch.name;
  repo::ConfigFileEdit edit(context.repository().common_dir() + "/config");
  edit.set(section + ".remote", tracking.remote);
  if (tracking.merge.size() == 1 && context.config().get_all(section + ".merge").size() <= 1) {
    edit.set(section + ".merge", tracking.merge.front());
  } else {
    edit.unset(section + ".merge");
    for (const std::string& merge : tracking.merge) edit.add(section + ".merge", merge);
  }
  if (tracking.by_rebasing) edit.set(section + ".rebase", "true");
  edit.commit();
  const char* const how = tracking.by_rebasing ? " by rebasing" : "";
  if (tracking.merge.size() == 1) {
    return fmt::format("branch '{}' set up to track '{}'{}.", branch.name, shown(tracking, tracking.merge.front()),
                       how);
  }
  std::string text = fmt::format("branch '{}' set up to track{}:", branch.name, how);
  for (const std::string& merge : tracking.merge) text += "\n  " + shown(tracking, merge);
  return text;
}

}  // namespace pfetch::command
