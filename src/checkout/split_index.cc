#include "checkout/split_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "graph/ewah.h"

namespace pfetch::checkout {

SplitIndexLink parse_split_index_link(base::Bytes content) {
  if (content.size() < object::Oid::raw_size)
    throw Error(ErrorCode::corrupt, "its link to a shared index is cut short");
  SplitIndexLink link;
  link.shared = object::Oid::from_raw(content.data());
  content = content.subspan(object::Oid::raw_size);
  if (content.empty()) return link;
  link.deleted = graph::take_ewah_words(content);
  link.replaced = graph::take_ewah_words(content);
  if (!content.empty()) throw Error(ErrorCode::corrupt, "something follows its link to a shared index");
  return link;
}

std::vector<IndexEntry> merge_split_index(const SplitIndexLink& link, std::vector<IndexEntry> own,
                                          std::vector<IndexEntry> shared) {
  graph::FlatBits deleted(static_cast<std::uint32_t>(shared.size()));
  graph::FlatBits replaced(deleted);
  deleted.flip(link.deleted);
  replaced.flip(link.replaced);
  auto replacement = own.begin();
  std::vector<IndexEntry> kept;
  kept.reserve(shared.size());
  for (std::uint32_t i = 0; i < shared.size(); ++i) {
    if (replaced[i]) {
      if (deleted[i]) throw Error(ErrorCode::corrupt, "an entry of the shared index is both replaced and deleted");
      if (replacement == own.end() || !replacement->path.empty()) {
        throw Error(ErrorCode::corrupt, "it replaces more entries of the shared index than it holds");
      }
      replacement->path = shared[i].path;
      kept.push_back(*replacement++);
    } else if (!deleted[i]) {
      kept.push_back(shared[i]);
    }
  }
  std::vector<IndexEntry> merged;
  merged.reserve(kept.size() + static_cast<std::size_t>(own.end() - replacement));
  std::merge(kept.begin(), kept.end(), replacement, own.end(), std::back_inserter(merged),
             [](const IndexEntry& one, const IndexEntry& other) { return compare_in_index(one, other) < 0; });
  return merged;
}

}  // namespace pfetch::checkout
