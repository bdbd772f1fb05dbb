// The table of updated refs as git-fetch shows it, and its machine-readable form.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command/fetch_updates.h"

namespace pfetch::command {

struct TableOptions {
  std::string url;           // without secrets
  bool verbose = false;      // refs that are up to date have lines, too
  bool unstored = true;      // refs that only FETCH_HEAD tells of have lines
  bool compact = false;      // fetch.output = compact: a name that both sides share is written "*"
  std::size_t columns = 80;  // of the terminal; longer lines do not widen the others
  std::function<std::string(const object::Oid&)> abbreviated;
};

// "From <url>" and a line for each decision that is worth one; nothing when none is. First what was deleted, then what
// is to be merged, then the rest; late tags come last.
std::vector<std::string> fetch_table(const std::vector<RefDecision>& decisions, const TableOptions& options);

// `--porcelain`: "<flag> <old id> <new id> <local name>".
std::vector<std::string> porcelain_lines(const std::vector<RefDecision>& decisions, bool verbose);

// A URL as the table and FETCH_HEAD write it: no user information, no slashes or ".git" at the end.
std::string shown_url(const std::string& url);

// The lines of FETCH_HEAD (git-fetch(1), "FETCH_HEAD"), those to be merged first.
std::string fetch_head_lines(const std::vector<RefDecision>& decisions, const std::string& url);

}  // namespace pfetch::command
