// The tree that is being checked out, as far as it is known: directories, and the files in them.
//
// Nodes are created when a tree arrives and never move or go away before the plan does. Names are borrowed from the
// tree's own bytes, which each directory keeps. The structure is guarded by the engine's plan mutex; a file slot is
// written by the one thread that writes the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "checkout/attributes.h"
#include "checkout/index_file.h"
#include "checkout/plan_rules.h"
#include "object/oid.h"
#include "object/tree_view.h"

namespace pfetch::checkout {

struct Directory;

// A file, symlink or submodule: one entry of the index.
struct FileSlot {
  Directory* directory = nullptr;
  std::string_view name;
  const std::uint8_t* raw_id = nullptr;  // into the directory's tree bytes
  FileSlot* next_waiting = nullptr;      // others that wait for the same blob
  IndexStat stat{};                      // as it was right after writing
  std::uint32_t mode = 0;                // canonical
  bool written = false;

  object::Oid id() const { return object::Oid::from_raw(raw_id); }
};

// An entry of a directory in tree order, which is also the index's order: either a file or a directory below.
struct PlanItem {
  FileSlot* file = nullptr;
  Directory* directory = nullptr;
};

struct Directory {
  Directory* parent = nullptr;
  std::string_view name;  // empty for the top
  object::Oid tree_id;
  base::SharedBytes tree_bytes;  // keeps all names and ids below alive
  std::vector<PlanItem> items;
  bool grown = false;             // its tree has come: `items` is whole
  std::atomic<bool> made{false};  // exists in the worktree

  // Attributes: `attributes` may be used once `attributes_certain`; until then files wait in `held`.
  bool awaits_attribute_file = false;
  std::shared_ptr<const AttributeFile> attribute_file;
  std::shared_ptr<const AttributeStack> attributes;
  std::atomic<bool> attributes_certain{false};
  std::vector<FileSlot*> held;  // their blob has come, their attributes are not certain yet

  // "a/b/c", without a slash at the end; empty for the top.
  std::string path() const;
};

std::string path_of(const FileSlot& file);

class Plan {
 public:
  explicit Plan(const PlanRules& rules) : rules_(rules) {}

  Directory& top() { return top_; }
  const Directory& top() const { return top_; }

  // What one tree added to the plan.
  struct Growth {
    std::vector<FileSlot*> files;  // regular files and symlinks, blobs to wait for
    std::vector<FileSlot*> submodules;
    std::vector<Directory*> directories;
    FileSlot* attribute_file = nullptr;  // its `.gitattributes`, if it is a regular file
  };
  // Enters the entries of `tree` (object `id`) into `directory`. Throws ErrorCode::refused for a name that must not be
  // written or for too many of them, ErrorCode::corrupt for a broken tree, all with the path. The caller holds the plan
  // mutex.
  Growth grow(Directory& directory, const object::Oid& id, base::SharedBytes tree);

  // False when a tree is not sorted, has a name twice, or a name with a slash: then the walk is not the index's order.
  bool in_index_order() const { return in_index_order_; }
  std::deque<FileSlot>& files() { return files_; }

 private:
  const PlanRules rules_;
  Directory top_;
  std::deque<FileSlot> files_;
  std::deque<Directory> directories_;
  bool in_index_order_ = true;
};

}  // namespace pfetch::checkout
