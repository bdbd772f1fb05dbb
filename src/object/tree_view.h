// A tree object read in place (gitformat-tree: "<octal mode> <name>\0<raw id>", one entry after the other).
//
// A TreeView borrows its bytes and allocates nothing; entries point into the same bytes. It is a plain value, safe to
// read from many threads. Iterating throws ErrorCode::corrupt, naming the tree, at the first entry that is malformed:
// a mode that is not octal or over 16 bits, an empty name, a missing NUL, an id that is cut short. Whether names and
// modes are *acceptable* (order, "..", ".git") is for fsck and for the checkout plan to say, not for this room.
#pragma once

#include <cstring>
#include <iterator>
#include <string_view>

#include "base/bytes.h"
#include "object/oid.h"

namespace pfetch::object {

inline constexpr std::uint32_t mode_type_mask = 0170000;
inline constexpr std::uint32_t mode_tree = 0040000;
inline constexpr std::uint32_t mode_file = 0100644;
inline constexpr std::uint32_t mode_executable = 0100755;
inline constexpr std::uint32_t mode_symlink = 0120000;
inline constexpr std::uint32_t mode_gitlink = 0160000;

// One of the five modes above. As in Git, a file is executable by its owner bit alone, and what is neither file, nor
// symlink, nor directory counts as a gitlink.
constexpr std::uint32_t canonical_mode(std::uint32_t mode) {
  switch (mode & mode_type_mask) {
    case 0100000:
      return (mode & 0100) != 0 ? mode_executable : mode_file;
    case mode_symlink:
      return mode_symlink;
    case mode_tree:
      return mode_tree;
    default:
      return mode_gitlink;
  }
}

struct TreeEntry {
  std::uint32_t mode = 0;                // as stored: 0100664 stays 0100664
  std::string_view name;                 // not empty, holds no NUL; may be any other bytes
  const std::uint8_t* raw_id = nullptr;  // Oid::raw_size bytes

  Oid id() const { return Oid::from_raw(raw_id); }
  bool is_tree() const { return (mode & mode_type_mask) == mode_tree; }
  bool is_symlink() const { return (mode & mode_type_mask) == mode_symlink; }
  bool is_file() const { return (mode & mode_type_mask) == 0100000; }
  bool is_executable() const { return is_file() && (mode & 0100) != 0; }
  bool is_gitlink() const { return canonical_mode(mode) == mode_gitlink; }
  // The kind of object the id must name; a gitlink names a commit of another repository.
  Kind kind() const { return is_tree() ? Kind::tree : is_gitlink() ? Kind::commit : Kind::blob; }
};

class TreeView {
 public:
  // `id` serves messages only.
  TreeView(const Oid& id, base::Bytes bytes) : id_(id), bytes_(base::as_text(bytes)) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TreeEntry;
    using difference_type = std::ptrdiff_t;
    using pointer = const TreeEntry*;
    using reference = const TreeEntry&;

    explicit Iterator(const TreeView& tree) : tree_(&tree), next_(tree.bytes_.data()) { advance(); }
    const TreeEntry& operator*() const { return entry_; }
    const TreeEntry* operator->() const { return &entry_; }
    Iterator& operator++() {
      advance();
      return *this;
    }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.entry_.raw_id == nullptr; }

   private:
    void advance();

    const TreeView* tree_;
    const char* next_;  // where the entry after `entry_` begins
    TreeEntry entry_;   // raw_id is null at the end
  };

  Iterator begin() const { return Iterator(*this); }  // the view must outlive its iterators
  std::default_sentinel_t end() const { return {}; }
  bool empty() const { return bytes_.empty(); }
  const Oid& id() const { return id_; }
  base::Bytes bytes() const { return base::as_bytes(bytes_); }

 private:
  [[noreturn]] void throw_malformed(const char* entry, const char* why) const;

  Oid id_;
  std::string_view bytes_;
};

// Git's order of tree entries: by bytes, a tree's name compared as if it ended in '/'. Negative, zero or positive.
int compare_tree_names(std::string_view a, bool a_is_tree, std::string_view b, bool b_is_tree);

inline void TreeView::Iterator::advance() {
  const char* const end = tree_->bytes_.data() + tree_->bytes_.size();
  const char* at = next_;
  if (at == end) {
    entry_.raw_id = nullptr;
    return;
  }
  std::uint32_t mode = 0;
  for (; at != end && *at != ' '; ++at) {
    const auto digit = static_cast<std::uint32_t>(static_cast<unsigned char>(*at)) - '0';
    if (digit > 7) tree_->throw_malformed(next_, "its mode is not an octal number");
    mode = mode << 3 | digit;
    if (mode > 0177777) tree_->throw_malformed(next_, "its mode is too large");
  }
  if (at == next_) tree_->throw_malformed(next_, "it has no mode");
  if (at == end) tree_->throw_malformed(next_, "it is cut short in its mode");
  const char* const name = at + 1;
  const auto* const name_end = static_cast<const char*>(std::memchr(name, 0, static_cast<std::size_t>(end - name)));
  if (name_end == nullptr) tree_->throw_malformed(next_, "its name does not end");
  if (name_end == name) tree_->throw_malformed(next_, "its name is empty");
  if (static_cast<std::size_t>(end - name_end - 1) < Oid::raw_size) {
    tree_->throw_malformed(next_, "its object id is cut short");
  }
  entry_.mode = mode;
  entry_.name = {name, static_cast<std::size_t>(name_end - name)};
  entry_.raw_id = reinterpret_cast<const std::uint8_t*>(name_end + 1);
  next_ = name_end + 1 + Oid::raw_size;
}

}  // namespace pfetch::object
