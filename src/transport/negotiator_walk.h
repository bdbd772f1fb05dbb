// What the negotiators share that walk the history behind our tips, newest first: which commits are common, which still
// count, and when to read what.
//
// The tips that the other side is known to have are by far the most of a living repository's, and rarely needed. So the
// first round is filled with our other commits, then with known tips as they are, unread. Only a proposal beyond
// first_round_haves reads the known tips; from then on the commit dates of all decide.
#pragma once

#include <queue>
#include <vector>

#include "transport/negotiator.h"
#include "transport/negotiator_history.h"

namespace pfetch::transport {

class NegotiatorWalk : public Negotiator {
 public:
  NegotiatorWalk(object::ObjectSource& source, NegotiatorOptions options);

  std::optional<Oid> next() final;
  void ack(const Oid& id) final;
  void restart() final;
  std::size_t commits_read() const final { return history_.commits_read(); }

 protected:
  using Position = NegotiatorHistory::Position;

  // The walk goes from a commit that is not common to a parent that it has not passed yet.
  virtual void hand_down(Position commit, Position parent) = 0;
  // Whether a commit that is not common is to be proposed. `ends`: the walk has no parent to go on to from here.
  virtual bool is_due(Position commit, bool ends) = 0;

 private:
  struct Waiting {
    std::int64_t date;  // seconds since the epoch
    Position commit;
    bool operator<(const Waiting& other) const {
      return date != other.date ? date < other.date : other.commit < commit;
    }
  };

  std::uint8_t& marks(Position position);
  void begin();
  std::optional<Oid> next_known_unread();
  void read_known();
  std::optional<Oid> step();
  bool enter(Position commit);
  void mark_common(Position commit);

  const NegotiatorOptions options_;
  NegotiatorHistory history_;
  std::vector<std::uint8_t> marks_;  // by position
  std::priority_queue<Waiting> queue_;
  std::size_t interesting_ = 0;  // of the queue: those that are not known to be common
  std::size_t proposed_ = 0;
  std::size_t known_taken_ = 0;  // of options_.known_common, while they are unread
  bool begun_ = false;
  bool known_read_ = false;
};

}  // namespace pfetch::transport
