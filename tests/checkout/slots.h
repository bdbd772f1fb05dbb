// Directories and file slots as a plan has them, for tests of what writes them.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "checkout/plan.h"

namespace pfetch::checkout {

class Slots {
 public:
  Directory& below(Directory& parent, std::string_view name) {
    Directory& directory = directories_.emplace_back();
    directory.parent = &parent;
    directory.name = name;
    return directory;
  }
  FileSlot& file(Directory& directory, std::string_view name, std::uint32_t mode = object::mode_file) {
    FileSlot& slot = files_.emplace_back();
    slot.directory = &directory;
    slot.name = name;
    slot.mode = mode;
    return slot;
  }
  const std::deque<FileSlot>& files() const { return files_; }

  Directory top;

 private:
  std::deque<Directory> directories_;
  std::deque<FileSlot> files_;
};

}  // namespace pfetch::checkout
