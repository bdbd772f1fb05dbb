// One attributes file, parsed: gitattributes(5), sections "DESCRIPTION" and "DEFINING MACRO ATTRIBUTES".
//
// Parsing never fails: what Git ignores is ignored here too, and each such line adds a sentence to `warnings`. The
// result is immutable, owns its bytes, and may be shared between threads. Matching against paths is in
// checkout/attributes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pfetch::checkout {

// Bytes. Git ignores a longer line, and a larger file as a whole.
inline constexpr std::size_t attribute_line_bytes_max = 2048;
inline constexpr std::size_t attribute_file_bytes_max = 100 * 1024 * 1024;

// The state that one line gives to one attribute.
struct AttributeState {
  enum class Kind : std::uint8_t {
    unspecified,  // no line says anything, or `!name` took it back
    set,          // `name`
    unset,        // `-name`
    value,        // `name=value`
  };
  Kind kind = Kind::unspecified;
  std::string value;  // for Kind::value

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_value(std::string_view wanted) const { return kind == Kind::value && value == wanted; }
  friend bool operator==(const AttributeState&, const AttributeState&) = default;
};

struct NamedState {
  std::string name;
  AttributeState state;
};

// `[attr]name states`: setting `name` also gives these states.
struct AttributeMacro {
  std::string name;
  std::vector<NamedState> states;  // in the order of the line
};

// `pattern states`, the pattern unquoted.
struct AttributeRule {
  std::string pattern;  // without the '/' that ends a pattern for directories
  bool directories_only = false;
  std::vector<NamedState> states;  // in the order of the line
};

struct AttributeFile {
  std::vector<AttributeMacro> macros;  // in the order of the file: a later one wins
  std::vector<AttributeRule> rules;    // in the order of the file: a later one wins
};

// `origin` names the file in warnings. `macros_allowed`: only in the top directory of a worktree, in info/attributes,
// and in the user's and the system's file. `warnings` may be null.
std::shared_ptr<const AttributeFile> parse_attribute_file(std::string_view text, std::string origin,
                                                          bool macros_allowed, std::vector<std::string>* warnings);

}  // namespace pfetch::checkout
