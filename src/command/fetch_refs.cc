#include "command/fetch_refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "object/ref_name.h"

namespace pfetch::command {

namespace {

using object::FetchMap;
using object::Refspec;

std::vector<object::RemoteRef> as_remote_refs(const transport::RemoteRefs& advertised) {
  std::vector<object::RemoteRef> refs;
  refs.reserve(advertised.refs.size());
  for (const transport::RemoteRef& ref : advertised.refs) refs.push_back({ref.name, ref.id});
  return refs;
}

FetchedRef as_fetched(object::FetchMapping mapping, ForMerge for_merge) {
  FetchedRef ref;
  ref.by_id = mapping.remote_name.empty();
  ref.remote_name = ref.by_id ? mapping.id.hex() : std::move(mapping.remote_name);
  ref.id = mapping.id;
  ref.local_name = std::move(mapping.local_name);
  ref.force = mapping.force;
  ref.for_merge = for_merge;
  return ref;
}

class Chooser {
 public:
  Chooser(const FetchRules& rules, const transport::RemoteRefs& advertised)
      : rules_(rules), remote_refs_(as_remote_refs(advertised)) {}

  FetchRefs choose() {
    if (!rules_.refspecs.empty()) {
      add_asked_for();
    } else if (!rules_.remote.refspecs.empty() || rules_.upstream_is_here()) {
      add_configured();
    } else {
      add_head();
    }
    if (rules_.tags == FetchArguments::Tags::all) add(mapped({Refspec::for_all_tags()}, remote_refs_), ForMerge::no);
    for (FetchedRef& ref : tracked_) chosen_.refs.push_back(std::move(ref));
    drop_repeated();
    return std::move(chosen_);
  }

 private:
  FetchMap mapped(const std::vector<Refspec>& refspecs, const std::vector<object::RemoteRef>& among) {
    FetchMap map = object::map_fetch(refspecs, among);
    for (const std::string& name : map.ill_named) {
      chosen_.warnings.push_back(fmt::format("ignoring ref with broken name '{}'", name));
    }
    return map;
  }

  void require_all(const FetchMap& map) {
    if (map.missing.empty()) return;
    throw Error(ErrorCode::not_found, "couldn't find remote ref " + map.missing.front());
  }

  void add(FetchMap map, ForMerge for_merge) {
    for (object::FetchMapping& mapping : map.mappings) {
      chosen_.refs.push_back(as_fetched(std::move(mapping), for_merge));
    }
  }

  void add_asked_for() {
    FetchMap map = mapped(rules_.refspecs, remote_refs_);
    require_all(map);
    // What the configuration tracks of it is updated as well.
    std::vector<object::RemoteRef> asked_for;
    for (const object::FetchMapping& mapping : map.mappings) {
      if (!mapping.remote_name.empty()) asked_for.push_back({mapping.remote_name, mapping.id});
    }
    FetchMap tracking = mapped(rules_.refmap ? *rules_.refmap : rules_.remote.refspecs, asked_for);
    for (object::FetchMapping& mapping : tracking.mappings) {
      if (!mapping.local_name.empty()) tracked_.push_back(as_fetched(std::move(mapping), ForMerge::not_recorded));
    }
    add(std::move(map), ForMerge::yes);
  }

  void add_configured() {
    FetchMap map = mapped(rules_.remote.refspecs, remote_refs_);
    require_all(map);
    add(std::move(map), ForMerge::no);
    if (rules_.upstream.merge.empty()) {
      const auto& refspecs = rules_.remote.refspecs;
      if (!chosen_.refs.empty() && !refspecs.front().pattern) chosen_.refs.front().for_merge = ForMerge::yes;
    } else if (rules_.upstream_is_here()) {
      for (const std::string& name : rules_.upstream.merge) mark_for_merge(name);
    }
  }

  void mark_for_merge(const std::string& name) {
    for (FetchedRef& ref : chosen_.refs) {
      if (object::ref_lookup_rank(name, ref.remote_name) == object::ref_lookup_rules) continue;
      ref.for_merge = ForMerge::yes;
      return;
    }
    if (const object::RemoteRef* ref = object::find_remote_ref(remote_refs_, name)) {
      chosen_.refs.push_back({ref->name, ref->id, "", false, ForMerge::yes, false});
    }
  }

  void add_head() {
    const object::RemoteRef* head = object::find_remote_ref(remote_refs_, "HEAD");
    if (head == nullptr) throw Error(ErrorCode::not_found, "couldn't find remote ref HEAD");
    chosen_.refs.push_back({head->name, head->id, "", false, ForMerge::yes, false});
  }

  // Each local name once; what was asked for goes before what is only tracked.
  void drop_repeated() {
    std::unordered_map<std::string_view, const FetchedRef*> by_local_name;
    std::vector<FetchedRef> kept;
    kept.reserve(chosen_.refs.size());  // pointers into it stay
    for (FetchedRef& ref : chosen_.refs) {
      const auto found = ref.local_name.empty() ? by_local_name.end() : by_local_name.find(ref.local_name);
      if (found == by_local_name.end()) {
        kept.push_back(std::move(ref));
        if (!kept.back().local_name.empty()) by_local_name.emplace(kept.back().local_name, &kept.back());
      } else if (found->second->remote_name != ref.remote_name) {
        require_no_clash(*found->second, ref);
      }
    }
    chosen_.refs = std::move(kept);
  }

  void require_no_clash(const FetchedRef& first, const FetchedRef& second) {
    if (second.for_merge == ForMerge::not_recorded && first.for_merge != ForMerge::not_recorded) {
      chosen_.warnings.push_back(
          fmt::format("{} usually tracks {}, not {}", second.local_name, second.remote_name, first.remote_name));
      return;
    }
    throw Error(ErrorCode::refused, fmt::format("Cannot fetch both {} and {} to {}", first.remote_name,
                                                second.remote_name, second.local_name));
  }

  const FetchRules& rules_;
  const std::vector<object::RemoteRef> remote_refs_;
  FetchRefs chosen_;
  std::vector<FetchedRef> tracked_;
};

bool stores(const std::vector<Refspec>& refspecs) {
  return std::any_of(refspecs.begin(), refspecs.end(),
                     [](const Refspec& refspec) { return refspec.dst && !refspec.dst->empty(); });
}

// "tag" "v1" are one refspec.
std::vector<Refspec> refspecs_of(const std::vector<std::string>& words) {
  std::vector<Refspec> refspecs;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "tag") {
      refspecs.push_back(Refspec::parse(words[i], Refspec::Direction::fetch));
      continue;
    }
    if (++i == words.size()) throw Error(ErrorCode::usage, "You need to specify a tag name.");
    refspecs.push_back(Refspec::for_tag(words[i]));
  }
  return refspecs;
}

}  // namespace

bool FetchRules::follows_tags() const {
  return tags == FetchArguments::Tags::by_default && stores(refspecs.empty() ? remote.refspecs : refspecs);
}

FetchRules fetch_rules(const FetchArguments& arguments, const FetchRemote& remote, BranchUpstream upstream) {
  FetchRules rules{remote, refspecs_of(arguments.refspecs), std::nullopt, arguments.tags, std::move(upstream)};
  if (rules.tags == FetchArguments::Tags::by_default) {
    if (remote.tags == FetchRemote::TagOption::all) rules.tags = FetchArguments::Tags::all;
    if (remote.tags == FetchRemote::TagOption::none) rules.tags = FetchArguments::Tags::none;
  }
  if (arguments.refmap.empty()) return rules;
  if (rules.refspecs.empty()) {
    throw Error(ErrorCode::refused, "--refmap option is only meaningful with command-line refspec(s)");
  }
  rules.refmap.emplace();
  for (const std::string& text : arguments.refmap) {
    if (!text.empty()) rules.refmap->push_back(Refspec::parse(text, Refspec::Direction::fetch));
  }
  return rules;
}

std::optional<std::vector<std::string>> fetch_prefixes(const FetchRules& rules) {
  std::vector<std::string> prefixes;
  if (!rules.refspecs.empty()) {
    prefixes = object::ref_prefixes(rules.refspecs);
  } else {
    prefixes = object::ref_prefixes(rules.remote.refspecs);
    if (rules.upstream_is_here()) {
      prefixes.insert(prefixes.end(), rules.upstream.merge.begin(), rules.upstream.merge.end());
    }
    if (prefixes.empty()) prefixes.emplace_back("HEAD");
  }
  const bool wants_tags = rules.tags == FetchArguments::Tags::all || rules.follows_tags();
  if (prefixes.empty() && !wants_tags) return std::nullopt;
  if (wants_tags) prefixes.emplace_back("refs/tags/");
  return prefixes;
}

FetchRefs choose_fetch_refs(const FetchRules& rules, const transport::RemoteRefs& advertised) {
  return Chooser(rules, advertised).choose();
}

std::vector<FetchedRef> tags_to_follow(const transport::RemoteRefs& advertised,
                                       const std::unordered_set<object::Oid>& fetched,
                                       const std::function<bool(const std::string&)>& has_ref,
                                       const std::function<bool(const object::Oid&)>& has_object) {
  const auto comes = [&](const object::Oid& id) { return fetched.contains(id) || has_object(id); };
  std::vector<FetchedRef> tags;
  for (const transport::RemoteRef& ref : advertised.refs) {
    if (!object::is_tag_name(ref.name) || has_ref(ref.name)) continue;
    if (comes(ref.id) || (ref.peeled && comes(*ref.peeled))) {
      tags.push_back({ref.name, ref.id, ref.name, false, ForMerge::no, false});
    }
  }
  return tags;
}

void add_new(std::vector<FetchedRef>& refs, std::vector<FetchedRef> more) {
  if (more.empty()) return;
  std::unordered_set<std::string> taken;
  for (const FetchedRef& ref : refs) {
    if (!ref.local_name.empty()) taken.insert(ref.local_name);
  }
  for (FetchedRef& ref : more) {
    if (taken.insert(ref.local_name).second) refs.push_back(std::move(ref));
  }
}

}  // namespace pfetch::command
