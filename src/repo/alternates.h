// Which other object directories a repository borrows from: objects/info/alternates, followed from one to the next,
// and GIT_ALTERNATE_OBJECT_DIRECTORIES (gitrepository-layout, git(1)).
//
// Reads files; keeps nothing. Trouble with one entry is no error: it is told in `warnings`, in git's words, and the
// entry is left out. Bounds: 5 levels, 1 MB for a file, 10,000 directories.
#pragma once

#include <string>
#include <vector>

#include "repo/environment.h"

namespace pfetch::repo {

struct Alternates {
  std::vector<std::string> directories;  // normalised paths, each once, in the order in which they are asked
  std::vector<std::string> warnings;
};

// For the repository whose objects are in `objects_dir`, which is not listed itself.
Alternates alternate_object_directories(const std::string& objects_dir, const Environment& environment);

// The entries of a list, separated by `separator`; one that begins with '"' is unquoted, one with '#' is a comment.
std::vector<std::string> split_alternates(std::string_view text, char separator);

}  // namespace pfetch::repo
