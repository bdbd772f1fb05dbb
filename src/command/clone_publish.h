// What was received becomes visible: refs, the boundary, HEAD.
#pragma once

#include "command/clone_refs.h"
#include "command/clone_settings.h"
#include "repo/repository.h"
#include "session/acquisition.h"

namespace pfetch::command {

// All refs in one packed-refs, and .git/shallow while they are prepared.
void publish_refs(const CloneSettings& settings, const CloneRefs& refs, const repo::Repository& repository,
                  session::Acquisition& acquisition);

// refs/remotes/<origin>/HEAD, and HEAD: on its branch or detached at `head`; nullopt: unborn.
void publish_head(const CloneSettings& settings, const CloneRefs& refs, const std::optional<object::Oid>& head,
                  const repo::Repository& repository);

}  // namespace pfetch::command
