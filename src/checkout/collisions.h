// What became of files for which something stood there already when they were to be created.
//
// A file system that folds case, or knows a character by several encodings, gives two paths one place. Then what stands
// there has the inode of something that the same checkout wrote: a file, or a directory with files of its own below.
// Anything else is somebody's. So nothing depends on how a file system folds, nor on which of them came first.
//
// One thread, when all is written. Errors: none; what cannot be looked at is somebody's.
#pragma once

#include <string>
#include <vector>

#include "checkout/plan.h"

namespace pfetch::checkout {

struct Collisions {
  std::vector<std::string> collided;  // all members of each group, in order, each once
  std::vector<std::string> theirs;    // that somebody put there meanwhile, in order, each once
};

Collisions find_collisions(int top, const std::vector<const FileSlot*>& files, const std::vector<FileSlot*>& unwritten);

// `top` is the worktree's descriptor, `files` (a list of FileSlot) is everything that was to be written, `unwritten`
// those of them that met something.
template <typename Files>
Collisions find_collisions(int top, const Files& files, const std::vector<FileSlot*>& unwritten) {
  if (unwritten.empty()) return {};
  std::vector<const FileSlot*> all;
  for (const FileSlot& file : files) all.push_back(&file);
  return find_collisions(top, all, unwritten);
}

}  // namespace pfetch::checkout
