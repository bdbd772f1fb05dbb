// Which commits to tell the other side that we have (gitprotocol-pack, "Packfile Negotiation").
//
// A Negotiator only proposes; how many go out in one round, and when to give up, is decided by the exchange
// (transport/fetch_request). One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "object/object_source.h"
#include "object/oid.h"

namespace pfetch::transport {

using object::Oid;

class Negotiator {
 public:
  virtual ~Negotiator() = default;
  // The next commit to propose; nullopt when there is none left.
  virtual std::optional<Oid> next() = 0;
  // The other side has `id` as well, and so all behind it.
  virtual void ack(const Oid& id) = 0;
};

// Proposes every commit behind the tips, newest first, leaving out what lies behind an acknowledged one. This is Git's
// "consecutive" negotiator. Objects that are not there (a shallow boundary) or no commits end the walk at that point.
class ConsecutiveNegotiator : public Negotiator {
 public:
  // `source` must outlive it. `tips` may be commits or tags; at most `commits_max` commits are read.
  ConsecutiveNegotiator(object::ObjectSource& source, std::span<const Oid> tips,
                        std::size_t commits_max = std::size_t{10} << 20);

  std::optional<Oid> next() override;
  void ack(const Oid& id) override;

 private:
  struct Seen {
    std::vector<Oid> parents;
    bool common = false;   // the other side has it
    bool waiting = false;  // in the queue
  };
  struct Waiting {
    std::int64_t date;  // seconds since the epoch
    Oid id;
    bool operator<(const Waiting& other) const { return date != other.date ? date < other.date : other.id < id; }
  };

  void add(Oid id);
  void mark_common(const Oid& id);

  object::ObjectSource& source_;
  std::size_t commits_left_;
  std::unordered_map<Oid, Seen> seen_;
  std::priority_queue<Waiting> queue_;
  std::size_t interesting_ = 0;  // of the queue: those that are not known to be common
};

}  // namespace pfetch::transport
