#include "command/checkout_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/fd.h"
#include "object/peel.h"
#include "object/wildmatch.h"
#include "repo/paths.h"
#include "session/upstream.h"

namespace pfetch::command {

namespace {

constexpr std::string_view use_dashes =
    "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'";

// Branches of this name that remotes have, as they are stored here.
struct RemoteBranches {
  std::size_t count = 0;
  std::string ref;  // of the only one, or of that of checkout.defaultRemote
};

RemoteBranches find_remote_branches(std::string_view name, const CheckoutContext& context) {
  const std::string preferred = context.config().get("checkout.defaultremote", "");
  const std::string branch = "refs/heads/" + std::string(name);
  RemoteBranches found;
  std::string of_preferred;
  for (const std::string& remote : context.config().subsections("remote")) {
    for (const object::Refspec& spec : session::fetch_refspecs(context.config(), remote)) {
      const auto local = spec.to_dst(branch);
      if (!local) continue;
      const auto ref = context.stock.refs()->read(*local);
      if (!ref || ref->is_broken() || ref->id.is_null()) continue;
      if (++found.count == 1) found.ref = *local;
      if (remote == preferred) of_preferred = *local;
      break;
    }
  }
  if (found.count > 1) found.ref = of_preferred;
  return found;
}

[[noreturn]] void throw_many_remotes(std::string_view name, std::size_t count, const CheckoutContext& context) {
  if (context.config().get_bool("advice.checkoutambiguousremotebranchname", true)) {
    context.reporter().say(
        "hint: If you meant to check out a remote tracking branch on, e.g. 'origin',\n"
        "hint: you can do so by fully qualifying the name with the --track option:\n"
        "hint: \n"
        "hint:     git checkout --track origin/<name>\n"
        "hint: \n"
        "hint: If you'd like to always have checkouts of an ambiguous <name> prefer\n"
        "hint: one remote, e.g. the 'origin' remote, consider setting\n"
        "hint: checkout.defaultRemote=origin in your config.");
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' matched multiple ({}) remote tracking branches", name, count));
}

// The branch of a remote that a word stands for which means nothing here; empty: it is a path.
std::string guess(const CheckoutArguments& arguments, std::string_view word, const CheckoutContext& context) {
  const bool has_dashes = arguments.dashes.has_value();
  if (arguments.words.size() != 1 || (!has_dashes && object::has_wildcard(word))) return "";
  const RemoteBranches branches = find_remote_branches(word, context);
  if (branches.count > 0 && branches.ref.empty()) throw_many_remotes(word, branches.count, context);
  if (!branches.ref.empty() && !has_dashes && names_file(word, context.prefix)) {
    throw Error(ErrorCode::usage, fmt::format("'{}' could be both a local file and a tracking branch.\n"
                                              "Please use -- (and optionally --no-guess) to disambiguate",
                                              word));
  }
  return branches.ref;
}

// A name that stands for a branch: then the branch counts, whatever else is called so.
void find_branch(CheckoutTarget& target, object::Oid& id, const CheckoutContext& context) {
  std::string name = target.name;
  if (name != "@" && name.find("@{") != std::string::npos) {
    name = context.revisions.meant_name(name);
    if (name.starts_with("refs/heads/")) {
      name = object::short_ref_name(name);
    } else if (name.starts_with("refs/")) {
      return;
    }
    target.name = name;
  }
  std::string whole = "refs/heads/" + name;
  if (!object::is_valid_ref_name(whole)) return;
  const auto ref = context.stock.refs()->read(whole);
  if (!ref || ref->is_broken() || ref->id.is_null()) return;
  id = ref->id;
  target.branch = std::move(whole);
}

void resolve(CheckoutTarget& target, object::Oid id, const CheckoutContext& context) {
  find_branch(target, id, context);
  object::ObjectSource& objects = context.stock.objects();
  target.commit = object::commit_behind(objects, id);
  target.tree = object::tree_behind(objects, id);
  if (!target.tree) throw Error(ErrorCode::usage, "reference is not a tree: " + target.name);
}

}  // namespace

bool names_file(std::string_view word, const std::string& prefix) {
  std::string path;
  if (word.starts_with(":/") || word.starts_with(":!") || word.starts_with(":^")) {
    if (word.size() == 2) return true;
    path = word.substr(2);
    if (!word.starts_with(":/")) path.insert(0, prefix);
  } else {
    path = word.starts_with('/') ? std::string(word) : prefix + std::string(word);
  }
  return !path.empty() && base::path_exists(path);
}

void throw_unknown_argument(std::string_view word) {
  throw Error(
      ErrorCode::usage,
      fmt::format("ambiguous argument '{}': unknown revision or path not in the working tree.\n{}", word, use_dashes));
}

void require_no_file(std::string_view word, const std::string& prefix) {
  if (!names_file(word, prefix)) return;
  throw Error(ErrorCode::usage,
              fmt::format("ambiguous argument '{}': both revision and filename\n{}", word, use_dashes));
}

CheckoutTarget find_target(const CheckoutArguments& arguments, bool may_guess, const CheckoutContext& context) {
  CheckoutTarget target;
  const std::vector<std::string>& words = arguments.words;
  const bool has_dashes = arguments.dashes.has_value();
  if (words.empty() || (has_dashes && *arguments.dashes == 0)) {
    target.paths = words;
    return target;
  }
  if (has_dashes && *arguments.dashes > 1) {
    throw Error(ErrorCode::usage, fmt::format("only one reference expected, {} given.", *arguments.dashes));
  }
  target.counts_paths = !has_dashes;
  target.name = words.front() == "-" ? "@{-1}" : words.front();
  auto id = context.revisions.find_or_merge_base(target.name);
  if (!id && may_guess) {
    const std::string ref = guess(arguments, words.front(), context);
    if (!ref.empty()) {
      target.guessed_branch = words.front();
      target.name = ref;
      id = context.revisions.find(ref);
    }
  }
  if (!id) {
    if (has_dashes) throw Error(ErrorCode::not_found, "invalid reference: " + target.name);
    target.name.clear();
    target.paths = words;
    return target;
  }
  resolve(target, *id, context);
  target.paths.assign(words.begin() + 1, words.end());
  if (!has_dashes && !target.paths.empty()) require_no_file(words.front(), context.prefix);
  return target;
}

}  // namespace pfetch::command
