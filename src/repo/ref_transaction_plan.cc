#include <fmt/format.h>

#include "object/ref_name.h"
#include "repo/ref_transaction_state.h"

namespace pfetch::repo {

void RefTransaction::State::check_names() {
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const RefUpdate& update = updates[i];
    const bool here = update.name.substr(0, 5) == "refs/" || object::is_pseudo_ref_name(update.name);
    const bool deletes = update.new_id && update.new_id->is_null();
    const bool valid = object::is_valid_ref_name(update.name, {.one_level = true});
    if (!here || (!valid && !(deletes && object::is_safe_ref_name(update.name)))) {
      fail(i, {RefVerdict::bad_name, fmt::format("refusing to update ref with bad name '{}'", update.name)});
    } else if (!update.new_target.empty() && !object::is_valid_ref_name(update.new_target)) {
      fail(i, {RefVerdict::bad_name,
               fmt::format("refusing to set '{}' to point to bad name '{}'", update.name, update.new_target)});
    }
  }
}

// Takes the name of an edit for it; a name that is taken already makes its outcome a duplicate.
void RefTransaction::State::claim(std::size_t at) {
  const RefEdit& edit = edits[at];
  if (claimed.try_emplace(edit.name(), at).second) return;
  fail(edit.outcome(), {RefVerdict::duplicate, fmt::format("multiple updates for ref '{}' not allowed", edit.name())});
}

// An update through a symbolic ref becomes a log line for it, and an update of what it points to.
void RefTransaction::State::follow_symbolic(std::size_t at) {
  const RefUpdate& update = edits[at].update();
  if (update.no_deref || !update.new_target.empty()) return;
  const auto target = refs->read(update.name);
  if (!target || !target->is_symbolic()) return;
  if (target->is_broken()) {
    fail(edits[at].outcome(),
         {RefVerdict::broken, fmt::format("cannot lock ref '{}': unable to resolve reference '{}': {}", update.name,
                                          update.name, target->trouble)});
    return;
  }
  RefUpdate behind = update;
  behind.name = target->symref_target;
  edits[at].log_only = true;
  edits[at].source = edits.size();
  edits.emplace_back(std::move(behind), edits[at].outcome());
}

void RefTransaction::State::expand() {
  for (std::size_t i = 0; i < updates.size(); ++i) edits.emplace_back(std::move(updates[i]), i);
  updates = {};
  choose_packed();
  for (std::size_t i = 0; i < edits.size(); ++i) {  // grows on the way
    if (!is_live(edits[i])) continue;
    claim(i);
    if (is_live(edits[i]) && !edits[i].packs) follow_symbolic(i);
  }
  add_head_log();
}

// A change of the branch that HEAD points to is a change of HEAD: its log says so, too.
void RefTransaction::State::add_head_log() {
  if (claimed.count("HEAD") != 0) return;
  const auto head = refs->read("HEAD");
  if (!head || !head->is_symbolic()) return;
  const auto branch = claimed.find(head->symref_target);
  if (branch == claimed.end()) return;
  const RefEdit& source = edits[branch->second];
  if (!is_live(source) || source.log_only || !source.update().new_id) return;
  RefUpdate log = source.update();
  log.name = "HEAD";
  log.create_reflog = false;
  edits.emplace_back(std::move(log), source.outcome());
  edits.back().log_only = true;
  edits.back().source = branch->second;
  claim(edits.size() - 1);
}

// "foo" and "foo/bar" cannot both be changed: one's lock is where the other's directory must be.
void RefTransaction::State::check_neighbours() {
  std::string_view directory;  // of the name before: neighbours have the same names above them
  auto above = claimed.end();
  for (auto at = claimed.begin(); at != claimed.end(); ++at) {
    const std::string_view name = at->first;
    const std::string_view own = name.substr(0, name.find_last_of('/') + 1);
    if (own != directory) {
      directory = own;
      above = claimed.end();
      for (auto slash = own.find('/'); slash != std::string_view::npos && above == claimed.end();
           slash = own.find('/', slash + 1)) {
        const auto found = claimed.find(own.substr(0, slash));
        if (found != claimed.end() && is_live(edits[found->second])) above = found;
      }
    }
    if (above == claimed.end()) continue;
    fail(edits[at->second].outcome(),
         {RefVerdict::conflict, fmt::format("cannot lock ref '{}': cannot process '{}' and '{}' at the same time", name,
                                            above->first, name)});
  }
}

}  // namespace pfetch::repo
