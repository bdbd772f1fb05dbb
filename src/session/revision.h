// Which object an expression of gitrevisions(7) means: "main~2", "v1^{tree}", "@{-1}", "main@{u}", "abc123",
// "HEAD:src/a.c", "v1-3-gabc123", ":path".
//
// ":/text" and "main^{/text}" look for a message and may read all of history. Not built, and refused by name: entries
// of a reflog by date, and "@{push}". Parents that lie behind the shallow boundary do not exist. Replace refs and
// grafts are not followed.
//
// Looks things up anew at each call; one thread. An expression that means nothing here is nullopt; what git dies of is
// thrown in its words (ErrorCode::not_found: no upstream, a reflog that is too short). Warnings about ambiguous names
// go to the reporter.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "session/reporter.h"
#include "session/stock.h"

namespace pfetch::session {

// Which of the objects that begin alike an abbreviated id means.
enum class RevisionHint { any, commit, committish, treeish };

class Revisions {
 public:
  // `prefix`: the current directory below the top of the worktree, "" or ending in '/', for "main:./a". All must
  // outlive this.
  Revisions(Stock& stock, Reporter& reporter, std::string prefix)
      : stock_(stock), reporter_(reporter), prefix_(std::move(prefix)) {}

  std::optional<object::Oid> find(std::string_view expression, RevisionHint hint = RevisionHint::any);
  // Also "A...B": the one merge base of both; either may be left out and is HEAD then.
  std::optional<object::Oid> find_or_merge_base(std::string_view expression);

  // The commit that `id` is or leads to. When it is something else, nullopt, and the reporter is told what.
  std::optional<object::Oid> commit_of(const object::Oid& id);

  // What a name means that stands for another one: "@" is HEAD, "@{-1}" the branch (or the commit's id) that was
  // checked out before, "main@{u}" the full name of a ref; any other name is returned as it is.
  std::string meant_name(std::string_view name) const;
  // The n-th last branch that was left, or the id where HEAD was detached.
  std::optional<std::string> left_before(std::size_t n) const;

 private:
  std::optional<object::Oid> plain(std::string_view expression, RevisionHint hint);
  std::optional<object::Oid> ancestor(std::string_view of, std::size_t generations);
  std::optional<object::Oid> parent(std::string_view of, std::size_t number);
  std::optional<object::Oid> peeled(std::string_view of, std::string_view to);
  std::optional<object::Oid> peeled_to(const object::Oid& id, object::Kind kind, std::string_view expression);
  std::optional<object::Oid> named(std::string_view name);
  std::optional<object::Oid> by_reflog(std::string_view name, std::string_view which);
  std::optional<object::Oid> abbreviated_id(std::string_view hex, RevisionHint hint);
  std::optional<object::Oid> described(std::string_view text);
  std::optional<object::Oid> by_message(const std::vector<object::Oid>& tips, std::string_view wanted);
  std::optional<object::Oid> youngest_by_message(std::string_view wanted);
  std::optional<object::Oid> in_tree(std::string_view revision, std::string_view path);
  std::optional<object::Oid> in_index(std::string_view text);
  std::optional<object::Oid> entry_of(const object::Oid& tree, std::string_view path);
  bool fits(const object::Oid& id, RevisionHint hint);
  void tell_ambiguous(std::string_view hex, const std::vector<object::Oid>& ids);
  std::string candidate_line(const object::Oid& id);
  void warn_of_full_id(std::string_view name);
  std::optional<std::string> expanded_path(std::string_view path) const;
  std::string upstream_meant(std::string_view branch) const;

  Stock& stock_;
  Reporter& reporter_;
  const std::string prefix_;
};

}  // namespace pfetch::session
