// Whether a file of the worktree still has the content of its index entry: its bytes are brought to what the repository
// would store (checkout/cleaner), and named.
//
// Thread safe. What cannot be read counts as another content. Errors: what the Cleaner and the lookup throw.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "checkout/attribute_lookup.h"
#include "checkout/cleaner.h"
#include "checkout/index_file.h"
#include "object/object_source.h"

namespace pfetch::checkout {

// The commit that a submodule has checked out, by its path; nullopt: no repository is there.
using SubmoduleHead = std::function<std::optional<object::Oid>(const std::string& path)>;

class ContentCheck {
 public:
  struct Parts {
    Cleaner& cleaner;
    AttributeLookup& attributes;  // as files go to the repository
    object::ObjectSource& objects;
    SubmoduleHead submodule_head;
    bool converts_all = false;  // core.autocrlf: files without attributes are converted, too
  };
  // All must outlive it.
  explicit ContentCheck(Parts parts) : parts_(std::move(parts)) {}

  // `found`: what lstat(2) says of the file, of the entry's kind; it is `leaf` in the open directory.
  bool same(const IndexEntry& entry, int directory, const std::string& leaf, const struct stat& found);

 private:
  std::optional<object::Oid> id_of_file(const IndexEntry& entry, int directory, const std::string& leaf,
                                        const struct stat& found);

  const Parts parts_;
};

}  // namespace pfetch::checkout
