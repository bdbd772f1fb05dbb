#include "command/clone_refs.h"

#include <algorithm>

#include "base/error.h"

namespace pfetch::command {

namespace {

using transport::RemoteRef;
using transport::RemoteRefs;

constexpr std::string_view heads = "refs/heads/";
constexpr std::string_view tags = "refs/tags/";

std::string after(std::string_view name, std::string_view prefix) {
  return std::string(name.substr(prefix.size()));
}

// Where the branches of the other side are kept here.
std::string branch_top(const CloneRequest& request) {
  if (request.mirror) return "refs/";
  return request.bare ? std::string(heads) : "refs/remotes/" + request.origin + "/";
}

std::string_view remote_top(const CloneRequest& request) {
  return request.mirror ? "refs/" : heads;
}

// --branch names a branch first, then a tag.
const RemoteRef* find_branch_or_tag(const RemoteRefs& remote, const std::string& name) {
  const RemoteRef* found = remote.find(std::string(heads) + name);
  return found != nullptr ? found : remote.find(std::string(tags) + name);
}

class Chooser {
 public:
  Chooser(const CloneRequest& request, const RemoteRefs& remote, const std::string& default_branch)
      : request_(request), remote_(remote) {
    if (const RemoteRef* head = remote.find("HEAD")) {
      head_id_ = head->id;
      head_target_ = transport::guess_head_target(remote, default_branch);
    }
  }

  CloneRefs choose() {
    if (request_.revision) {
      choose_revision();
    } else {
      map_refs();
      place_head();
      configure();
    }
    for (const MappedRef& ref : refs_.mapped) want(ref.id);
    std::sort(refs_.wants.begin(), refs_.wants.end());
    refs_.wants.erase(std::unique(refs_.wants.begin(), refs_.wants.end()), refs_.wants.end());
    return std::move(refs_);
  }

 private:
  void want(const object::Oid& id) { refs_.wants.push_back(id); }

  void map(const RemoteRef& ref, std::string local_name) {
    refs_.mapped.push_back({ref.name, std::move(local_name), ref.id, ref.peeled});
  }

  void choose_revision() {
    const std::string& revision = *request_.revision;
    if (const auto id = object::Oid::from_hex(revision)) {
      refs_.head_id = *id;
      for (const RemoteRef& ref : remote_.refs) {
        if (ref.id == *id && ref.peeled) refs_.head_id = ref.id;
      }
    } else {
      const RemoteRef* found = remote_.find(revision);
      if (found == nullptr) {
        throw Error(ErrorCode::not_found, "Remote revision " + revision + " not found in upstream " + request_.origin);
      }
      refs_.head_id = found->id;
    }
    want(*refs_.head_id);
  }

  void map_refs() {
    refs_.empty_remote = remote_.refs.empty();
    if (request_.is_single_branch()) {
      map_single();
      return;
    }
    // The other side's HEAD is asked for even where no branch holds it.
    if (head_id_) want(*head_id_);
    for (const RemoteRef& ref : remote_.refs) {
      if (ref.name.starts_with(remote_top(request_))) {
        map(ref, branch_top(request_) + after(ref.name, remote_top(request_)));
      } else if (ref.name.starts_with(tags) && request_.tags) {
        map(ref, ref.name);
      }
    }
  }

  void map_single() {
    const RemoteRef* single = nullptr;
    if (request_.branch) {
      single = find_branch_or_tag(remote_, *request_.branch);
    } else {
      if (head_id_) want(*head_id_);
      if (!head_target_.empty()) single = remote_.find(head_target_);
    }
    if (single != nullptr) {
      const bool moves = single->name.starts_with(heads) && !request_.mirror;
      map(*single, moves ? branch_top(request_) + after(single->name, heads) : single->name);
    }
    if (!request_.tags) return;
    refs_.include_tag = true;
    for (const RemoteRef& ref : remote_.refs) {
      const bool mapped = single != nullptr && ref.name == single->name;
      if (ref.name.starts_with(tags) && !mapped) refs_.followed.push_back({ref.name, ref.name, ref.id, ref.peeled});
    }
  }

  void place_head() {
    const std::string local_head_of_origin = head_target_.starts_with(heads) ? head_target_ : std::string();
    const RemoteRef* head_branch = local_head_of_origin.empty() ? nullptr : remote_.find(local_head_of_origin);
    if (head_branch != nullptr && !request_.bare && is_mapped(head_branch->name)) {
      refs_.origin_head = branch_top(request_) + after(head_branch->name, heads);
    }
    if (request_.branch) {
      place_head_at_branch(*request_.branch);
    } else if (head_branch != nullptr) {
      refs_.head_branch = head_branch->name;
      refs_.head_remote_branch = head_branch->name;
      refs_.head_id = head_branch->id;
    } else if (head_id_) {
      refs_.head_id = head_id_;  // detached there, detached here
    } else if (remote_.head_target.starts_with(heads)) {
      refs_.head_branch = remote_.head_target;  // unborn there, unborn here
      refs_.head_remote_branch = remote_.head_target;
      refs_.head_is_nowhere = !refs_.empty_remote;
    } else {
      refs_.head_is_nowhere = !refs_.empty_remote;
    }
  }

  void place_head_at_branch(const std::string& name) {
    const RemoteRef* found = find_branch_or_tag(remote_, name);
    if (found == nullptr) {
      throw Error(ErrorCode::not_found, "Remote branch " + name + " not found in upstream " + request_.origin);
    }
    refs_.head_id = found->id;
    if (found->name.starts_with(heads)) {
      refs_.head_branch = found->name;
      refs_.head_remote_branch = found->name;
    }
  }

  bool is_mapped(const std::string& remote_name) const {
    return std::any_of(refs_.mapped.begin(), refs_.mapped.end(),
                       [&](const MappedRef& ref) { return ref.remote_name == remote_name; });
  }

  void configure() {
    if (request_.bare && !request_.mirror) return;
    if (!request_.is_single_branch() || request_.mirror) {
      refs_.refspecs.push_back("+" + std::string(remote_top(request_)) + "*:" + branch_top(request_) + "*");
      return;
    }
    const std::string single = request_.branch ? single_name() : head_target_;
    if (single.starts_with(tags)) {
      refs_.refspecs.push_back("+" + single + ":" + single);
    } else if (single.starts_with(heads) && (request_.branch || remote_.find(single) != nullptr)) {
      refs_.refspecs.push_back("+" + single + ":" + branch_top(request_) + after(single, heads));
    }
  }

  std::string single_name() const {
    const RemoteRef* found = find_branch_or_tag(remote_, *request_.branch);
    return found != nullptr ? found->name : std::string();
  }

  const CloneRequest& request_;
  const RemoteRefs& remote_;
  std::optional<object::Oid> head_id_;
  std::string head_target_;
  CloneRefs refs_;
};

}  // namespace

std::vector<std::string> ref_prefixes(const CloneRequest& request) {
  if (request.mirror) return {};
  std::vector<std::string> prefixes = {"HEAD"};
  if (request.revision) {
    if (!object::Oid::from_hex(*request.revision)) prefixes.push_back(*request.revision);
    return prefixes;
  }
  if (request.is_single_branch() && request.branch) {
    prefixes.push_back(std::string(heads) + *request.branch);
    prefixes.push_back(std::string(tags) + *request.branch);
  } else {
    prefixes.emplace_back(heads);
  }
  if (request.tags) prefixes.emplace_back(tags);
  return prefixes;
}

CloneRefs choose_refs(const CloneRequest& request, const transport::RemoteRefs& remote,
                      const std::string& default_branch) {
  return Chooser(request, remote, default_branch).choose();
}

}  // namespace pfetch::command
