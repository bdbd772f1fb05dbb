#include "object/pathspec_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"

namespace pfetch::object {

namespace {

// Characters that may get a meaning as short magic. Others begin the pattern.
constexpr std::string_view reserved_magic = "\"#%&',-;<=>@_`~";

[[noreturn]] void refuse(std::string message) {
  throw Error(ErrorCode::usage, std::move(message));
}

bool is_attribute_name(std::string_view name) {
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return base::is_letter(c) || base::is_digit(c) || c == '-' || c == '.' || c == '_';
  });
}

std::string unescaped_value(std::string_view value) {
  std::string plain;
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value[at] == '\\' && ++at == value.size()) {
      refuse("Escape character '\\' not allowed as last character in attr value");
    }
    const char c = value[at];
    if (!base::is_letter(c) && !base::is_digit(c) && c != ',' && c != '-' && c != '_') {
      refuse(fmt::format("cannot use '{}' for value matching", c));
    }
    plain += c;
  }
  return plain;
}

PathspecAttribute parse_attribute(std::string_view word) {
  using Kind = PathspecAttribute::Kind;
  PathspecAttribute wanted;
  std::string_view name = word;
  if (word[0] == '-' || word[0] == '!') {
    wanted.kind = word[0] == '-' ? Kind::unset : Kind::unspecified;
    name.remove_prefix(1);
  } else if (const auto equals = word.find('='); equals != std::string_view::npos) {
    wanted.kind = Kind::value;
    wanted.value = unescaped_value(word.substr(equals + 1));
    name = word.substr(0, equals);
  }
  if (!is_attribute_name(name)) refuse(fmt::format("invalid attribute name {}", name));
  wanted.name = name;
  return wanted;
}

std::vector<PathspecAttribute> parse_attributes(std::string_view words) {
  if (words.empty()) refuse("attr spec must not be empty");
  std::vector<PathspecAttribute> wanted;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (!word.empty()) wanted.push_back(parse_attribute(word));
  }
  return wanted;
}

// Where a word of long magic ends: at ',' or ')' that is not escaped.
std::size_t word_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != ',' && text[at] != ')') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

// Appends the components of `path` to `onto`, which is empty or ends in '/'. A '/' at the end stays, and "." and ".."
// leave one. `kept_bytes` is cut to what was never taken back of the front. False: ".." leads above the top.
bool append_normalised(std::string_view path, std::string& onto, std::size_t& kept_bytes) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    const bool has_slash = slash != std::string_view::npos;
    path.remove_prefix(has_slash ? slash + 1 : path.size());
    if (component.empty() || component == ".") continue;
    if (component == "..") {
      if (onto.empty()) return false;
      onto.pop_back();
      onto.resize(onto.rfind('/') + 1);  // npos + 1 is 0
      kept_bytes = std::min(kept_bytes, onto.size());
      continue;
    }
    onto.append(component);
    if (has_slash) onto += '/';
  }
  return true;
}

// What follows `directory` in `path`; nullopt when it does not lead there.
std::optional<std::string> rest_below(std::string_view path, std::string_view directory) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  if (!path.starts_with(directory)) return std::nullopt;
  if (path.size() == directory.size()) return std::string();
  if (path[directory.size()] != '/') return std::nullopt;
  return std::string(path.substr(directory.size() + 1));
}

}  // namespace

PathspecParser::PathspecParser(std::span<const std::string> texts, const PathspecRules& rules) : rules_(rules) {
  if (std::find(texts.begin(), texts.end(), "") != texts.end()) {
    refuse("empty string is not a valid pathspec. please use . instead if you meant to match all paths");
  }
  if (rules.glob && rules.noglob) refuse("global 'glob' and 'noglob' pathspec settings are incompatible");
  if (rules.literal && (rules.glob || rules.icase)) {
    refuse("global 'literal' pathspec setting is incompatible with all other global pathspec settings");
  }
}

void PathspecParser::take_word(const std::string& text, std::string_view word, Magic& magic) {
  constexpr std::string_view attr = "attr:";
  if (word.empty() || word == "attr") return;
  if (word == "top") {
    magic.top = true;
  } else if (word == "literal") {
    magic.literal = true;
  } else if (word == "glob") {
    magic.glob = true;
  } else if (word == "icase") {
    magic.icase = true;
  } else if (word == "exclude") {
    magic.exclude = true;
  } else if (word.starts_with(attr)) {
    if (magic.attributes_given) refuse("Only one 'attr:' specification is allowed.");
    magic.attributes_given = true;
    magic.attributes = parse_attributes(word.substr(attr.size()));
  } else {
    refuse(fmt::format("Invalid pathspec magic '{}' in '{}'", word, text));
  }
}

void PathspecParser::take_long_magic(const std::string& text, std::string_view& rest, Magic& magic) {
  rest.remove_prefix(2);
  for (;;) {
    const std::size_t end = word_end(rest);
    take_word(text, rest.substr(0, end), magic);
    if (end == rest.size()) refuse(fmt::format("Missing ')' at the end of pathspec magic in '{}'", text));
    const bool last = rest[end] == ')';
    rest.remove_prefix(end + 1);
    if (last) return;
  }
}

void PathspecParser::take_short_magic(const std::string& text, std::string_view& rest, Magic& magic) {
  rest.remove_prefix(1);
  for (; !rest.empty() && rest[0] != ':'; rest.remove_prefix(1)) {
    if (rest[0] == '/') {
      magic.top = true;
    } else if (rest[0] == '!' || rest[0] == '^') {
      magic.exclude = true;
    } else if (reserved_magic.find(rest[0]) != std::string_view::npos) {
      refuse(fmt::format("Unimplemented pathspec magic '{}' in '{}'", rest[0], text));
    } else {
      return;
    }
  }
  if (!rest.empty()) rest.remove_prefix(1);
}

Pathspec::Item PathspecParser::parse(const std::string& text) const {
  Magic magic;
  std::string_view rest = text;
  if (!rules_.literal && rest.starts_with(":(")) {
    take_long_magic(text, rest, magic);
  } else if (!rules_.literal && rest.starts_with(':')) {
    take_short_magic(text, rest, magic);
  }
  if (magic.literal && magic.glob) refuse(fmt::format("{}: 'literal' and 'glob' are incompatible", text));
  const bool glob = magic.glob || (rules_.glob && !magic.literal);
  const bool literal = magic.literal || rules_.literal || (rules_.noglob && !glob);

  Pathspec::Item item;
  item.text = text;
  item.exclude = magic.exclude;
  item.icase = magic.icase || rules_.icase;
  item.attributes = std::move(magic.attributes);
  if (magic.top) {
    item.path = rest;
  } else {
    place(rest, item);
  }
  item.literal_bytes = item.path.size();
  const std::string_view variable = std::string_view(item.path).substr(item.exact_bytes);
  if (!literal && has_wildcard(variable)) {
    std::size_t front = 0;
    while (!has_wildcard(variable.substr(front, 1))) ++front;
    item.literal_bytes = item.exact_bytes + front;
    item.pattern.emplace(variable.substr(front), WildRules{.path_name = glob, .fold_case = item.icase});
  }
  return item;
}

Pathspec::Item PathspecParser::rest() const {
  Pathspec::Item item;
  item.text = ".";
  if (rules_.rest_is_here) item.path = rules_.prefix;
  item.exact_bytes = item.literal_bytes = item.path.size();
  return item;
}

void PathspecParser::place(std::string_view path, Pathspec::Item& item) const {
  bool inside = false;
  if (path.starts_with('/')) {
    std::string absolute;
    std::size_t nothing = 0;
    inside = append_normalised(path, absolute, nothing);
    if (inside) {
      const auto below = below_work_tree('/' + absolute);
      inside = below.has_value();
      if (inside) item.path = *below;
    }
  } else {
    item.path = rules_.prefix;
    item.exact_bytes = item.path.size();
    inside = append_normalised(path, item.path, item.exact_bytes);
  }
  if (!inside) refuse(fmt::format("{}: '{}' is outside repository at '{}'", item.text, path, rules_.work_tree));
}

// `path` is absolute and normalised.
std::optional<std::string> PathspecParser::below_work_tree(const std::string& path) const {
  if (rules_.work_tree.empty()) return std::nullopt;
  if (auto below = rest_below(path, rules_.work_tree)) return below;
  if (!rules_.real_path) return std::nullopt;
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (rules_.real_path(path.substr(0, slash)) == rules_.work_tree) {
      return slash == std::string::npos ? std::string() : path.substr(slash + 1);
    }
    if (slash == std::string::npos) return std::nullopt;
  }
}

}  // namespace pfetch::object
