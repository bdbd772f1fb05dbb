// Extensions of an index that must be understood to be kept: the file system monitor's, whose bits are bound to the
// places of entries, and the untracked cache, which is wrong once paths became tracked or untracked
// (gitformat-index, "File System Monitor cache" and "Untracked cache").
//
// Pure functions over untrusted bytes. Malformed content is no error: both are caches, and Git drops them too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "checkout/index_file.h"

namespace pfetch::checkout {

// What an FSMN extension says beside the entries' `fsmonitor_valid`.
struct FileSystemMonitor {
  std::uint32_t version = 2;  // 1 or 2
  std::string since;          // version 1: a time, as its 8 bytes; version 2: the monitor's token, without its NUL

  friend bool operator==(const FileSystemMonitor&, const FileSystemMonitor&) = default;
};

// Reads the content of FSMN and sets `fsmonitor_valid` of all entries of the index; gitlinks never have it. When the
// content is malformed, for example made for more entries than there are, no entry has it and nullopt is returned.
std::optional<FileSystemMonitor> apply_fsmonitor(base::Bytes content, std::span<IndexEntry> entries);
// The content of FSMN for these entries.
std::string fsmonitor_content(const FileSystemMonitor& monitor, std::span<const IndexEntry> entries);

// The content of UNTR with all that it says of directories forgotten. It keeps the cache switched on, and Git fills it
// again. Empty when `content` is malformed: then the extension is to be left out.
std::string emptied_untracked_cache(base::Bytes content);

}  // namespace pfetch::checkout
