// Pathspecs: patterns that choose paths (gitglossary(7), "pathspec"), with the magic words top, literal, icase, glob,
// attr and exclude, in their long and short forms.
//
// Pure, immutable once parsed, any thread may match.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/wildmatch.h"

namespace pfetch::object {

struct PathspecRules {
  std::string prefix;    // from the top of the worktree to the current directory, "" or ending in '/'
  bool literal = false;  // --literal-pathspecs, GIT_LITERAL_PATHSPECS
  bool glob = false;     // --glob-pathspecs, GIT_GLOB_PATHSPECS
  bool noglob = false;   // --noglob-pathspecs, GIT_NOGLOB_PATHSPECS
  bool icase = false;    // --icase-pathspecs, GIT_ICASE_PATHSPECS
  std::string work_tree;  // absolute, for pathspecs that are absolute paths; empty: those are refused
};

class Pathspec;  // to be filled in

}  // namespace pfetch::object
