#include "object/refspec.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "object/ref_name.h"

namespace pfetch::object {

namespace {

[[noreturn]] void throw_invalid(std::string_view text) {
  throw Error(ErrorCode::usage, fmt::format("invalid refspec '{}'", text));
}

bool has_star(std::string_view text) {
  return text.find('*') != std::string_view::npos;
}

bool is_well_named(std::string_view name, bool pattern) {
  return is_valid_ref_name(name, {.one_level = true, .pattern = pattern});
}

// A negative refspec names refs only: no id, nothing empty, one side.
bool is_sound_negative(const Refspec& spec) {
  return !spec.dst && !spec.src.empty() && !Oid::from_hex(spec.src) && is_well_named(spec.src, spec.pattern);
}

bool is_sound_fetch(const Refspec& spec) {
  const bool src_sound = spec.src.empty() || spec.exact_id || is_well_named(spec.src, spec.pattern);
  const bool dst_sound = !spec.dst || spec.dst->empty() || is_well_named(*spec.dst, spec.pattern);
  return src_sound && dst_sound;
}

// On push the left side may be any expression for an object, unless its name is also the name over there.
bool is_sound_push(const Refspec& spec) {
  if (!spec.dst) return is_well_named(spec.src, spec.pattern);
  if (spec.pattern && !spec.src.empty() && !is_well_named(spec.src, true)) return false;
  return !spec.dst->empty() && is_well_named(*spec.dst, spec.pattern);
}

// A star on both sides, or on none; a fetch must say where a pattern goes.
bool has_sound_stars(const Refspec& spec, Refspec::Direction direction) {
  const bool left = has_star(spec.src);
  if (spec.dst) return left == has_star(*spec.dst);
  return !left || spec.negative || direction == Refspec::Direction::push;
}

std::optional<std::string> replaced(std::string_view from, std::string_view to, std::string_view name) {
  const auto star = match_ref_glob(from, name);
  if (!star) return std::nullopt;
  std::string result(to);
  const auto place = result.find('*');
  if (place == std::string::npos) return std::nullopt;
  return result.replace(place, 1, *star);
}

// The full local name for what stands on the right side.
std::string full_local_name(std::string_view name) {
  if (name.empty() || name.starts_with("refs/")) return std::string(name);
  if (name.starts_with("heads/") || name.starts_with("tags/") || name.starts_with("remotes/")) {
    return "refs/" + std::string(name);
  }
  return "refs/heads/" + std::string(name);
}

bool is_peeled_entry(std::string_view name) {
  return name.find('^') != std::string_view::npos;
}

}  // namespace

Refspec Refspec::parse(std::string_view text, Direction direction) {
  Refspec spec;
  std::string_view rest = text;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '^')) {
    spec.force = rest.front() == '+';
    spec.negative = !spec.force;
    rest.remove_prefix(1);
  }
  const auto colon = rest.rfind(':');
  if (direction == Direction::push && !spec.negative && rest == ":") {
    spec.matching = true;
    return spec;
  }
  spec.src = rest.substr(0, colon);
  if (colon != std::string_view::npos) spec.dst = rest.substr(colon + 1);
  if (!has_sound_stars(spec, direction)) throw_invalid(text);
  spec.pattern = has_star(spec.src);
  if (spec.src == "@") spec.src = "HEAD";
  spec.exact_id = direction == Direction::fetch && !spec.negative && Oid::from_hex(spec.src).has_value();
  const bool sound = spec.negative                   ? is_sound_negative(spec)
                     : direction == Direction::fetch ? is_sound_fetch(spec)
                                                     : is_sound_push(spec);
  if (!sound) throw_invalid(text);
  return spec;
}

std::vector<Refspec> Refspec::parse_all(std::span<const std::string> texts, Direction direction) {
  std::vector<Refspec> specs;
  specs.reserve(texts.size());
  for (const std::string& text : texts) specs.push_back(parse(text, direction));
  return specs;
}

Refspec Refspec::for_tag(std::string_view name) {
  const std::string full = "refs/tags/" + std::string(name);
  return parse(full + ":" + full, Direction::fetch);
}

Refspec Refspec::for_all_tags() {
  return for_tag("*");
}

std::string Refspec::text() const {
  if (matching) return force ? "+:" : ":";
  return fmt::format("{}{}{}", force ? "+" : negative ? "^" : "", src, dst ? ":" + *dst : "");
}

std::optional<std::string_view> match_ref_glob(std::string_view pattern, std::string_view name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (name.size() < before.size() + after.size() || !name.starts_with(before)) return std::nullopt;
  if (name.substr(name.size() - after.size()) != after) return std::nullopt;
  return name.substr(star, name.size() - before.size() - after.size());
}

bool Refspec::matches_src(std::string_view name) const {
  return pattern ? match_ref_glob(src, name).has_value() : src == name;
}

bool Refspec::matches_dst(std::string_view name) const {
  if (!dst) return false;
  return pattern ? match_ref_glob(*dst, name).has_value() : *dst == name;
}

std::optional<std::string> Refspec::to_dst(std::string_view name) const {
  if (!dst || !matches_src(name)) return std::nullopt;
  return pattern ? replaced(src, *dst, name) : dst;
}

std::optional<std::string> Refspec::to_src(std::string_view name) const {
  if (!matches_dst(name)) return std::nullopt;
  return pattern ? replaced(*dst, src, name) : src;
}

const RemoteRef* find_remote_ref(std::span<const RemoteRef> remote_refs, std::string_view name) {
  const RemoteRef* best = nullptr;
  std::size_t best_rank = ref_lookup_rules;
  for (const RemoteRef& ref : remote_refs) {
    const std::size_t rank = ref_lookup_rank(name, ref.name);
    if (rank < best_rank) {
      best = &ref;
      best_rank = rank;
    }
  }
  return best;
}

namespace {

void map_pattern(const Refspec& spec, std::size_t number, std::span<const RemoteRef> remote_refs, FetchMap& map) {
  for (const RemoteRef& ref : remote_refs) {
    if (is_peeled_entry(ref.name)) continue;
    auto local = spec.to_dst(ref.name);
    if (local) map.mappings.push_back({ref.name, ref.id, std::move(*local), spec.force, number});
  }
}

void map_exact(const Refspec& spec, std::size_t number, std::span<const RemoteRef> remote_refs, FetchMap& map) {
  const std::string local = full_local_name(spec.dst.value_or(""));
  if (spec.exact_id) {
    map.mappings.push_back({"", *Oid::from_hex(spec.src), local, spec.force, number});
    return;
  }
  const std::string name = spec.src.empty() ? "HEAD" : spec.src;
  const RemoteRef* ref = find_remote_ref(remote_refs, name);
  if (ref == nullptr) {
    map.missing.push_back(name);
    return;
  }
  map.mappings.push_back({ref->name, ref->id, local, spec.force, number});
}

void drop_negated(std::span<const Refspec> refspecs, FetchMap& map) {
  std::erase_if(map.mappings, [&](const FetchMapping& mapping) {
    return std::any_of(refspecs.begin(), refspecs.end(),
                       [&](const Refspec& spec) { return spec.negative && spec.matches_src(mapping.remote_name); });
  });
}

void drop_ill_named(FetchMap& map) {
  std::erase_if(map.mappings, [&](const FetchMapping& mapping) {
    const std::string& local = mapping.local_name;
    if (local.empty() || (local.starts_with("refs/") && is_valid_ref_name(local))) return false;
    map.ill_named.push_back(local);
    return true;
  });
}

void drop_repeated(FetchMap& map) {
  std::unordered_map<std::string_view, const FetchMapping*> stored;  // by local name
  std::vector<bool> repeated(map.mappings.size());
  stored.reserve(map.mappings.size());
  const auto source_of = [](const FetchMapping& mapping) {
    return mapping.remote_name.empty() ? mapping.id.hex() : mapping.remote_name;
  };
  for (std::size_t i = 0; i < map.mappings.size(); ++i) {
    const FetchMapping& mapping = map.mappings[i];
    if (mapping.local_name.empty()) continue;
    const auto [place, fresh] = stored.try_emplace(mapping.local_name, &mapping);
    repeated[i] = !fresh;
    const bool is_same = fresh || source_of(*place->second) == source_of(mapping);
    if (is_same) continue;
    throw Error(ErrorCode::refused, fmt::format("Cannot fetch both {} and {} to {}", source_of(*place->second),
                                                source_of(mapping), mapping.local_name));
  }
  stored.clear();  // it refers to what moves now
  std::size_t at = 0;
  std::erase_if(map.mappings, [&](const FetchMapping&) { return repeated[at++]; });
}

}  // namespace

FetchMap map_fetch(std::span<const Refspec> refspecs, std::span<const RemoteRef> remote_refs) {
  FetchMap map;
  for (std::size_t i = 0; i < refspecs.size(); ++i) {
    const Refspec& spec = refspecs[i];
    if (spec.negative) continue;
    if (spec.pattern) {
      map_pattern(spec, i, remote_refs, map);
    } else {
      map_exact(spec, i, remote_refs, map);
    }
  }
  drop_negated(refspecs, map);
  drop_ill_named(map);
  drop_repeated(map);
  return map;
}

std::vector<std::string> ref_prefixes(std::span<const Refspec> refspecs) {
  std::vector<std::string> prefixes;
  const auto add = [&](std::string prefix) {
    if (std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end()) prefixes.push_back(std::move(prefix));
  };
  for (const Refspec& spec : refspecs) {
    if (spec.negative || spec.exact_id || spec.matching) continue;
    if (spec.pattern) {
      add(spec.src.substr(0, spec.src.find('*')));
    } else if (spec.src.starts_with("refs/")) {
      add(spec.src);
    } else {
      for (std::string& name : ref_lookup_names(spec.src.empty() ? "HEAD" : spec.src)) add(std::move(name));
    }
  }
  return prefixes;
}

}  // namespace pfetch::object
