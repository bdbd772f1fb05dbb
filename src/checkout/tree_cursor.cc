#include "checkout/tree_cursor.h"

#include <algorithm>

#include "object/must_read.h"

namespace pfetch::checkout {

TreeCursor::TreeCursor(object::ObjectSource& objects, const std::optional<object::Oid>& tree, bool& odd)
    : bytes_(tree ? object::must_read(objects, *tree, object::Kind::tree).bytes : base::SharedBytes()),
      view_(tree.value_or(object::Oid()), bytes_.view()),
      at_(view_.begin()),
      odd_(odd) {
  check_entry();
}

void TreeCursor::advance() {
  before_ = *at_;
  ++at_;
  check_entry();
}

void TreeCursor::check_entry() {
  if (at_ == view_.end()) return;
  const std::string_view name = at_->name;
  if (name.find('/') != std::string_view::npos) odd_ = true;
  if (object::compare_tree_names(before_.name, before_.is_tree(), name, at_->is_tree()) >= 0) odd_ = true;
  while (!files_.empty() && !name.starts_with(files_.back())) files_.pop_back();
  if (!at_->is_tree()) {
    files_.push_back(name);
  } else if (std::find(files_.begin(), files_.end(), name) != files_.end()) {
    odd_ = true;
  }
}

}  // namespace pfetch::checkout
