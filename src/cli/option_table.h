// The options of one command, and reading words into them as Git's commands do (gitcli(7)).
//
// Long names may be cut short where that is not ambiguous; a value stands behind '=' or in the next word, whatever that
// begins with; `--no-<name>` takes an option back; switches of one letter may be run together; options may stand
// after other words; "--" ends them. Words take effect in their order, so the last one counts.
//
// CLI11 and getopt_long were weighed: neither takes options back, CLI11 knows no shortened names and takes a value that
// begins with '-' for an option. One thread; what a row refers to must outlive the table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfetch::cli {

// A command line that cannot be used: what to print, and nothing else. Exit code 129, as git's.
struct UsageError {
  std::string text;
};

class OptionTable {
 public:
  // How the command is called: "pfetch clone [<options>] [--] <repo> [<dir>]".
  explicit OptionTable(std::string usage) : usage_(std::move(usage)) {}

  // `names` are "-b,--branch". `set` gets the value, or nullopt when the option is taken back.
  using SetValue = std::function<void(std::optional<std::string>)>;
  using SetFlag = std::function<void(bool)>;
  void add_flag(std::string_view names, std::string help, SetFlag set);
  void add_flag(std::string_view names, std::string help, bool& into);
  void add_value(std::string_view names, std::string argument, std::string help, SetValue set);
  void add_value(std::string_view names, std::string argument, std::string help, std::optional<std::string>& into);
  // May be given more than once.
  void add_list(std::string_view names, std::string argument, std::string help, std::vector<std::string>& into);
  // The value stands behind '=' or is missing; then it is empty.
  void add_optional_value(std::string_view names, std::string argument, std::string help, SetValue set);
  // The option added last takes only its whole name: for what git does not have, so that git's shortened names hold.
  void whole_name_only() { rows_.back().whole_name_only = true; }

  enum class Help { none, brief, full };  // -h, --help
  struct Result {
    std::vector<std::string> words;  // those that are no options
    Help help = Help::none;
    std::optional<std::size_t> dashes;  // how many words stood before "--"; nullopt: it was not there
  };
  // Throws UsageError, and whatever `set` throws.
  Result parse(const std::vector<std::string>& words) const;

  std::string help() const;
  // "<prefix>: <problem>" and the help.
  [[nodiscard]] UsageError usage_error(std::string_view problem, std::string_view prefix = "error") const;

 private:
  enum class Takes { nothing, value, optional_value };
  struct Row {
    char letter = 0;
    std::vector<std::string> names;  // without dashes
    Takes takes = Takes::nothing;
    std::string argument;
    std::string help;
    SetValue set;  // of a flag: any value for on
    bool whole_name_only = false;
  };
  struct Found {
    const Row* row = nullptr;
    bool on = true;
    std::string name;  // as it matched, whole
  };

  // Where the reading stands.
  struct Cursor {
    const std::vector<std::string>& words;
    std::size_t at;

    std::optional<std::string> take_next() { return at + 1 < words.size() ? std::optional(words[++at]) : std::nullopt; }
  };

  void add(std::string_view names, Takes takes, std::string argument, std::string help, SetValue set);
  Found find(std::string_view name, std::string_view word) const;
  void take_long(std::string_view word, Cursor& cursor) const;
  // Returns whether -h is among them.
  bool take_letters(std::string_view letters, Cursor& cursor) const;

  const std::string usage_;
  std::vector<Row> rows_;
};

// A whole number for the option `name` ("jobs"). Throws UsageError.
std::int64_t option_number(const std::string& text, std::string_view name);

}  // namespace pfetch::cli
