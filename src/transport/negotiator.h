// Which commits to tell the other side that we have (gitprotocol-pack, "Packfile Negotiation").
//
// A Negotiator only proposes; how many go out in one round, and when to give up, is decided by the exchange
// (transport/fetch_request). One thread at a time. What it throws comes from its ObjectSource.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
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
  // Forgets what was proposed and acknowledged: the conversation begins anew. What was read stays known.
  virtual void restart() = 0;
  // How many commits and tags have been read to find the proposals, each counted once.
  virtual std::size_t commits_read() const { return 0; }
};

// The values of fetch.negotiationAlgorithm (git-config).
enum class NegotiationAlgorithm {
  consecutive,  // every commit, newest first
  skipping,     // with ever larger distances between proposals: fewer rounds, perhaps a larger pack
  noop,         // nothing
};

// "consecutive" or "default", "skipping", "noop"; nullopt for another name.
std::optional<NegotiationAlgorithm> negotiation_algorithm_from_name(std::string_view name);

// How many proposals the first round takes. Most fetches are settled by it.
inline constexpr std::size_t first_round_haves = 16;

struct NegotiatorOptions {
  // What our refs name: commits, or tags, which stand for their target. Others are passed over.
  std::vector<Oid> tips;
  // Tips of the other side that our refs reach, and that are therefore here with all that is behind them down to our
  // boundary: commits or tags. Each is proposed, nothing behind it is. In the order in which they are best proposed
  // while none of them has been read: HEAD first.
  std::vector<Oid> known_common;
  // The commits of our shallow boundary: proposed, but without parents, also where a parent is stored.
  std::vector<Oid> cuts;
  std::size_t commits_max = std::size_t{10} << 20;  // no more are read
};

// `source` must outlive it. Nothing is read before the first proposal is asked for.
std::unique_ptr<Negotiator> make_negotiator(NegotiationAlgorithm algorithm, object::ObjectSource& source,
                                            NegotiatorOptions options);

}  // namespace pfetch::transport
