// A seam: objects read by id. Thread safe. Implemented by store/reader, by the arriving pack, and by fakes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/bytes.h"
#include "object/oid.h"

namespace pfetch::object {

struct ObjectInfo {
  Kind kind{};
  std::uint64_t size = 0;  // inflated, bytes
};

struct Object {
  Kind kind{};
  base::SharedBytes bytes;
};

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  // Kind and size, cheaply; nullopt when the object is not there. Throws ErrorCode::corrupt on damage.
  virtual std::optional<ObjectInfo> info(const Oid& id) = 0;
  // The whole object in memory; nullopt when it is not there.
  virtual std::optional<Object> read(const Oid& id) = 0;
  // Hands the content over in pieces, in order, in bounded memory; false when the object is not there.
  virtual bool stream(const Oid& id, const std::function<void(base::Bytes)>& piece) = 0;
};

}  // namespace pfetch::object
