// The history of one repository: its CommitGraph and its Reachability, by the fastest way that is safe.
//
// In a repository whose history is altered neither commit-graph nor bitmaps are read: they were made for another
// history. There a cache serves. Otherwise both are used where they are found sound. Nothing is opened before it is
// needed. One thread at a time; the graph and the reachability live as long as the History.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/bitmap_file.h"
#include "graph/commit_graph_file.h"
#include "graph/commit_table.h"
#include "graph/reachability.h"

namespace pfetch::graph {

class History {
 public:
  struct Options {
    std::vector<std::string> objects_directories;  // as store::Reader gets them
    // Whether an object is stored, as store::Reader::contains tells; may be empty, which is slower.
    std::function<bool(const Oid&)> has;
    std::vector<Oid> cuts;            // the roots of the shallow file
    bool history_is_altered = false;  // there is a shallow file that is not empty, or grafts, or replace refs
    std::string cache_path;           // where CachedReachability may keep what it found; empty: nowhere
    std::uint64_t cache_key = 0;      // stands for shallow file, grafts and replace refs
  };
  // `objects` is borrowed: those of the objects directories, and perhaps others that arrive.
  History(object::ObjectSource& objects, Options options) : objects_(objects), options_(std::move(options)) {}
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  CommitGraph& graph();
  Reachability& reachability() { return reachability_; }
  // Whether the reachability is answered from bitmaps, so that asking it costs less than any walk.
  bool reachability_is_cheap();
  // What was found damaged and is not used, in sentences for the user. Grows as files are opened and used.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // Opens what it needs with the first question that needs an answer.
  class OnDemand final : public Reachability {
   public:
    explicit OnDemand(History& history) : history_(history) {}
    std::vector<bool> reached(std::span<const Oid> tips, std::span<const Oid> wanted) override;

   private:
    History& history_;
    std::unique_ptr<Reachability> opened_;
  };

  std::unique_ptr<Reachability> open_reachability();
  bool is_altered() const { return options_.history_is_altered || !options_.cuts.empty(); }
  void open_bitmaps();

  object::ObjectSource& objects_;
  const Options options_;
  std::vector<std::string> warnings_;
  std::optional<CommitGraphFile> file_;
  std::unique_ptr<CommitTable> table_;
  bool looked_for_bitmaps_ = false;
  std::optional<BitmapFile> bitmaps_;
  OnDemand reachability_{*this};
};

}  // namespace pfetch::graph
