// Copying a template directory into a new repository (git-init, "TEMPLATE DIRECTORY").
//
// Names that begin with a dot are left out; what is there already is kept; symlinks are copied as they are. Bounds: 64
// levels of directories. Errors: ErrorCode::io. What cannot be a template is told in `warnings` and left out.
#pragma once

#include <string>
#include <vector>

#include "repo/config.h"
#include "repo/environment.h"
#include "repo/shared_mode.h"

namespace pfetch::repo {

// `option` is --template; then GIT_TEMPLATE_DIR, init.templateDir and the directory that comes with git, if it is
// there. An empty name stands for none.
std::string choose_template_dir(const std::optional<std::string>& option, const Environment& environment,
                                const Config& config);

void copy_template(const std::string& template_dir, const std::string& git_dir, const SharedMode& shared,
                   std::vector<std::string>& warnings);

}  // namespace pfetch::repo
