// What every command is given to work with.
#pragma once

#include "base/cancel.h"
#include "repo/environment.h"
#include "session/progress.h"
#include "session/reporter.h"

namespace pfetch::command {

// All must outlive the command.
struct CommandContext {
  const repo::Environment& environment;
  base::Cancellation& cancel;
  session::Reporter& reporter;
  session::Progress& progress;
};

}  // namespace pfetch::command
