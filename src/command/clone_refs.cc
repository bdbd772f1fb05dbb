#include "command/clone_refs.h"

#include <algorithm>
#include <unordered_set>

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
  Chooser(const CloneRequest& request, const RemoteRefs& remote, const CloneRefRules& rules)
      : request_(request),
        remote_(remote),
        rules_(rules),
        default_branch_("refs/heads/" + rules.default_branch),
        head_(remote.find("HEAD")) {}

  CloneRefs choose() {
    if (request_.revision) {
      choose_revision();
    } else {
      map_refs();
      if (!rules_.refspecs.empty()) drop_repeated();
      refs_.empty_remote = refs_.mapped.empty() && refs_.wants.empty();
      place_head();
      configure();
    }
    for (const MappedRef& ref : refs_.mapped) refs_.wants.push_back(ref.id);
    refs_.wants = object::sorted_unique(std::move(refs_.wants));
    return std::move(refs_);
  }

 private:
  void map(const RemoteRef& ref) {
    const bool moves = ref.name.starts_with(heads) && !request_.mirror;
    std::string local_name = moves ? branch_top(request_) + after(ref.name, heads) : ref.name;
    refs_.mapped.push_back({ref.name, std::move(local_name), ref.id, ref.peeled});
  }

  // What the configuration wants of `among`, beside what every clone takes.
  void map_configured(const std::vector<RemoteRef>& among) {
    if (rules_.refspecs.empty()) return;
    std::vector<object::RemoteRef> refs;
    for (const RemoteRef& ref : among) refs.push_back({ref.name, ref.id});
    object::FetchMap map = object::map_fetch(rules_.refspecs, refs);
    if (!map.missing.empty()) throw Error(ErrorCode::not_found, "couldn't find remote ref " + map.missing.front());
    for (object::FetchMapping& mapping : map.mappings) {
      refs_.wants.push_back(mapping.id);
      if (!mapping.local_name.empty()) {
        refs_.mapped.push_back({mapping.remote_name, std::move(mapping.local_name), mapping.id, std::nullopt});
      }
    }
  }

  void drop_repeated() {
    std::unordered_set<std::string_view> taken;
    std::erase_if(refs_.mapped, [&](const MappedRef& ref) { return !taken.insert(ref.local_name).second; });
  }

  void choose_revision() {
    const std::string& revision = *request_.revision;
    refs_.head_id = object::Oid::from_hex(revision);
    if (!refs_.head_id) {
      const RemoteRef* found = remote_.find(revision);
      if (found == nullptr) {
        throw Error(ErrorCode::not_found, "Remote revision " + revision + " not found in upstream " + request_.origin);
      }
      refs_.head_id = found->id;
    }
    refs_.wants.push_back(*refs_.head_id);
  }

  void map_refs() {
    if (request_.is_single_branch()) {
      map_single();
      return;
    }
    // The other side's HEAD is asked for even where no branch holds it.
    if (head_ != nullptr) refs_.wants.push_back(head_->id);
    map_configured(remote_.refs);
    for (const RemoteRef& ref : remote_.refs) {
      const bool is_tag = ref.name.starts_with(tags) && request_.tags;
      if (ref.name.starts_with(remote_top(request_)) || is_tag) map(ref);
    }
  }

  void map_single() {
    const RemoteRef* single = nullptr;
    if (request_.branch) {
      single = find_branch_or_tag(remote_, *request_.branch);
    } else {
      if (head_ != nullptr) refs_.wants.push_back(head_->id);
      single = guess_head(remote_.refs);
    }
    const bool in_refspec =
        single != nullptr && (request_.mirror || single->name.starts_with(heads) || single->name.starts_with(tags));
    if (single != nullptr) map_configured({*single});
    if (in_refspec) map(*single);
    if (!request_.tags) return;
    refs_.include_tag = true;
    for (const RemoteRef& ref : remote_.refs) {
      const bool is_mapped = in_refspec && ref.name == single->name;
      if (ref.name.starts_with(tags) && !is_mapped) refs_.followed.push_back({ref.name, ref.name, ref.id, ref.peeled});
    }
  }

  // Which of `among` the other side's HEAD stands for: what it says itself, otherwise a branch at the same commit, the
  // default one rather than another.
  const RemoteRef* guess_head(const std::vector<RemoteRef>& among) const {
    if (head_ == nullptr) return nullptr;
    const RemoteRef* guess = nullptr;
    int guess_rank = 0;
    for (const RemoteRef& ref : among) {
      if (remote_.head_is_symbolic) {
        if (ref.name == remote_.head_target) return &ref;
        continue;
      }
      if (ref.id != head_->id || !ref.name.starts_with(heads)) continue;
      const int rank = ref.name == default_branch_ ? 3 : ref.name == "refs/heads/master" ? 2 : 1;
      if (rank > guess_rank) guess = &ref;
      guess_rank = std::max(rank, guess_rank);
    }
    return guess;
  }

  void place_head() {
    std::vector<RemoteRef> mapped;
    for (const MappedRef& ref : refs_.mapped) mapped.push_back({ref.remote_name, ref.id, ref.peeled, {}});
    const RemoteRef* head_branch = guess_head(mapped);
    if (head_branch != nullptr && !request_.bare) {
      const bool moves = head_branch->name.starts_with(heads);
      refs_.origin_head = moves ? branch_top(request_) + after(head_branch->name, heads) : head_branch->name;
    }
    if (request_.branch) {
      place_head_at_branch(*request_.branch);
    } else if (head_branch != nullptr && head_branch->name.starts_with(heads)) {
      put_head_on(head_branch->name);
      refs_.head_id = head_branch->id;
    } else if (head_ != nullptr) {
      refs_.head_id = head_->id;  // detached there, detached here
    } else {
      // Unborn there, unborn here; but the name may be that of a branch that is there.
      put_head_on(remote_.head_target.starts_with(heads) ? remote_.head_target : default_branch_);
      for (const MappedRef& ref : refs_.mapped) {
        if (ref.remote_name == refs_.head_branch) refs_.head_id = ref.id;
      }
    }
    refs_.head_is_nowhere = !refs_.head_id && !refs_.empty_remote;
    if (head_branch != nullptr) head_name_ = head_branch->name;
  }

  void put_head_on(const std::string& branch) {
    refs_.head_branch = branch;
    refs_.head_remote_branch = branch;
  }

  void place_head_at_branch(const std::string& name) {
    const RemoteRef* found = find_branch_or_tag(remote_, name);
    if (found == nullptr) {
      throw Error(ErrorCode::not_found, "Remote branch " + name + " not found in upstream " + request_.origin);
    }
    refs_.head_id = found->id;
    if (found->name.starts_with(heads)) put_head_on(found->name);
    head_name_ = found->name;
  }

  void configure() {
    if (request_.bare && !request_.mirror) return;
    if (!request_.is_single_branch() || request_.mirror) {
      refs_.refspecs.push_back("+" + std::string(remote_top(request_)) + "*:" + branch_top(request_) + "*");
      return;
    }
    const std::string single = request_.branch ? find_branch_or_tag(remote_, *request_.branch)->name : head_name_;
    if (single.starts_with(tags)) {
      refs_.refspecs.push_back("+" + single + ":" + single);
    } else if (single.starts_with(heads)) {
      refs_.refspecs.push_back("+" + single + ":" + branch_top(request_) + after(single, heads));
    }
  }

  const CloneRequest& request_;
  const RemoteRefs& remote_;
  const CloneRefRules& rules_;
  const std::string default_branch_;  // full name
  const RemoteRef* head_;
  std::string head_name_;  // the remote's name of what HEAD stands for, among what is mapped
  CloneRefs refs_;
};

}  // namespace

std::string CloneRefs::short_head_branch() const {
  return head_branch.empty() ? "" : head_branch.substr(heads.size());
}

std::vector<std::string> ref_prefixes(const CloneRequest& request, const CloneRefRules& rules) {
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
  for (std::string& prefix : object::ref_prefixes(rules.refspecs)) prefixes.push_back(std::move(prefix));
  return prefixes;
}

CloneRefs choose_refs(const CloneRequest& request, const transport::RemoteRefs& remote, const CloneRefRules& rules) {
  return Chooser(request, remote, rules).choose();
}

}  // namespace pfetch::command
