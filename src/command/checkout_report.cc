#include "command/checkout_report.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "graph/descent.h"
#include "graph/divergence.h"
#include "object/commit_view.h"
#include "session/abbreviation.h"
#include "session/upstream.h"

namespace pfetch::command {

namespace {

constexpr std::size_t orphans_shown_max = 4;

std::string subject_of(std::string_view message) {
  while (!message.empty() && base::is_space(message.front())) message.remove_prefix(1);
  std::string subject;
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    const std::string_view line = base::without_final_space(message.substr(0, end));
    if (line.empty()) break;
    subject.append(subject.empty() ? "" : " ").append(line);
    message = end == std::string_view::npos ? std::string_view() : message.substr(end + 1);
  }
  return subject;
}

std::string short_id(const object::Oid& id, const CheckoutContext& context) {
  return session::abbreviated(id, context.config(), context.stock.objects());
}

const char* plural(std::size_t count) {
  return count == 1 ? "" : "s";
}

// The shortest name that no other ref answers to.
std::string unambiguous(const std::string& ref, const CheckoutContext& context) {
  std::string name(object::short_ref_name(ref));
  const bool strict = context.config().get_bool("core.warnambiguousrefs", true);
  const std::size_t own_rank = object::ref_lookup_rank(name, ref);
  const auto names = object::ref_lookup_names(name);
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (rank == own_rank || (!strict && rank > own_rank)) continue;
    if (context.stock.refs()->read(names[rank])) return ref.substr(std::string_view("refs/").size());
  }
  return name;
}

void add_list(std::vector<std::string>& blocks, const std::vector<std::string>& paths, const std::string& heading,
              const std::string& cure) {
  if (paths.empty()) return;
  std::string text = heading;
  for (const std::string& path : paths) text += "\n\t" + path;
  blocks.push_back(text + cure);
}

// What the tips of all refs and the new HEAD reach is not lost.
std::vector<graph::Position> orphans(const object::Oid& left, const object::Oid& now, const CheckoutContext& context) {
  graph::CommitGraph& graph = context.stock.graph();
  store::Reader& objects = context.stock.objects();
  const auto tip = graph.find(left);
  if (!tip) return {};
  std::vector<graph::Position> others;
  const auto add = [&](const object::Oid& id) {
    if (const auto commit = graph::commit_at(graph, objects, id)) others.push_back(*commit);
  };
  add(now);
  bool is_tip = false;
  context.stock.refs()->for_each("refs/", [&](const repo::Ref& ref) {
    is_tip = ref.id == left;
    if (!ref.is_broken() && !ref.id.is_null()) add(ref.peeled.value_or(ref.id));
    return !is_tip;
  });
  return is_tip ? std::vector<graph::Position>() : graph::only_reached_by(graph, *tip, others);
}

}  // namespace

std::string described(const object::Oid& commit, const CheckoutContext& context) {
  const auto object = context.stock.objects().read(commit);
  const std::string subject =
      object ? subject_of(object::CommitView(commit, object->bytes.view()).message()) : std::string();
  return short_id(commit, context) + " " + subject;
}

void report_refusal(const session::SwitchRefusal& refusal, const CheckoutContext& context) {
  if (!refusal.unmerged.empty()) {
    context.reporter().complain("you need to resolve your current index first");
    return;
  }
  const bool advises = context.config().get_bool("advice.commitbeforemerge", true);
  const auto cure = [advises](const char* text) { return std::string("\n") + (advises ? text : ""); };
  std::vector<std::string> blocks;
  for (const auto* changes : {&refusal.staged_changes, &refusal.local_changes}) {
    add_list(blocks, *changes, "Your local changes to the following files would be overwritten by checkout:",
             cure("Please commit your changes or stash them before you switch branches."));
  }
  add_list(blocks, refusal.directories, "Updating the following directories would lose untracked files in them:", "\n");
  add_list(blocks, refusal.untracked_removed,
           "The following untracked working tree files would be removed by checkout:",
           cure("Please move or remove them before you switch branches."));
  add_list(blocks, refusal.untracked_overwritten,
           "The following untracked working tree files would be overwritten by checkout:",
           cure("Please move or remove them before you switch branches."));
  if (blocks.empty()) return;
  blocks.back() += "\nAborting";
  for (const std::string& block : blocks) context.reporter().complain(block);
}

std::vector<std::string> unmerged_lines(const session::SwitchRefusal& refusal) {
  std::vector<std::string> lines;
  for (const std::string& path : refusal.unmerged) lines.push_back(path + ": needs merge");
  return lines;
}

void report_detaching(const std::string& name, const CheckoutContext& context) {
  if (!context.config().get_bool("advice.detachedhead", true)) return;
  context.reporter().say(
      fmt::format("Note: switching to '{}'.\n\n"
                  "You are in 'detached HEAD' state. You can look around, make experimental\n"
                  "changes and commit them, and you can discard any commits you make in this\n"
                  "state without impacting any branches by switching back to a branch.\n\n"
                  "If you want to create a new branch to retain commits you create, you may\n"
                  "do so (now or later) by using -c with the switch command. Example:\n\n"
                  "  git switch -c <new-branch-name>\n\n"
                  "Or undo this operation with:\n\n"
                  "  git switch -\n\n"
                  "Turn off this advice by setting config variable advice.detachedHead to false\n\n",
                  name));
}

void report_left_behind(const object::Oid& left, const object::Oid& now, const CheckoutContext& context) {
  const std::vector<graph::Position> lost = orphans(left, now, context);
  if (lost.empty()) {
    context.reporter().say("Previous HEAD position was " + described(left, context));
    return;
  }
  std::string text =
      fmt::format("Warning: you are leaving {} commit{} behind, not connected to\nany of your branches:\n\n",
                  lost.size(), plural(lost.size()));
  const bool shows_all = lost.size() <= orphans_shown_max + 1;
  const std::size_t shown = shows_all ? lost.size() : orphans_shown_max;
  for (std::size_t i = 0; i < shown; ++i) {
    const object::Oid id = context.stock.graph().id_at(lost[i]);
    text += "  " + described(id, context) + "\n";
  }
  if (!shows_all) text += fmt::format(" ... and {} more.\n", lost.size() - shown);
  if (context.config().get_bool("advice.detachedhead", true)) {
    text += fmt::format(
        "\nIf you want to keep {} by creating a new branch, this may be a good time\nto do so with:\n\n"
        " git branch <new-branch-name> {}\n",
        lost.size() == 1 ? "it" : "them", short_id(left, context));
  }
  context.reporter().say(text + "\n");
}

std::optional<UpstreamState> upstream_state(const std::string& branch, const CheckoutContext& context) {
  const auto ref = session::upstream_ref(context.config(), object::short_ref_name(branch));
  if (!ref) return std::nullopt;
  UpstreamState state{.upstream = *ref};
  const auto theirs = context.stock.refs()->read(*ref);
  const auto ours = context.stock.refs()->read(branch);
  graph::CommitGraph& graph = context.stock.graph();
  const auto ours_at = ours ? graph.find(ours->id) : std::nullopt;
  const auto theirs_at = theirs ? graph.find(theirs->id) : std::nullopt;
  if (!theirs_at || !ours_at) {
    state.gone = true;
    return state;
  }
  const graph::Divergence divergence = graph::diverged(graph, *ours_at, *theirs_at);
  state.ahead = divergence.ahead;
  state.behind = divergence.behind;
  return state;
}

std::vector<std::string> upstream_lines(const UpstreamState& state, const CheckoutContext& context) {
  const std::string name = unambiguous(state.upstream, context);
  std::vector<std::string> lines;
  const char* hint = nullptr;
  if (state.gone) {
    lines = {fmt::format("Your branch is based on '{}', but the upstream is gone.", name)};
    hint = "git branch --unset-upstream\" to fixup";
  } else if (state.ahead == 0 && state.behind == 0) {
    lines = {fmt::format("Your branch is up to date with '{}'.", name)};
  } else if (state.behind == 0) {
    lines = {fmt::format("Your branch is ahead of '{}' by {} commit{}.", name, state.ahead, plural(state.ahead))};
    hint = "git push\" to publish your local commits";
  } else if (state.ahead == 0) {
    lines = {fmt::format("Your branch is behind '{}' by {} commit{}, and can be fast-forwarded.", name, state.behind,
                         plural(state.behind))};
    hint = "git pull\" to update your local branch";
  } else {
    lines = {fmt::format("Your branch and '{}' have diverged,", name),
             fmt::format("and have {} and {} different commits each, respectively.", state.ahead, state.behind)};
    hint = "git pull\" to merge the remote branch into yours";
  }
  if (hint != nullptr && context.config().get_bool("advice.statushints", true)) {
    lines.push_back(fmt::format("  (use \"{})", hint));
  }
  return lines;
}

}  // namespace pfetch::command
