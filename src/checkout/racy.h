// Whether stat data alone prove that a file has not changed since its index entry was made.
//
// They cannot when the file was written in the same moment as the index: it may then have been written once more with
// nothing to show for it ("racily clean", git's technical/racy-git). Pure and thread safe.
#pragma once

#include <sys/stat.h>

#include "checkout/index_file.h"
#include "repo/config.h"

namespace pfetch::checkout {

struct StatRules {
  bool trust_ctime = true;           // core.trustctime
  bool minimal = false;              // core.checkStat=minimal: size and whole seconds of mtime alone
  bool trust_executable_bit = true;  // core.fileMode
  bool symlinks = true;              // core.symlinks; without, a link is a file with its target as content
};
StatRules stat_rules(const repo::Config& config);

// Whether what is there is of the entry's type: a file, a link, or a directory for a submodule.
bool is_same_type(const IndexEntry& entry, const struct stat& found, const StatRules& rules);

enum class StatVerdict {
  clean,    // not touched since the entry was made
  look,     // only the content can tell; for a gitlink, the HEAD of the repository that is there
  changed,  // another type, mode or size: git does not look at the content either
};

// Compares the entry with what lstat(2) says of its path; `index_file` is the stat data of the index that the entry was
// read from. Assume-valid, skip-worktree and `fsmonitor_valid` are not heeded: who wants them asks them first.
// Differences from git, both to be surer: nanoseconds are compared where both sides have them, and where an entry has
// none its mtime is taken to be right to two seconds only.
StatVerdict compare_stat(const IndexEntry& entry, const struct stat& found, const IndexStat& index_file,
                         const StatRules& rules);

// Whether a file is still the one whose stat data were recorded, as far as the rules look.
bool stat_agrees(const IndexStat& recorded, const struct stat& found, const StatRules& rules);

// Whether the file may have been written after the index was, without a change of its mtime.
bool is_racy(const IndexStat& entry, const IndexStat& index_file, const StatRules& rules);

// Makes everybody look at the content: for an entry whose file has changed although its stat data agree, before it is
// written into a younger index.
void smudge(IndexEntry& entry);

}  // namespace pfetch::checkout
