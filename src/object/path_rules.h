// What names a tree may bring into a worktree.
//
// A tree comes from outside and may hold any bytes. A name that would reach `.git`, under whatever spelling a file
// system accepts for it, that climbs out of the worktree, or that makes `.gitmodules` a symbolic link is refused before
// anything is written. The answers are those of git's index (git 2.39 on Linux): Windows device names such as CON are
// let through, as git does outside Windows.
//
// Pure, thread safe; no allocation unless a name is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pfetch::object {

struct PathRules {
  bool protect_ntfs = true;  // core.protectNTFS: short names, trailing dots and spaces, streams, backslashes
  bool protect_hfs = false;  // core.protectHFS: code points that HFS+ leaves out of comparisons
};

// Bytes; a longer path cannot be named to the operating system (PATH_MAX with its NUL is 4096).
inline constexpr std::size_t path_bytes_max = 4095;

// One entry of a tree: its name as stored, and its mode (S_IFLNK, S_IFDIR, ... as in the tree). nullopt when it may be
// written, else the reason, for example "it names the directory .git".
// A name that holds '/' is judged component by component: git writes such an entry as a path (fsck calls it broken).
// A caller that accepts it must split it too, and create each component without following symbolic links.
std::optional<std::string> refuse_entry(std::string_view name, std::uint32_t mode, PathRules rules);

// A whole path from the top of the worktree, as it goes into the index. Stricter than its entries one by one: git
// refuses a symbolic link anywhere below a directory called `.gitmodules`, and the length is bounded.
std::optional<std::string> refuse_path(std::string_view path, std::uint32_t mode, PathRules rules);

}  // namespace pfetch::object
