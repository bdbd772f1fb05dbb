// Which refs a fetch takes and what they are called here: git-fetch's rules, as pure functions of what was asked for,
// of the configuration and of what the other side advertises.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "command/fetch_arguments.h"
#include "command/fetch_remote.h"
#include "object/oid.h"
#include "object/refspec.h"
#include "transport/remote_refs.h"

namespace pfetch::command {

enum class ForMerge { yes, no, not_recorded };  // what FETCH_HEAD says of it

struct FetchedRef {
  std::string remote_name;  // "HEAD", "refs/heads/main"; an id in hex when it was asked for by that
  object::Oid id;
  std::string local_name;  // empty: it is not stored
  bool force = false;
  ForMerge for_merge = ForMerge::no;
  bool by_id = false;
  bool is_late = false;  // a tag that follows what has come; before that, nobody knew of it
};

struct FetchRules {
  const FetchRemote& remote;
  std::vector<object::Refspec> refspecs;               // of the command line
  std::optional<std::vector<object::Refspec>> refmap;  // --refmap
  FetchArguments::Tags tags = FetchArguments::Tags::by_default;
  BranchUpstream upstream;  // of the branch that is checked out

  // Whether tags of what comes are to come along; known from the rules alone.
  bool follows_tags() const;
  bool upstream_is_here() const { return !upstream.merge.empty() && upstream.remote == remote.name; }
};

// Throws ErrorCode::usage for a refspec that is none, or a "tag" without a name.
FetchRules fetch_rules(const FetchArguments& arguments, const FetchRemote& remote, BranchUpstream upstream);

// What to ask ls-refs for; nullopt: nothing has to be known of the other side's refs.
std::optional<std::vector<std::string>> fetch_prefixes(const FetchRules& rules);

struct FetchRefs {
  std::vector<FetchedRef> refs;
  std::vector<std::string> warnings;
};

// Throws ErrorCode::not_found for a ref that was named and is not there, ErrorCode::refused for two refs under one
// name.
FetchRefs choose_fetch_refs(const FetchRules& rules, const transport::RemoteRefs& advertised);

// The tags that follow: those that are not here yet, of objects that are here or are `fetched`.
std::vector<FetchedRef> tags_to_follow(const transport::RemoteRefs& advertised,
                                       const std::unordered_set<object::Oid>& fetched,
                                       const std::function<bool(const std::string&)>& has_ref,
                                       const std::function<bool(const object::Oid&)>& has_object);

// Appends refs whose local names are not taken yet.
void add_new(std::vector<FetchedRef>& refs, std::vector<FetchedRef> more);

}  // namespace pfetch::command
