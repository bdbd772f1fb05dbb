// Which refs a clone asks for and what it makes of them: git-clone's rules, as a pure function of the request and of
// what the other side advertises.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/clone_request.h"
#include "object/oid.h"
#include "object/refspec.h"
#include "transport/remote_refs.h"

namespace pfetch::command {

// A ref of the other side and the name it gets here.
struct MappedRef {
  std::string remote_name;
  std::string local_name;
  object::Oid id;
  std::optional<object::Oid> peeled;
};

struct CloneRefs {
  std::vector<object::Oid> wants;   // what is asked for, each once
  std::vector<MappedRef> mapped;    // written here when the objects have come
  std::vector<MappedRef> followed;  // tags that are written only if their object came by itself
  bool include_tag = false;         // ask for annotated tags of what is sent

  // HEAD: on a branch (perhaps unborn: `head_id` absent), detached (`head_branch` empty), or, with neither, left as the
  // new repository has it.
  std::string head_branch;             // "refs/heads/main"
  std::string head_remote_branch;      // its name on the other side; empty: no upstream to configure
  std::optional<object::Oid> head_id;  // a commit, or a tag that leads to it
  std::string origin_head;             // target of refs/remotes/<origin>/HEAD; empty: none
  std::vector<std::string> refspecs;   // remote.<origin>.fetch

  std::string short_head_branch() const;  // "main"; empty without a branch

  bool empty_remote = false;     // nothing to clone
  bool head_is_nowhere = false;  // the other side's HEAD names a branch that does not exist
};

// What is configured before there is a repository.
struct CloneRefRules {
  std::string default_branch = "master";    // init.defaultBranch, a short name
  std::vector<object::Refspec> refspecs{};  // remote.<origin>.fetch, which count beside the clone's own
};

// What to ask ls-refs for.
std::vector<std::string> ref_prefixes(const CloneRequest& request, const CloneRefRules& rules);

// Throws ErrorCode::not_found when a ref that was asked for by name is not there.
CloneRefs choose_refs(const CloneRequest& request, const transport::RemoteRefs& remote, const CloneRefRules& rules);

}  // namespace pfetch::command
