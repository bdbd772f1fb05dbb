// What `pfetch checkout` and `pfetch reset` were asked for, as it stands on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pfetch::command {

struct CheckoutArguments {
  std::vector<std::string> words;     // those that are no options
  std::optional<std::size_t> dashes;  // how many words stood before "--"

  std::optional<std::string> new_branch;    // -b
  std::optional<std::string> reset_branch;  // -B
  enum class Track { unset, none, direct, inherit };
  Track track = Track::unset;
  bool create_reflog = false;
  bool detach = false;
  bool force = false;
  std::optional<bool> guess;
  bool overwrite_ignored = true;
  bool ignore_other_worktrees = false;

  enum class Side { none, ours, theirs };
  Side side = Side::none;
  std::optional<bool> overlay;
  std::optional<std::string> pathspec_file;  // "-" is standard input
  bool pathspec_file_nul = false;

  bool quiet = false;
};

struct ResetArguments {
  std::vector<std::string> words;
  std::optional<std::size_t> dashes;
  bool hard = false;
  bool quiet = false;
};

}  // namespace pfetch::command
