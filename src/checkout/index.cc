#include "checkout/index.h"

#include <algorithm>

#include "checkout/by_path.h"

namespace pfetch::checkout {

const IndexEntry* Index::find(std::string_view path) const {
  return find_by_path(entries, path);
}

void write_index(base::LockFile& lock, const Index& index, std::uint32_t new_version, bool skip_checksum) {
  const bool needs_3 = std::any_of(index.entries.begin(), index.entries.end(),
                                   [](const IndexEntry& entry) { return entry.has_extended_flags(); });
  const std::uint32_t wished = index.version != 0 ? index.version : new_version;
  const std::uint32_t version = wished == 4 ? 4 : needs_3 ? 3 : 2;

  IndexWriter writer(lock, index.entries.size(), {.version = version, .skip_checksum = skip_checksum});
  for (const IndexEntry& entry : index.entries) writer.add(entry);
  std::vector<IndexExtension> extensions;
  if (!index.resolve_undo.empty()) extensions.push_back({"REUC", index.resolve_undo});
  if (!index.untracked_cache.empty()) extensions.push_back({"UNTR", index.untracked_cache});
  std::string fsmonitor;
  if (index.fsmonitor) {
    fsmonitor = fsmonitor_content(*index.fsmonitor, index.entries);
    extensions.push_back({"FSMN", fsmonitor});
  }
  if (index.sparse) extensions.push_back({"sdir", {}});
  writer.finish(index.cache_tree, extensions);
}

}  // namespace pfetch::checkout
