// Unpacks a small pack that has arrived: each object becomes a loose one (gitrepository-layout, "objects"), as by `git
// unpack-objects`.
//
// An object is written as tmp_obj_XXXXXX in its own directory and linked to its name when it is whole; one that is
// there already is never replaced. What others name is there before they are: first blobs, by several threads at once,
// then trees, commits and tags, each kind from the pack's end to its beginning, where senders put what names the rest.
//
// Throws pfetch::Error (ErrorCode::cancelled when the Cancellation is requested; the first failure requests it). No
// temporary file is left then; objects that were linked stay, which does no harm.
#pragma once

#include <functional>
#include <string>

#include "base/cancel.h"
#include "pack/ingest.h"
#include "repo/shared_mode.h"

namespace pfetch::pack {

struct LooseWriteOptions {
  std::string objects_directory;  // of the repository
  int level = 1;                  // of zlib (base/deflate)
  bool durable = false;           // core.fsync covers loose objects
  repo::SharedMode shared_mode;
  unsigned workers = 0;  // for blobs; 0: one for each logical core
  // Whether an object is stored already, packed or elsewhere; any thread. Null: never.
  std::function<bool(const object::Oid&)> exists;
};

struct LooseWritten {
  std::size_t written = 0;  // objects
  std::size_t skipped = 0;  // were here already
};

// After Ingest::run. Bases that were appended to a thin pack are passed over: they are here.
LooseWritten write_loose(Ingest& ingest, const LooseWriteOptions& options, base::Cancellation& cancel);

}  // namespace pfetch::pack
