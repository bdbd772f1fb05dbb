#include "checkout/attribute_lookup.h"

#include <algorithm>

#include "object/path_parts.h"

namespace pfetch::checkout {

AttributeLookup::Stack AttributeLookup::known(std::string_view directory) {
  const std::lock_guard lock(mutex_);
  const auto found = stacks_.find(directory);
  return found != stacks_.end() ? found->second : nullptr;
}

SharedAttributeFile AttributeLookup::file_of(std::string_view directory) const {
  const std::string path = directory.empty() ? ".gitattributes" : std::string(directory) + "/.gitattributes";
  const auto text = read_(path);
  return text ? parse_attribute_file(*text, path, directory.empty(), nullptr) : nullptr;
}

// From the top down, so that a path with very many components needs no deep recursion.
AttributeLookup::Stack AttributeLookup::stack_of(std::string_view directory) {
  if (Stack stack = known(directory)) return stack;
  Stack stack = known({});
  if (!stack) {
    AttributeStack::Sources sources = sources_;
    sources.top = file_of({});
    const Stack made = AttributeStack::root(sources);
    const std::lock_guard lock(mutex_);
    stack = stacks_.try_emplace({}, made).first->second;
  }
  for (std::size_t at = 0; at < directory.size();) {
    const std::size_t end = std::min(directory.find('/', at), directory.size());
    const std::string_view below = directory.substr(0, end);
    Stack next = known(below);
    if (!next) {
      const Stack made = stack->child(directory.substr(at, end - at), file_of(below));
      const std::lock_guard lock(mutex_);
      next = stacks_.try_emplace(std::string(below), made).first->second;
    }
    stack = std::move(next);
    at = end + 1;
  }
  return stack;
}

Attributes AttributeLookup::query(std::string_view path) {
  const Stack stack = stack_of(object::directory_part(path));
  return stack->is_empty() ? Attributes{} : stack->query(path);
}

}  // namespace pfetch::checkout
