// What a file of pathspecs says (--pathspec-from-file, --pathspec-file-nul).
//
// Pure, thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pfetch::command {

// One pathspec for each line, which may end in CR LF and may be quoted as git quotes paths; after a closing quote the
// rest of the line does not count. With `nul_ends_item` items end in NUL and are taken as they stand. The last item
// need not be ended. Errors: ErrorCode::usage for a line that is badly quoted.
std::vector<std::string> split_pathspec_file(std::string_view content, bool nul_ends_item);

}  // namespace pfetch::command
