#include "command/checkout_head.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/fd.h"
#include "repo/hooks.h"
#include "session/refs_setup.h"

namespace pfetch::command {

namespace {

bool remove_if_there(const std::string& path) {
  return ::unlink(path.c_str()) == 0;
}

// A sequence whose last command has been begun is over.
void end_sequence(const std::string& directory) {
  std::string todo;
  if (!base::read_file_if_there(directory + "/todo", todo) || std::count(todo.begin(), todo.end(), '\n') > 1) return;
  std::vector<std::string> names;
  base::list_names(directory, names);
  for (const std::string& name : names) remove_if_there(directory + "/" + name);
  ::rmdir(directory.c_str());
}

// Each line as a hint, paths as seen from the top.
std::string hint_of(std::string advice, const std::string& top) {
  const std::size_t path = advice.find(top);
  if (path != std::string::npos) advice.erase(path, top.size());
  for (std::size_t at = advice.find('\n'); at != std::string::npos; at = advice.find('\n', at + 1)) {
    advice.insert(at + 1, "hint: ");
  }
  return "hint: " + advice;
}

}  // namespace

HeadBefore read_head(const repo::Refs& refs) {
  const repo::Ref head = refs.head();
  if (head.is_broken()) throw Error(ErrorCode::corrupt, fmt::format("unable to resolve HEAD: {}", head.trouble));
  HeadBefore before;
  before.id = head.id;
  before.detached = !head.is_symbolic();
  if (object::is_branch_name(head.symref_target)) before.branch = head.symref_target;
  return before;
}

void put_head_on_branch(const std::string& branch, const std::string& message, const session::Stock& stock) {
  session::update_refs(stock.refs(), stock.config(),
                       {{.name = "HEAD", .new_target = branch, .message = message, .no_deref = true}});
}

void detach_head(const object::Oid& commit, const std::string& message, const session::Stock& stock) {
  session::update_refs(stock.refs(), stock.config(),
                       {{.name = "HEAD", .new_id = commit, .message = message, .no_deref = true}});
}

std::vector<std::string> clear_operations(const repo::Repository& repository) {
  const std::string& top = repository.git_dir();
  std::vector<std::string> cancelled;
  if (remove_if_there(top + "/CHERRY_PICK_HEAD")) cancelled.emplace_back("cherry picking");
  if (remove_if_there(top + "/REVERT_HEAD")) cancelled.emplace_back("revert");
  if (!cancelled.empty()) end_sequence(top + "/sequencer");
  for (const char* name : {"MERGE_HEAD", "MERGE_RR", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG"}) {
    remove_if_there(fmt::format("{}/{}", top, name));
  }
  return cancelled;
}

int run_post_checkout(const HeadBefore& before, const object::Oid& after, bool is_switch,
                      const CheckoutContext& context) {
  const std::vector<std::string> arguments = {before.id.hex(), after.hex(), is_switch ? "1" : "0"};
  const repo::HookOutcome hook =
      repo::run_hook(context.repository(), "post-checkout", arguments,
                     {.input = std::nullopt, .environment = {{"GIT_PREFIX", context.prefix}}});
  if (!hook.advice.empty()) context.reporter().say(hint_of(hook.advice, *context.repository().work_tree() + "/"));
  return hook.status;
}

}  // namespace pfetch::command
