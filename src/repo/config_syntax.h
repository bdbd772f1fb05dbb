// The grammar of Git's configuration files (git-config, "CONFIGURATION FILE"): reading statements one by one with
// their places, names of keys, and values as text.
//
//   file      = { section | variable | comment | blank }
//   section   = "[" name [ blank '"' subsection '"' ] "]"
//   variable  = name [ "=" value ] newline
//
// libgit2's reader was weighed for this: starting that library costs about 9 ms, four times a whole start of git; its
// entries do not tell the file they come from, which relative and conditional includes need; and it changes files
// without keeping several values in order. It is the oracle in the tests.
//
// Pure and thread safe. Errors: ErrorCode::config, in git's words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pfetch::repo {

struct ConfigStatement {
  bool is_section = false;
  std::string name;                  // "remote.origin" for a section, "remote.origin.url" for a variable; canonical
  std::optional<std::string> value;  // nullopt: the variable stands without "="
  std::size_t begin = 0;             // bytes into the text: of "[", or of the first letter of the variable's name
  std::size_t end = 0;               // past "]", or past the newline that ends the variable
  int line = 0;                      // the line of `begin`, from 1
};

// Walks the statements of `text`, which must outlive the parser. `file` is named in errors.
class ConfigParser {
 public:
  ConfigParser(std::string_view text, std::string_view file);
  // The next statement; false at the end. Throws "bad config line N in file F".
  bool next(ConfigStatement& statement);

 private:
  int take();
  [[noreturn]] void fail(int line) const;
  void take_section(ConfigStatement& statement);
  void take_subsection(std::string& name);
  void take_variable(ConfigStatement& statement);
  std::string take_value();

  std::string_view text_;
  std::string_view file_;
  std::string section_;  // as it prefixes variables: "remote.origin."
  std::size_t at_ = 0;
  int line_ = 1;
  bool ended_ = false;
};

// `key` with section and variable in lower case, the subsection as it is. Throws for what cannot be a key
// ("key does not contain a section: x", "invalid key: x").
std::string canonical_config_key(std::string_view key);

// "section" or "section.subsection" as a header line: [section "subsection"]\n
std::string config_section_header(std::string_view section);

// `value` as it is written behind "name = ", quoted where reading would change it.
std::string quote_config_value(std::string_view value);

// What a value means. `nullopt` as value is a variable without "=".
std::optional<bool> config_value_as_bool(const std::optional<std::string>& value);
enum class ConfigNumberError { none, invalid_unit, out_of_range };
ConfigNumberError config_value_as_int(std::string_view value, std::int64_t& number);
// "~/x" and "~user/x" expanded. `home` empty: "~/" throws "failed to expand user dir in: …".
std::string config_value_as_path(std::string_view value, std::string_view home);

}  // namespace pfetch::repo
