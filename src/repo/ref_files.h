// The directories between the top of a repository and the file of a ref or of its log: made when the first one needs
// them, removed when the last one is gone.
//
// Any thread. Other processes do the same at the same time, so a directory may come or go between any two calls.
#pragma once

#include <string>

#include "repo/shared_mode.h"

namespace pfetch::repo {

// mkdir -p for the directories above `path`; those that it makes get the shared mode. A directory that another process
// removes in between is made again. Throws pfetch::Error naming the directory.
void make_parent_directories(const std::string& path, const SharedMode& shared);

// Removes the empty directories above `path`, up to and without `top`.
void remove_empty_parents(const std::string& path, const std::string& top) noexcept;

// Removes a tree of directories that holds no file. False if something is left (or it is no directory).
bool remove_empty_directories(const std::string& path) noexcept;

}  // namespace pfetch::repo
