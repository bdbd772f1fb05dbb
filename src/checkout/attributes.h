// Which attributes a path has: the files of gitattributes(5), stacked by precedence.
//
// From weakest to strongest: the built-in macro `binary`, the system's file, the user's file, the `.gitattributes` of
// each directory of the tree from its top down to the path's own, and `info/attributes`. Of two lines in a file the
// later wins; each attribute is decided on its own. Which files exist, and reading them, is the caller's business; a
// `.gitattributes` that is a symbolic link counts as absent.
//
// A stack is made for one directory and shares everything above with its parent. It is immutable: any number of threads
// may query one at once, without locks, and a child keeps what it needs alive.
//
// Where git 2.39 and gitattributes(5) differ, git is followed: it compares the literal beginning of a path's pattern
// apart, so the stars of `foo**/bar` stand alone behind it and match `foo/x/bar` too.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkout/attribute_file.h"

namespace pfetch::checkout {

// The attributes that decide how a blob becomes a file, and those that were asked for by name. Others are not kept.
struct Attributes {
  AttributeState text;
  AttributeState crlf;  // the old name of `text`
  AttributeState eol;
  AttributeState ident;
  AttributeState filter;
  AttributeState working_tree_encoding;
  std::vector<AttributeState> also{};  // those of Sources::also, in its order; empty when the path has none at all

  friend bool operator==(const Attributes&, const Attributes&) = default;
};

using SharedAttributeFile = std::shared_ptr<const AttributeFile>;  // may be null: there is no such file

class AttributeStack : public std::enable_shared_from_this<AttributeStack> {
  struct Private {};

 public:
  // All files that can define macros.
  struct Sources {
    std::vector<SharedAttributeFile> below;  // below the tree, weakest first: the system's, the user's
    SharedAttributeFile top;                 // `.gitattributes` in the top directory of the tree
    SharedAttributeFile info;                // $GIT_DIR/info/attributes
    bool casefold = false;                   // core.ignoreCase
    std::vector<std::string> also{};         // further attributes to be kept, each once
  };

  // For the top directory.
  static std::shared_ptr<const AttributeStack> root(const Sources& sources);

  // For the directory `component` (one name) below this one. `file` must have been parsed without macros.
  std::shared_ptr<const AttributeStack> child(std::string_view component, SharedAttributeFile file) const;

  // `path` is a file's path from the top of the worktree, directly in this stack's directory (or below it, if no
  // directory between them has a file).
  Attributes query(std::string_view path) const;

  // True when no path in this directory, or in one below it without a file of its own, can have any attribute.
  bool is_empty() const;

  struct Common;
  struct Level;
  explicit AttributeStack(Private) {}

 private:
  std::shared_ptr<const Common> common_;         // macros, and the files that hold for every directory
  std::shared_ptr<const AttributeStack> below_;  // the nearest directory above that has rules; null: none
  std::shared_ptr<const Level> level_;           // this directory's rules; null: none
  std::size_t directory_size_ = 0;               // bytes of this directory's path with its final '/'; 0 at the top
};

}  // namespace pfetch::checkout
