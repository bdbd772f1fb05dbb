// The entries of a stored tree, one after the other, for walks that hold it against something else.
//
// One thread; stays where it is made. Errors: ErrorCode::corrupt for a tree that is missing, of another kind or broken.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "object/object_source.h"
#include "object/tree_view.h"

namespace pfetch::checkout {

class TreeCursor {
 public:
  // nullopt has no entries. `odd` is set, and never cleared, when an entry is not where git writes it: out of order,
  // there twice, with a slash in its name, or a directory beside a file of its name. A walk that relies on the order is
  // then worth nothing.
  TreeCursor(object::ObjectSource& objects, const std::optional<object::Oid>& tree, bool& odd);
  TreeCursor(const TreeCursor&) = delete;
  TreeCursor& operator=(const TreeCursor&) = delete;

  // nullptr at the end.
  const object::TreeEntry* entry() const { return at_ == view_.end() ? nullptr : &*at_; }
  void advance();

 private:
  void check_entry();

  base::SharedBytes bytes_;
  object::TreeView view_;
  object::TreeView::Iterator at_;
  bool& odd_;
  object::TreeEntry before_;
  std::vector<std::string_view> files_;  // each begins as the one before; the entry's name begins as all of them
};

}  // namespace pfetch::checkout
