// Refspecs: `[+|^]<src>[:<dst>]`, as in git-fetch(1) and git-push(1), and what they make of a list of refs.
//
// Pure values and functions, callable from any thread. `Refspec::parse` and `map_fetch` throw pfetch::Error as said
// beside them; trouble with single refs is data in `FetchMap`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/oid.h"

namespace pfetch::object {

struct Refspec {
  enum class Direction { fetch, push };

  std::string src;                 // "HEAD" where "@" was written; empty: HEAD (fetch) or "delete" (push)
  std::optional<std::string> dst;  // nullopt: no colon was written
  bool force = false;              // began with '+'
  bool negative = false;           // began with '^': what it matches is left out
  bool pattern = false;            // has a '*' on each side (only on the left when negative)
  bool exact_id = false;           // fetch only: src is an object id
  bool matching = false;           // push only: ":"

  // Throws ErrorCode::usage: "invalid refspec '<text>'".
  static Refspec parse(std::string_view text, Direction direction);
  static std::vector<Refspec> parse_all(std::span<const std::string> texts, Direction direction);
  // "refs/tags/<name>:refs/tags/<name>", what "tag <name>" on a command line stands for.
  static Refspec for_tag(std::string_view name);
  // "refs/tags/*:refs/tags/*".
  static Refspec for_all_tags();

  std::string text() const;

  // Whether `name` is matched by src as it stands (glob or equal), without the lookup rules of short names.
  bool matches_src(std::string_view name) const;
  bool matches_dst(std::string_view name) const;
  // The other side of a matching name: what '*' stood for is put into dst (or, backwards, into src). nullopt: no match,
  // or no other side.
  std::optional<std::string> to_dst(std::string_view name) const;
  std::optional<std::string> to_src(std::string_view name) const;

  friend bool operator==(const Refspec&, const Refspec&) = default;
};

// Where a pattern with one '*' matches `name`, the bytes that '*' stood for.
std::optional<std::string_view> match_ref_glob(std::string_view pattern, std::string_view name);

// A ref as the other side advertises it.
struct RemoteRef {
  std::string name;
  Oid id;
};

struct FetchMapping {
  std::string remote_name;  // empty when an object id was asked for
  Oid id;
  std::string local_name;  // empty: not stored, only FETCH_HEAD
  bool force = false;
  std::size_t refspec = 0;  // which of the refspecs made it
};

struct FetchMap {
  std::vector<FetchMapping> mappings;  // in the order of the refspecs, then of the remote's refs
  std::vector<std::string> missing;    // src of exact refspecs that the remote does not have
  std::vector<std::string> ill_named;  // local names that are no valid full ref names; their refs are left out
};

// What fetching with `refspecs` takes from `remote_refs` (in the server's order; peeled "^{}" entries are skipped).
// Short names are looked up as Git does; a local name without "refs/" becomes a branch (or what "heads/", "tags/" and
// "remotes/" say). Negative refspecs are applied last; the same pair named twice counts once. Throws
// ErrorCode::refused when two different refs would be stored under one name.
FetchMap map_fetch(std::span<const Refspec> refspecs, std::span<const RemoteRef> remote_refs);

// The strongest match for a possibly short `name`; nullptr when there is none.
const RemoteRef* find_remote_ref(std::span<const RemoteRef> remote_refs, std::string_view name);

// The prefixes that a server must be asked for (protocol v2 `ref-prefix`) so that map_fetch sees all it needs.
std::vector<std::string> ref_prefixes(std::span<const Refspec> refspecs);

}  // namespace pfetch::object
