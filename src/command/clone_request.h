// What `pfetch clone` was asked for: validated settings, names and meaning as git-clone's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pfetch::command {

struct CloneRequest {
  std::string url;
  std::optional<std::string> directory;  // default: the last part of the URL

  // The boundary.
  int depth = 0;                       // --depth; 0: none
  std::optional<std::string> since;    // --shallow-since, as given
  std::vector<std::string> exclude;    // --shallow-exclude
  std::optional<bool> reject_shallow;  // --reject-shallow; otherwise clone.rejectShallow

  // Which refs.
  std::optional<std::string> branch;    // --branch
  std::optional<std::string> revision;  // --revision
  std::optional<bool> single_branch;    // --single-branch, --no-single-branch; default: when a boundary is asked for
  bool tags = true;                     // --no-tags

  // What it becomes.
  bool bare = false;
  bool mirror = false;  // implies bare
  bool no_checkout = false;
  std::string origin;               // empty: clone.defaultRemoteName, "origin"
  std::vector<std::string> config;  // --config key=value, in order
  std::optional<std::string> template_directory;
  std::optional<std::string> separate_git_dir;

  // Objects that are here already.
  std::vector<std::string> references;          // --reference
  std::vector<std::string> references_if_able;  // --reference-if-able
  bool dissociate = false;

  // The other side.
  std::optional<std::string> upload_pack;  // otherwise "git-upload-pack"
  std::vector<std::string> server_options;

  int ip_version = 0;         // 4 or 6: no other addresses; 0: any
  std::optional<bool> local;  // --local, --no-local; objects come by the pipeline either way, as with --no-local

  unsigned jobs = 0;      // workers; 0: one for each logical core
  bool progress = false;  // the other side may send its progress; shown by whoever listens

  bool has_depth() const { return depth > 0 || since || !exclude.empty(); }
  bool checks_out() const { return !bare && !no_checkout; }
  bool is_single_branch() const { return single_branch.value_or(has_depth()); }
};

}  // namespace pfetch::command
