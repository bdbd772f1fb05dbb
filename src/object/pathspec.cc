#include "object/pathspec.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "base/ascii.h"
#include "object/pathspec_parser.h"

namespace pfetch::object {

namespace {

std::string_view without_final_slash(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool same_bytes(std::string_view one, std::string_view other, bool icase) {
  return icase ? base::same_ignoring_case(one, other) : one == other;
}

}  // namespace

PathspecMatches& PathspecMatches::operator|=(const PathspecMatches& other) {
  if (items_.size() < other.items_.size()) items_.resize(other.items_.size());
  for (std::size_t i = 0; i < other.items_.size(); ++i) {
    if (other.items_[i]) items_[i] = true;
  }
  return *this;
}

// The path of a plain item, whether or not it asks for a directory.
std::string_view Pathspec::Item::plain_path() const {
  return without_final_slash(path);
}

// Whether `name` begins with the literal bytes; of a shorter one, whether they begin with it.
bool Pathspec::Item::has_literal_front(std::string_view name) const {
  const std::size_t size = std::min(name.size(), literal_bytes);
  const std::size_t exact = std::min(exact_bytes, size);
  const std::string_view literal = std::string_view(path).substr(0, size);
  return name.substr(0, exact) == literal.substr(0, exact) &&
         same_bytes(name.substr(exact, size - exact), literal.substr(exact), icase);
}

bool Pathspec::Item::names(std::string_view name, bool is_gitlink) const {
  if (path.empty()) return true;
  // As a name of the path itself, or of a directory above it. A pattern, too, may be taken for what it is.
  const std::size_t exact = std::min(exact_bytes, name.size());
  if (name.substr(0, exact) != std::string_view(path).substr(0, exact)) return false;
  const std::size_t size = plain_path().size();
  if (name.size() >= size && same_bytes(name.substr(0, size), plain_path(), icase)) {
    if (name.size() == size && (size == path.size() || is_gitlink)) return true;
    if (name.size() > size && name[size] == '/') return true;
  }
  return pattern && name.size() >= literal_bytes && has_literal_front(name) &&
         pattern->matches(name.substr(literal_bytes));
}

bool Pathspec::Item::may_match_below(std::string_view directory) const {
  // Below it: the literal bytes lead there, or to something deeper.
  std::string inside(directory);
  if (!inside.empty()) inside += '/';
  if (!has_literal_front(inside)) return false;
  if (pattern || inside.size() < literal_bytes) return true;
  const std::size_t size = plain_path().size();  // the item is `directory`, or above it
  return size == 0 || size == inside.size() || inside[size] == '/';
}

Pathspec::Pathspec(std::span<const std::string> texts, const PathspecRules& rules) {
  const PathspecParser parser(texts, rules);
  items_.reserve(texts.size() + 1);
  bool only_exclusions = true;
  for (const std::string& text : texts) {
    items_.push_back(parser.parse(text));
    only_exclusions = only_exclusions && items_.back().exclude;
  }
  if (!items_.empty() && only_exclusions) items_.push_back(parser.rest());
  sort_out();
}

void Pathspec::sort_out() {
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    has_exclusions_ = has_exclusions_ || item.exclude;
    has_attributes_ = has_attributes_ || !item.attributes.empty();
    const bool plain = !item.pattern && !item.icase && !item.exclude && item.attributes.empty() && !item.path.empty();
    (plain ? plain_ : patterns_).push_back(i);
  }
  std::sort(plain_.begin(), plain_.end(), [this](std::uint32_t one, std::uint32_t other) {
    return items_[one].plain_path() < items_[other].plain_path();
  });
}

// Calls act(item, name) for each plain item that stands at `path` or at a directory above it, until it returns false.
template <typename Act>
void Pathspec::for_plain_above(std::string_view path, const Act& act) const {
  if (plain_.empty()) return;
  const auto is_before = [this](std::uint32_t item, std::string_view name) { return items_[item].plain_path() < name; };
  for (std::size_t end = 0; end != path.size(); ++end) {
    end = std::min(path.find('/', end), path.size());
    const std::string_view name = path.substr(0, end);
    auto at = std::lower_bound(plain_.begin(), plain_.end(), name, is_before);
    for (; at != plain_.end() && items_[*at].plain_path() == name; ++at) {
      if (!act(*at, name)) return;
    }
    if (end == path.size()) return;
  }
}

bool Pathspec::has_plain_below(std::string_view directory) const {
  if (plain_.empty()) return false;
  std::string inside(directory);
  if (inside.empty()) return true;
  inside += '/';
  const auto at = std::lower_bound(
      plain_.begin(), plain_.end(), inside,
      [this](std::uint32_t item, const std::string& name) { return items_[item].plain_path() < name; });
  return at != plain_.end() && items_[*at].plain_path().starts_with(inside);
}

bool Pathspec::matches(std::string_view path, bool is_gitlink, const PathspecAttributeTest& attributes,
                       PathspecMatches* matched) const {
  if (items_.empty()) return true;
  assert(attributes || !has_attributes_);
  if (matched != nullptr && matched->items_.empty()) matched->items_.resize(items_.size());
  bool wanted = false;
  for_plain_above(path, [&](std::uint32_t i, std::string_view name) {
    const bool asks_for_directory = items_[i].plain_path().size() != items_[i].path.size();
    if (name.size() == path.size() && asks_for_directory && !is_gitlink) return true;
    wanted = true;
    if (matched != nullptr) matched->items_[i] = true;
    return matched != nullptr;
  });
  const auto takes = [&](const Item& item) {
    return item.names(path, is_gitlink) && (item.attributes.empty() || attributes(path, item.attributes));
  };
  for (const std::uint32_t i : patterns_) {
    if (items_[i].exclude || (wanted && matched == nullptr) || !takes(items_[i])) continue;
    wanted = true;
    if (matched != nullptr) matched->items_[i] = true;
  }
  if (!wanted || !has_exclusions_) return wanted;
  bool excluded = false;
  for (const std::uint32_t i : patterns_) {
    if (!items_[i].exclude) continue;
    excluded = excluded || takes(items_[i]);
    if (matched != nullptr) matched->items_[i] = true;  // need not match, but was asked
  }
  return !excluded;
}

std::vector<std::string> Pathspec::attribute_names() const {
  std::set<std::string> names;
  for (const Item& item : items_) {
    for (const PathspecAttribute& attribute : item.attributes) names.insert(attribute.name);
  }
  return {names.begin(), names.end()};
}

bool Pathspec::may_match_below(std::string_view directory) const {
  if (items_.empty()) return true;
  bool wanted = has_plain_below(directory);
  if (!wanted) {
    for_plain_above(directory, [&](std::uint32_t, std::string_view) { return !(wanted = true); });
  }
  for (const std::uint32_t i : patterns_) {
    const Item& item = items_[i];
    if (!item.exclude) {
      wanted = wanted || item.may_match_below(directory);
    } else if (item.attributes.empty() && item.names(directory, true) && !item.pattern) {
      return false;  // a directory that is excluded by name
    }
  }
  return wanted;
}

std::vector<std::string> Pathspec::unmatched(const PathspecMatches& matched) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (matched.items_.empty() || !matched.items_[i]) texts.push_back(items_[i].text);
  }
  return texts;
}

}  // namespace pfetch::object
