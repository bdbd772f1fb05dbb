// Objects of an arriving pack, and behind it those that were here before.
#pragma once

#include "object/object_source.h"

namespace pfetch::session {

class CombinedSource : public object::ObjectSource {
 public:
  // `second` may be null. Both must outlive this.
  CombinedSource(object::ObjectSource& first, object::ObjectSource* second) : first_(first), second_(second) {}

  std::optional<object::ObjectInfo> info(const object::Oid& id) override {
    auto found = first_.info(id);
    return found || second_ == nullptr ? found : second_->info(id);
  }
  std::optional<object::Object> read(const object::Oid& id) override {
    auto found = first_.read(id);
    return found || second_ == nullptr ? found : second_->read(id);
  }
  bool stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) override {
    return first_.stream(id, piece) || (second_ != nullptr && second_->stream(id, piece));
  }

 private:
  object::ObjectSource& first_;
  object::ObjectSource* second_;
};

}  // namespace pfetch::session
