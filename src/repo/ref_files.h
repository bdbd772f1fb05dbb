// core.sharedRepository: who else may use the files of a repository.
//
// The value is Git's number: 0 for the umask alone, a positive one for bits that are added (0660 "group", 0664 "all"),
// a negative one for exactly those bits (-0640 for "0640"). Any thread; throws pfetch::Error naming the path.
#pragma once

#include <sys/types.h>

#include <string>

namespace pfetch::repo {

// The permission bits for a file or directory that now has `mode`.
mode_t shared_mode(mode_t mode, int shared_repository, bool is_directory);

// Changes the permissions of `path` where they differ from what they should be.
void apply_shared_mode(const std::string& path, int shared_repository);

// mkdir -p for the directories above `path`; those that it makes get the shared mode. A directory that another process
// removes in between is made again. Throws ErrorCode::exists when a file stands in the way.
void make_parent_directories(const std::string& path, int shared_repository);

// Removes the empty directories above `path`, up to and without `top`.
void remove_empty_parents(const std::string& path, const std::string& top) noexcept;

// Removes a tree of directories that holds no file. False if something is left (or it is no directory).
bool remove_empty_directories(const std::string& path) noexcept;

}  // namespace pfetch::repo
