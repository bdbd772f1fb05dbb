// Loose refs: one file for each, below `refs/` and, for HEAD and its kind, in the directory itself.
//
// Format (gitrepository-layout(5)): "<hex id>\n", or "ref: <name>\n" for a symbolic ref; a symlink to a name below
// refs/ is an old form of the latter. All functions may be called from any thread. A file that holds neither is data
// (`broken`), not an exception; an I/O failure throws pfetch::Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "object/oid.h"

namespace pfetch::repo {

struct LooseRef {
  enum class State {
    missing,
    directory,  // no ref, but a directory of that name
    direct,     // `id` is set
    symbolic,   // `target` is set, a valid ref name
    broken,     // `trouble` says why
  };
  State state = State::missing;
  object::Oid id;
  std::string target;
  std::string trouble;
};

LooseRef read_loose_ref(const std::string& path);

// What the content of such a file says (direct, symbolic or broken).
LooseRef parse_loose_ref(std::string_view content);

// Adds the names of all files below `<top>/<directory>` ("refs/heads"; no slash at the end) as "<directory>/…". Names
// that begin with '.' or end in ".lock" are no refs; with `locks` the latter are listed, too. Order is that of the file
// system.
void list_loose_refs(const std::string& top, const std::string& directory, std::vector<std::string>& names,
                     bool locks = false);

}  // namespace pfetch::repo
