// An annotated tag object read in place ("object", "type", "tag", perhaps "tagger", a blank line, the message).
//
// A TagView borrows its bytes; it is a plain value, safe to read from many threads. The constructor reads the three
// headers that Git insists on and throws ErrorCode::corrupt naming the tag and what is wrong.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "object/oid.h"

namespace pfetch::object {

class TagView {
 public:
  // `id` serves messages only.
  TagView(const Oid& id, base::Bytes bytes);

  Oid target_id() const { return target_id_; }
  Kind target_kind() const { return target_kind_; }
  std::string_view name() const { return name_; }
  // The rest of the line after "tagger "; empty when there is none (tags of 2005 have none).
  std::string_view tagger() const;
  // All after the first blank line; empty when there is none.
  std::string_view message() const;

 private:
  Oid target_id_;
  Kind target_kind_{};
  std::string_view name_;
  std::string_view rest_;  // from the line after "tag "
};

}  // namespace pfetch::object
