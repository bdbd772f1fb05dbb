#include "checkout/filter_child.h"

#include <fcntl.h>

#include "base/stream_io.h"

namespace pfetch::checkout {

namespace {

bool has_terminal() {
  return static_cast<bool>(base::UniqueFd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)));
}

}  // namespace

base::Process start_filter(const std::string& command, const FilterPlace& place) {
  base::ProcessOptions options;
  options.argv = {command};
  options.use_shell = true;
  options.own_group = !has_terminal();
  options.directory = place.directory;
  options.environment = place.environment;
  options.in = options.out = base::ProcessOptions::Stream::pipe;
  base::Process child = base::Process::start(options);
  base::make_streams(child);
  return child;
}

}  // namespace pfetch::checkout
