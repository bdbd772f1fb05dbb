// What fsck says about one object: the checks behind transfer.fsckObjects, fetch.fsck.*, receive.fsck.* and
// `index-pack --strict`, with Git's message ids and severities (git-fsck(1), "FSCK MESSAGES").
//
// Pure: nothing is read, nothing is printed. Configure a FsckRules first; afterwards all const members may be called
// from many threads at once. Findings are data: the caller prints them and refuses where `is_error`. As in Git, a
// commit or a tag is judged up to its first error, a tree to its end. Absent objects (parents behind a shallow
// boundary, say) are not fsck's business.
//
// Blobs matter only where a tree names them .gitmodules or .gitattributes: `check` lists those in `named`, and once all
// objects are there the caller gives each of them to `check_named`, once.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "object/object_source.h"
#include "object/oid.h"
#include "repo/fsck_ids.h"

namespace pfetch::repo {

struct FsckFinding {
  FsckId id{};
  FsckSeverity severity{};  // as configured; never `ignore`
  std::string text;

  bool is_error() const { return severity >= FsckSeverity::error; }
  // "object <oid>: <id>: <text>", to be printed behind "error: " or "warning: ".
  std::string message(const object::Oid& oid) const;
};

// A blob that Git reads by itself.
struct FsckNamed {
  enum class What { gitmodules, gitattributes };
  object::Oid id;
  What what{};
  friend bool operator==(const FsckNamed&, const FsckNamed&) = default;
};

class FsckRules {
 public:
  // With `strict`, as `index-pack --strict` and transfer.fsckObjects are, every warning that is not configured
  // otherwise is an error, and mode 100664 is a bad one.
  explicit FsckRules(bool strict = false);

  // `fetch.fsck.<id> = <severity>`, where severity is "error", "warn" or "ignore" and `id` is in any case. False when
  // the id is not known, which Git answers with a warning. Throws ErrorCode::config for another severity and for a
  // fatal message that would be demoted.
  bool configure(std::string_view id, std::string_view severity);
  // The text of a skip list: an object id on each line, '#' begins a comment. Nothing is said about these objects.
  // Throws ErrorCode::config naming `file` for a line that is no id.
  void add_skip_list(std::string_view text, std::string_view file);
  void skip(const object::Oid& id) { skipped_.insert(id); }

  FsckSeverity severity(FsckId id) const { return severities_[static_cast<std::size_t>(id)]; }
  bool skips(const object::Oid& id) const { return skipped_.count(id) != 0; }
  bool strict() const { return strict_; }

  // Findings about one object, which need not be well-formed in any way. Appends to `named`, if it is not null.
  std::vector<FsckFinding> check(const object::Oid& id, object::Kind kind, base::Bytes bytes,
                                 std::vector<FsckNamed>* named = nullptr) const;

  // A blob a tree gave a name to. `object`: nullptr when it is not there. `too_large`: it was not loaded, being larger
  // than core.bigFileThreshold; then its bytes may be empty.
  std::vector<FsckFinding> check_named(const FsckNamed& named, const object::Object* object, bool too_large) const;

 private:
  bool strict_;
  std::array<FsckSeverity, fsck_id_count> severities_{};
  std::unordered_set<object::Oid> skipped_;
};

// What Git prints last before it gives up over an error: "fsck error in packed object".
inline constexpr std::string_view fsck_packed_failure = "fsck error in packed object";

}  // namespace pfetch::repo
