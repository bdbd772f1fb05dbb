// Small stand-ins for the seams: bytes from the other side, objects as they are resolved, objects read by id.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "object/object_sink.h"
#include "object/object_source.h"
#include "tests/support/pack_builder.h"

namespace pfetch::test {

// A string that arrives in pieces of `piece` bytes (0: as much as is asked for), then the end.
class StringSource : public base::ByteSource {
 public:
  explicit StringSource(std::string bytes, std::size_t piece = 0) : bytes_(std::move(bytes)), piece_(piece) {}

  std::size_t read(std::span<std::byte> into) override {
    std::size_t count = std::min(into.size(), bytes_.size() - at_);
    if (piece_ != 0) count = std::min(count, piece_);
    std::memcpy(into.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  const std::string bytes_;
  const std::size_t piece_;
  std::size_t at_ = 0;
};

// Remembers all that it was given.
class RecordingSink : public object::ObjectSink {
 public:
  struct Seen {
    object::Kind kind{};
    std::uint64_t size = 0;
    std::string content;
    bool streamed = false;
    int times = 0;
  };

  void accept(const object::ResolvedObject& resolved) override {
    const std::lock_guard lock(mutex_);
    Seen& seen = objects_[resolved.id];
    ++seen.times;
    seen.kind = resolved.kind;
    seen.size = resolved.size;
    seen.content = resolved.bytes.text();
    seen.streamed = resolved.streamed;
  }
  // After the pipeline has ended.
  const std::map<object::Oid, Seen>& objects() const { return objects_; }

 private:
  std::mutex mutex_;  // guards objects_
  std::map<object::Oid, Seen> objects_;
};

// Objects in memory, entered before others read them or one at a time beside them.
class MemorySource : public object::ObjectSource {
 public:
  object::Oid add(object::Kind kind, const std::string& content) {
    const object::Oid id = object_id(kind, content);
    put(id, kind, content);
    return id;
  }
  // Under whatever id: damage.
  void put(const object::Oid& id, object::Kind kind, const std::string& content) {
    const std::lock_guard lock(mutex_);
    objects_[id] = {kind, base::SharedBytes::copy_of(base::as_bytes(content))};
  }
  void remove(const object::Oid& id) {
    const std::lock_guard lock(mutex_);
    objects_.erase(id);
  }
  bool has(const object::Oid& id) const {
    const std::lock_guard lock(mutex_);
    return objects_.contains(id);
  }

  std::optional<object::ObjectInfo> info(const object::Oid& id) override {
    const auto object = read(id);
    if (!object) return std::nullopt;
    return object::ObjectInfo{object->kind, object->bytes.size()};
  }
  std::optional<object::Object> read(const object::Oid& id) override {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(id);
    if (at == objects_.end()) return std::nullopt;
    return at->second;
  }
  bool stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) override {
    const auto object = read(id);
    if (!object) return false;
    // Two pieces, so that a reader that takes only the first is found out.
    const base::Bytes all = object->bytes.view();
    piece(all.first(all.size() / 2));
    piece(all.subspan(all.size() / 2));
    return true;
  }

 private:
  mutable std::mutex mutex_;  // guards objects_
  std::map<object::Oid, object::Object> objects_;
};

}  // namespace pfetch::test
