// What the command line of `pfetch fetch` asks for. Names and meaning are git-fetch's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pfetch::command {

struct FetchArguments {
  // From where, and what.
  std::string remote;                 // a configured remote, a group, a URL or a path; empty: that of the branch
  std::vector<std::string> refspecs;  // as written; "tag <name>" is two words
  bool all = false;                   // --all: every remote
  bool multiple = false;              // --multiple: `remote` and `refspecs` are remotes and groups
  std::vector<std::string> refmap;    // --refmap, one "" alone: none
  std::string words;                  // the command line for reflogs: "fetch origin main", without secrets

  // How much history.
  int depth = 0;                      // --depth; INT_MAX: all
  int deepen = 0;                     // --deepen
  bool unshallow = false;             // --unshallow
  std::optional<std::string> since;   // --shallow-since, as written
  std::vector<std::string> exclude;   // --shallow-exclude
  bool update_shallow = false;        // --update-shallow
  std::optional<bool> prune_shallow;  // --prune-shallow; otherwise fetch.pruneShallow

  // Which refs, and what becomes of them.
  enum class Tags { by_default, none, all };
  Tags tags = Tags::by_default;             // --no-tags, --tags
  std::optional<bool> prune;                // --prune; otherwise remote.<name>.prune, fetch.prune
  std::optional<bool> prune_tags;           // --prune-tags; otherwise remote.<name>.pruneTags, fetch.pruneTags
  bool force = false;                       // --force
  bool update_head_ok = false;              // --update-head-ok
  bool atomic = false;                      // --atomic
  bool dry_run = false;                     // --dry-run: nothing of the repository changes
  bool append = false;                      // --append to FETCH_HEAD
  bool write_fetch_head = true;             // --no-write-fetch-head
  bool set_upstream = false;                // --set-upstream
  std::optional<bool> show_forced_updates;  // --no-show-forced-updates; otherwise fetch.showForcedUpdates

  // The talk with the other side.
  std::vector<std::string> negotiation_tips;  // --negotiation-tip: refs, globs, ids
  bool refetch = false;                       // --refetch: as if nothing were here
  std::optional<std::string> upload_pack;
  std::vector<std::string> server_options;
  int ip_version = 0;  // 4 or 6; 0: any
  bool keep = false;   // --keep: a pack in any case, however small
  unsigned jobs = 0;   // workers; 0: one for each logical core

  // What is said.
  bool quiet = false;
  bool verbose = false;
  bool explain = false;    // what becomes of the other side's roots is worked out for the outcome
  bool porcelain = false;  // no table: the caller prints what became of the refs
  bool progress = false;
  std::optional<bool> auto_maintenance;    // --auto-maintenance, --auto-gc
  std::optional<bool> write_commit_graph;  // --write-commit-graph; otherwise fetch.writeCommitGraph

  bool has_depth() const { return depth > 0 || deepen > 0 || unshallow || since || !exclude.empty(); }
};

}  // namespace pfetch::command
