// The refs of the other side, as data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/oid.h"

namespace pfetch::transport {

using object::Oid;

// A server that lists more is refused.
inline constexpr std::size_t remote_refs_max = 50'000'000;

struct RemoteRef {
  std::string name;  // "HEAD" or a valid name that begins with "refs/"
  Oid id;
  std::optional<Oid> peeled;  // of an annotated tag: what it stands for in the end
  std::string symref_target;  // of a symbolic ref, when the server says so
};

struct RemoteRefs {
  std::vector<RemoteRef> refs;  // in the server's order; HEAD among them when it was asked for and is born
  // What HEAD stands for ("refs/heads/main"), also when that branch is not born yet. Empty: detached, not said, or not
  // asked for.
  std::string head_target;
  bool head_is_symbolic = false;  // the server says that HEAD is a symbolic ref, though perhaps to no valid name
  std::optional<Oid> head_id;     // nullopt: unborn, absent, or not asked for
  // One sentence for each name that was ignored since no ref may have it (at most remote_warnings_max).
  std::vector<std::string> warnings;

  const RemoteRef* find(std::string_view name) const;  // linear
  // Takes the ref in; ignores it with a warning when its name is not valid. Throws ErrorCode::protocol over the bound.
  void add(RemoteRef ref);
};

inline constexpr std::size_t remote_warnings_max = 100;

// Which names begin with one of a set of prefixes; with none at all, every name does.
class PrefixFilter {
 public:
  explicit PrefixFilter(std::vector<std::string> prefixes);
  bool matches(std::string_view name) const;

 private:
  std::vector<std::string> prefixes_;  // sorted; none begins with another
};

}  // namespace pfetch::transport
