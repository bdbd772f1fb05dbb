// The spellings under which a file system takes a name for ".git", ".gitmodules" and their kind.
//
// HFS+ compares without case and leaves some code points out. NTFS drops trailing dots and spaces, cuts a name at ':',
// and gives long names short ones ("git~1", "GITMOD~1", or six characters made from a hash). Pure, thread safe, no
// allocation. Names hold no NUL; they may be any other bytes.
#pragma once

#include <string_view>

namespace pfetch::object {

// A name that Git gives a meaning to when it stands in a tree.
struct DotName {
  std::string_view word;         // lower case, without the dot: "gitmodules"
  std::string_view hashed_name;  // six characters: how NTFS begins the short name when "gitmod~1" to "~4" are taken
};

inline constexpr DotName dot_gitmodules{"gitmodules", "gi7eba"};
inline constexpr DotName dot_gitattributes{"gitattributes", "gi7d29"};
inline constexpr DotName dot_gitignore{"gitignore", "gi250a"};
inline constexpr DotName dot_mailmap{"mailmap", "maba30"};

// "." and `word` as HFS+ compares. What is not UTF-8 counts as the end of the name, which errs on the safe side.
bool is_hfs_dot_name(std::string_view name, std::string_view word);
bool is_ntfs_dot_name(std::string_view name, const DotName& dot_name);
// ".git" and "git~1", which may go on behind a separator.
bool is_ntfs_dot_git(std::string_view name);

}  // namespace pfetch::object
