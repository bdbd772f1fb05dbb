// libfuse's low-level interface, in the version that is asked for in one place. 3.4: what older distributions have.
#pragma once

#define FUSE_USE_VERSION 34
#include <fuse3/fuse_lowlevel.h>
