// Names objects: the id is the SHA-1 of "<kind> <size>\0" and the content (gitformat-pack, "object names").
//
// A seam, because the user may choose another implementation than our own (pfetch.sha1), and because a test must be
// able to bring an object that bears the mark of an attack. Thread safe.
#pragma once

#include <array>
#include <span>

#include "object/oid.h"

namespace pfetch::object {

// What Git hashes before an object's content: "blob 123\0".
class HashHead {
 public:
  HashHead(Kind kind, std::uint64_t content_bytes);
  base::Bytes view() const { return base::as_bytes({text_.data(), size_}); }

 private:
  std::array<char, 32> text_{};
  std::size_t size_ = 0;
};

class Hasher {
 public:
  struct Job {
    Kind kind;
    base::Bytes content;
    Oid id{};             // is written
    bool attack = false;  // is written: the object bears the mark of a collision attack and must be refused
  };

  virtual ~Hasher() = default;
  // Many objects in one go; some dozen small ones are what the fast kernels like best.
  virtual void hash(std::span<Job> jobs) const = 0;
};

// Our own: base/sha1 with collision detection.
class CheckedHasher final : public Hasher {
 public:
  void hash(std::span<Job> jobs) const override;
};

}  // namespace pfetch::object
