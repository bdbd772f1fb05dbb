#include "pack/delta_resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/trace.h"
#include "store/delta.h"

namespace pfetch::pack {

namespace {

constexpr std::uint64_t large_bytes_min = std::uint64_t{64} << 20;

object::Kind kind_of(store::EntryType type) {
  return static_cast<object::Kind>(type);
}

// By what the instructions claim: a lie, or a broken header, is found when they are carried out.
bool is_large(const base::SharedBytes& instructions) {
  try {
    const store::DeltaSizes sizes = store::read_delta_sizes(instructions.view());
    return sizes.base > large_bytes_min || sizes.result > large_bytes_min;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

DeltaResolver::DeltaResolver(const ResolverOptions& options, ArrivingPack& pack, WorkQueue& queue,
                             std::vector<object::ObjectSink*> sinks)
    : options_(options), pack_(pack), queue_(queue), sinks_(std::move(sinks)) {}

void DeltaResolver::work() {
  WorkQueue::Item item;
  bool had_item = false;
  while (queue_.pop(item, had_item)) {
    had_item = true;
    if (item.delta != no_entry) {
      const base::TraceSpan span("resolve");
      Latest latest;
      follow(item.delta, {}, latest);
    } else {
      const base::TraceSpan span("batch");
      process(item.batch);
    }
  }
}

void DeltaResolver::process(Batch& batch) {
  hash_whole_objects(batch);
  Latest latest;
  for (ScannedEntry& scanned : batch) {
    const Entry& entry = pack_.table()[scanned.entry];
    if (!is_delta(entry.stored)) {
      const object::Oid id = entry.id;
      const object::Kind kind = kind_of(entry.stored);
      follow(finish(scanned.entry, kind, std::move(scanned.bytes), id, scanned.size, latest), {}, latest);
    } else if (ready_or_wait(scanned.entry, scanned.bytes)) {
      follow(scanned.entry, std::move(scanned.bytes), latest);
    }
  }
}

void DeltaResolver::hash_whole_objects(const Batch& batch) {
  std::vector<object::Hasher::Job> jobs;
  std::vector<EntryNumber> numbers;
  for (const ScannedEntry& scanned : batch) {
    const Entry& entry = pack_.table()[scanned.entry];
    if (is_delta(entry.stored) || entry.streamed) continue;
    jobs.push_back({kind_of(entry.stored), scanned.bytes.view()});
    numbers.push_back(scanned.entry);
  }
  options_.hasher.hash(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Entry& entry = pack_.table()[numbers[i]];
    entry.id = jobs[i].id;
    refuse_attack(jobs[i].attack, entry.id, entry.offset);
  }
}

EntryNumber DeltaResolver::finish(EntryNumber number, object::Kind kind, base::SharedBytes bytes, const object::Oid& id,
                                  std::uint64_t size, Latest& latest) {
  Entry& entry = pack_.table()[number];
  entry.id = id;
  entry.kind = kind;
  const bool duplicate = pack_.ids().insert(number) != number;
  if (duplicate && options_.refuse_duplicates) {
    throw Error(ErrorCode::corrupt, fmt::format("The same object {} appears twice in the pack", id.hex()));
  }
  latest = {};
  if (!entry.streamed && !pack_.cache().put(number, bytes)) latest = {number, bytes};
  std::vector<EntryNumber> ready = take_waiting(number);
  EntryNumber next = no_entry;
  if (!ready.empty()) {
    next = ready.back();
    ready.pop_back();
    if (!ready.empty()) queue_.push_ready(ready);
  }
  if (!duplicate) {
    const object::ResolvedObject resolved{id, kind, size, std::move(bytes), entry.streamed};
    for (object::ObjectSink* sink : sinks_) sink->accept(resolved);
  }
  pack_.counters().objects_resolved.fetch_add(1, std::memory_order_relaxed);
  return next;
}

std::vector<EntryNumber> DeltaResolver::take_waiting(EntryNumber number) {
  Entry& entry = pack_.table()[number];
  std::vector<EntryNumber> ready;
  {
    const std::lock_guard lock(guard_of(number));
    entry.resolved.store(true, std::memory_order_release);
    for (EntryNumber at = entry.first_waiting; at != no_entry; at = pack_.table()[at].next_waiting) ready.push_back(at);
    entry.first_waiting = no_entry;
  }
  const std::lock_guard lock(by_id_mutex_);
  const auto [first, last] = waiting_by_id_.equal_range(entry.id);
  for (auto at = first; at != last; ++at) {
    pack_.table()[at->second].base = number;
    ready.push_back(at->second);
  }
  waiting_by_id_.erase(first, last);
  return ready;
}

bool DeltaResolver::ready_or_wait(EntryNumber delta, const base::SharedBytes& instructions) {
  Entry& entry = pack_.table()[delta];
  if (entry.base == no_entry) {  // a ref-delta; entry.id names its base
    const std::lock_guard lock(by_id_mutex_);
    entry.base = pack_.ids().find(entry.id);
    if (entry.base == no_entry) {
      keep_pending(delta, instructions);
      waiting_by_id_.emplace(entry.id, delta);
      return false;
    }
  }
  Entry& base_entry = pack_.table()[entry.base];
  if (base_entry.resolved.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(guard_of(entry.base));
  if (base_entry.resolved.load(std::memory_order_acquire)) return true;
  keep_pending(delta, instructions);
  entry.next_waiting = base_entry.first_waiting;
  base_entry.first_waiting = delta;
  return false;
}

void DeltaResolver::follow(EntryNumber delta, base::SharedBytes instructions, Latest& latest) {
  std::unique_lock large(large_mutex_, std::defer_lock);
  while (delta != no_entry) {
    if (instructions.empty()) instructions = take_pending(delta);
    if (instructions.empty()) instructions = pack_.inflate_again(delta);
    if (!large && is_large(instructions)) large.lock();
    delta = resolve(delta, std::exchange(instructions, {}), latest);
  }
  if (large) latest = {};
}

EntryNumber DeltaResolver::resolve(EntryNumber delta, base::SharedBytes instructions, Latest& latest) {
  const Entry& entry = pack_.table()[delta];
  const base::SharedBytes base = latest.entry == entry.base ? latest.bytes : pack_.content(entry.base);
  base::SharedBytes bytes;
  try {
    bytes = pack_.patched(base.view(), instructions.view());
  } catch (Error& error) {
    throw error.add_context(fmt::format("pack has a bad object at offset {}", entry.offset));
  }
  instructions = {};
  const object::Kind kind = pack_.table()[entry.base].kind;
  object::Hasher::Job job{kind, bytes.view()};
  options_.hasher.hash({&job, 1});
  refuse_attack(job.attack, job.id, entry.offset);
  const std::uint64_t size = bytes.size();
  return finish(delta, kind, std::move(bytes), job.id, size, latest);
}

void DeltaResolver::keep_pending(EntryNumber delta, const base::SharedBytes& instructions) {
  const std::lock_guard lock(pending_mutex_);
  if (pending_bytes_ + instructions.size() > options_.pending_budget_bytes) return;
  pending_bytes_ += instructions.size();
  pending_.emplace(delta, instructions);
}

base::SharedBytes DeltaResolver::take_pending(EntryNumber delta) {
  const std::lock_guard lock(pending_mutex_);
  const auto at = pending_.find(delta);
  if (at == pending_.end()) return {};
  base::SharedBytes bytes = std::move(at->second);
  pending_bytes_ -= bytes.size();
  pending_.erase(at);
  return bytes;
}

std::vector<EntryNumber> DeltaResolver::unresolved() const {
  std::vector<EntryNumber> left;
  for (const auto& [id, entry] : waiting_by_id_) left.push_back(entry);
  std::sort(left.begin(), left.end());
  return left;
}

void DeltaResolver::add_appended(EntryNumber number, object::Kind kind, const base::SharedBytes& bytes,
                                 const object::Oid& id) {
  Latest latest;
  follow(finish(number, kind, bytes, id, bytes.size(), latest), {}, latest);
  // The queue is closed and its workers have ended: what became ready is ours.
  WorkQueue::Item item;
  for (bool had_item = false; queue_.pop(item, had_item); had_item = true) follow(item.delta, {}, latest);
}

}  // namespace pfetch::pack
