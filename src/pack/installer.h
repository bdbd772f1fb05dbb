// Puts a received pack where readers look for it: the pack, then .keep, .rev and last .idx, each durable and renamed,
// so that a pack is seen only when it is whole.
#pragma once

#include <optional>
#include <string>

#include "pack/idx_writer.h"
#include "pack/ingest.h"

namespace pfetch::pack {

struct InstallOptions {
  std::string pack_directory;               // objects/pack of the repository
  std::string base_path;                    // where exactly instead, without ".pack" (index-pack FILE or -o)
  std::optional<std::string> idx_path;      // where the index goes instead of beside the pack (index-pack -o)
  bool write_rev = true;                    // pack.writeReverseIndex
  std::optional<std::string> keep_message;  // write a .keep with this text
  bool durable = true;                      // core.fsync covers packs
  IdxOptions idx;
};

struct InstalledPack {
  std::string base_path;      // "…/pack-<checksum>"; add ".pack", ".idx", ".rev", ".keep"
  std::string checksum;       // hexadecimal
  bool has_our_keep = false;  // the .keep was written by this call
};

// Throws pfetch::Error; what was renamed already before a failure is removed again unless it was there before.
InstalledPack install_pack(Ingest& ingest, const InstallOptions& options);

// Writes the index (and reverse index) for a pack that stands at `base_path`.pack already.
void install_index(Ingest& ingest, const InstallOptions& options);

}  // namespace pfetch::pack
