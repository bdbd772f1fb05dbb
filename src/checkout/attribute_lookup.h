// The attributes of the paths of a whole worktree, whose `.gitattributes` are read when the first path of their
// directory is asked for.
//
// Where the files come from is the caller's business: on the way to the worktree from the index that is wanted, on the
// way back from the worktree (gitattributes(5)). Thread safe, if `read` is; one file may be read twice by two threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "checkout/attributes.h"

namespace pfetch::checkout {

class AttributeLookup {
 public:
  using Stack = std::shared_ptr<const AttributeStack>;
  // The content of the `.gitattributes` of this path ("a/b/.gitattributes"); nullopt when there is none. What it throws
  // comes out.
  using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

  // `sources.top` is not looked at.
  AttributeLookup(AttributeStack::Sources sources, ReadFile read)
      : sources_(std::move(sources)), read_(std::move(read)) {}

  // For the paths directly in the directory "a/b"; "" is the top.
  Stack stack_of(std::string_view directory);
  // For one path.
  Attributes query(std::string_view path);

 private:
  Stack known(std::string_view directory);
  SharedAttributeFile file_of(std::string_view directory) const;

  const AttributeStack::Sources sources_;
  const ReadFile read_;
  std::mutex mutex_;  // guards the map
  std::map<std::string, Stack, std::less<>> stacks_;
};

}  // namespace pfetch::checkout
