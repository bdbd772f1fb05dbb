// What a repository holds before anything is brought in: its refs, objects and boundary, and what they prove.
//
// A snapshot: refs and `.git/shallow` are read once, when this is made. One thread at a time, except that the
// ObjectSource is thread safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/history.h"
#include "repo/refs.h"
#include "repo/repository.h"
#include "repo/worktrees.h"
#include "session/closure.h"
#include "shallow/shallow_file.h"
#include "store/reader.h"

namespace pfetch::session {

class Holdings {
 public:
  // `repository` must outlive this.
  explicit Holdings(const repo::Repository& repository);

  const repo::Repository& repository() const { return repository_; }
  const std::shared_ptr<const repo::Refs>& ref_store() const { return ref_store_; }
  const std::vector<repo::Ref>& refs() const { return refs_; }  // below refs/, in the order of names
  // Of a ref by its whole name; the null id when it is not there.
  object::Oid ref_id(const std::string& name) const;
  bool has_ref(const std::string& name) const { return by_name_.contains(name); }
  const std::vector<repo::Worktree>& worktrees() const { return worktrees_; }

  store::Reader& objects() { return objects_; }
  const shallow::ShallowFile& boundary() const { return boundary_; }

  // What all refs point to, the HEADs of all worktrees among them; ascending, each once. Refs of repositories that
  // objects are borrowed from count, too.
  const std::vector<object::Oid>& tips() const { return tips_; }
  bool is_tip(const object::Oid& id) const;

  // What has been installed since and was proven whole: it counts as the rest from now on. `edit` moves the boundary.
  void take_over(const std::vector<object::Oid>& whole, const shallow::ShallowEdit& edit);

  graph::History& history() { return *history_; }  // cut at the boundary
  Before before();
  // The history of all that is here and of objects that have just arrived, under another boundary. `all` gives both.
  std::unique_ptr<graph::History> history_with(object::ObjectSource& all,
                                               std::function<bool(const object::Oid&)> has_arrived,
                                               std::vector<object::Oid> cuts);

 private:
  void read_tips();
  void open_history();
  graph::History::Options history_options() const;
  void read_alterations();

  const repo::Repository& repository_;
  std::shared_ptr<const repo::Refs> ref_store_;
  std::vector<repo::Ref> refs_;
  std::unordered_map<std::string_view, const repo::Ref*> by_name_;
  std::vector<repo::Worktree> worktrees_;
  const std::vector<std::string> objects_directories_;  // our own first
  store::Reader objects_;
  shallow::ShallowFile boundary_;
  std::vector<object::Oid> tips_;
  std::string grafts_;        // what info/grafts says
  std::string replacements_;  // refs/replace/ as text
  std::unique_ptr<graph::History> history_;
};

// Its own "…/objects", then those that it borrows from.
std::vector<std::string> objects_directories(const repo::Repository& repository);

// What the refs of the repositories behind these "…/objects" directories point to.
std::vector<object::Oid> borrowed_tips(const std::vector<std::string>& objects_directories);

}  // namespace pfetch::session
