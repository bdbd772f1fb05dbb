// A loose object: one zlib stream of "<kind> <size>\0" and the content, in objects/<first two digits>/<the others>.
//
// Reading only. Not thread safe; each reader opens its own. Throws ErrorCode::corrupt saying what is wrong; the caller
// adds which object in which file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "object/object_source.h"
#include "object/oid_prefix.h"
#include "store/inflate_pool.h"

namespace pfetch::store {

// "<objects>/ab/cdef…"
std::string loose_object_path(const std::string& objects_directory, const object::Oid& id);

// Adds the ids of loose objects that begin so, in no order, but no more than `limit`. At least two digits, which name
// the directory that is listed; with fewer nothing is found.
void find_loose_prefix(const std::string& objects_directory, const object::OidPrefix& prefix, std::size_t limit,
                       std::vector<object::Oid>& into);

class LooseObject {
 public:
  // Maps the file and reads the object's header; nullopt when the file is not there. `tools` must outlive it.
  static std::optional<LooseObject> open(const std::string& path, InflateTools& tools);

  const object::ObjectInfo& info() const { return info_; }
  // Each of these may be called once, and one of them only.
  object::Object read();
  void stream(const std::function<void(base::Bytes)>& piece);

 private:
  LooseObject(base::MappedFile file, InflateTools& tools) : file_(std::move(file)), tools_(&tools) {}
  void read_header();
  // Inflates more into `into`; 0 only when the stream has ended well, with the file's last byte.
  std::size_t inflate_more(std::span<std::byte> into);

  base::MappedFile file_;
  InflateTools* tools_;
  object::ObjectInfo info_;
  std::vector<std::byte> head_;  // content that was inflated along with the header
  std::size_t taken_ = 0;        // bytes of the file
  bool ended_ = false;
};

}  // namespace pfetch::store
