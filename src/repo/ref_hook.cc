#include "repo/ref_hook.h"

#include <unistd.h>

#include "base/process.h"
#include "base/sigpipe.h"

namespace pfetch::repo {

namespace {

std::string hook_path(const RefsOptions& options) {
  return options.hooks_dir + "/reference-transaction";
}

}  // namespace

bool has_reference_hook(const RefsOptions& options) {
  return !options.hooks_dir.empty() && ::access(hook_path(options).c_str(), X_OK) == 0;
}

int run_reference_hook(const RefsOptions& options, std::string_view state, std::string_view lines) {
  if (lines.empty() || !has_reference_hook(options)) return 0;
  base::ProcessOptions hook;
  hook.argv = {hook_path(options), std::string(state)};
  hook.directory = options.hook_directory;
  hook.environment = options.hook_environment;
  hook.in = base::ProcessOptions::Stream::pipe;
  hook.out = base::ProcessOptions::Stream::to_stderr;
  base::Process child = base::Process::start(hook);
  base::write_to_reader(child.in.get(), lines, hook.argv[0]);
  child.in.reset();
  return child.wait();
}

}  // namespace pfetch::repo
