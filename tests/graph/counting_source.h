// Objects of another source, and how often they were asked for.
#pragma once

#include "object/object_source.h"

namespace pfetch::graph {

class CountingSource : public object::ObjectSource {
 public:
  explicit CountingSource(object::ObjectSource& objects) : objects_(objects) {}

  std::optional<object::ObjectInfo> info(const object::Oid& id) override {
    ++infos;
    return objects_.info(id);
  }
  std::optional<object::Object> read(const object::Oid& id) override {
    ++reads;
    return objects_.read(id);
  }
  bool stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) override {
    return objects_.stream(id, piece);
  }

  std::size_t infos = 0;
  std::size_t reads = 0;

 private:
  object::ObjectSource& objects_;
};

}  // namespace pfetch::graph
