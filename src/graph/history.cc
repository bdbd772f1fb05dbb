#include "graph/history.h"

#include "graph/bitmap_reachability.h"
#include "graph/cached_reachability.h"
#include "graph/walk_reachability.h"

namespace pfetch::graph {

CommitGraph& History::graph() {
  if (!table_) {
    if (!is_altered()) file_ = CommitGraphFile::open(options_.objects_directories, warnings_);
    table_ = std::make_unique<CommitTable>(objects_, options_.cuts, file_ ? &*file_ : nullptr, options_.has);
  }
  return *table_;
}

void History::open_bitmaps() {
  if (!looked_for_bitmaps_ && !is_altered()) bitmaps_ = BitmapFile::open(options_.objects_directories, warnings_);
  looked_for_bitmaps_ = true;
}

bool History::reachability_is_cheap() {
  open_bitmaps();
  return bitmaps_.has_value();
}

std::unique_ptr<Reachability> History::open_reachability() {
  open_bitmaps();
  if (bitmaps_) return std::make_unique<BitmapReachability>(*bitmaps_, graph(), objects_, warnings_);
  if (is_altered() && !options_.cache_path.empty()) {
    return std::make_unique<CachedReachability>(graph(), objects_,
                                                CachedReachability::Options{options_.cache_path, options_.cache_key});
  }
  return std::make_unique<WalkReachability>(graph(), objects_);
}

std::vector<bool> History::OnDemand::reached(std::span<const Oid> tips, std::span<const Oid> wanted) {
  if (wanted.empty()) return {};
  if (!opened_) opened_ = history_.open_reachability();
  return opened_->reached(tips, wanted);
}

}  // namespace pfetch::graph
