// Reflogs: what a ref pointed to, one line for each change, below `logs/`.
//
// Format (gitrepository-layout(5), git-reflog(1)): "<old id> <new id> <name> <mail> <seconds> <zone>[\t<message>]\n".
// Appending is one write(2) to a file opened with O_APPEND, so writers need no lock of their own beside that of the
// ref. Free functions, callable from any thread for different files. I/O trouble throws pfetch::Error naming the path.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "object/oid.h"
#include "repo/shared_mode.h"

namespace pfetch::repo {

// core.logAllRefUpdates. `unset`: normal, but none in a bare repository.
enum class LogRefs { unset, none, normal, always };

// Whether a log that is not there yet is to be started. One that is there is always continued.
bool starts_reflog(std::string_view ref_name, LogRefs log_refs, bool bare);

// A message as it is written: white space runs (newlines too) become one blank, none at the ends.
std::string reflog_message(std::string_view message);

// A whole line. `ident` is "Name <mail> seconds zone" (repo/ident); `message` may be raw.
std::string reflog_line(const object::Oid& old_id, const object::Oid& new_id, std::string_view ident,
                        std::string_view message);

// Appends `line` to the log at `path`. An absent log is made (with its directories, and in place of empty directories
// left by deleted refs) if `create`; otherwise false is returned.
bool append_reflog(const std::string& path, std::string_view line, bool create, const SharedMode& shared);

// Removes the log and the directories that this leaves empty, up to and without `top`.
void remove_reflog(const std::string& path, const std::string& top);

struct ReflogEntry {
  object::Oid old_id;
  object::Oid new_id;
  std::string_view ident;    // "Name <mail>"
  std::int64_t seconds = 0;  // since the epoch
  std::string_view zone;     // "+0100"
  std::string_view message;
};

// Calls `visit` for each entry, the oldest first, until it returns false. Views live during the call. Lines that are
// not entries are skipped, as Git does. An absent log has none.
void for_each_reflog_entry(const std::string& path, const std::function<bool(const ReflogEntry&)>& visit);

}  // namespace pfetch::repo
