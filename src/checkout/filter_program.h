// A filter that is started for each file: filter.<name>.smudge. The stored bytes go to its standard input, what it
// writes to its standard output is the file, and its exit status says whether that counts (gitattributes(5), "filter").
//
// Input and output move at the same time, so a filter may write before it has read all. One that does not read, or not
// to the end, has not failed. Its output is handed on as it comes and never held. Thread safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/cancel.h"
#include "checkout/filter_child.h"

namespace pfetch::checkout {

// `%f` in a driver's command becomes the path, quoted for the shell; `%%` becomes `%`.
std::string filter_command(std::string_view driver_command, std::string_view path);

// Runs a command, as filter_command gives it, on `content`. Returns its exit status, or 128 + signal number; what `put`
// was given counts only if that is 0. Throws ErrorCode::cancelled, ErrorCode::io, and what `put` throws; the command
// has ended then too.
int run_filter_program(const std::string& command, const FilterPlace& place, std::string_view content,
                       const std::function<void(base::Bytes)>& put, const base::Cancellation& cancel);

}  // namespace pfetch::checkout
