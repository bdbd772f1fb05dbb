#include "cli/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace pfetch::cli {

namespace {

constexpr std::size_t help_column = 26;  // where the explanation of an option begins

UsageError error(std::string_view problem) {
  return {fmt::format("error: {}\n", problem)};
}

// What takes "--<name>" back: "no-<name>", and for "no-checkout" also "checkout".
std::vector<std::string> opposites(const std::string& name) {
  std::vector<std::string> names = {"no-" + name};
  if (name.starts_with("no-")) names.push_back(name.substr(3));
  return names;
}

}  // namespace

void OptionTable::add(std::string_view names, Takes takes, std::string argument, std::string help, SetValue set) {
  Row& row = rows_.emplace_back();
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (name.starts_with("--")) {
      row.names.emplace_back(name.substr(2));
    } else {
      row.letter = name[1];
    }
  }
  row.takes = takes;
  row.argument = std::move(argument);
  row.help = std::move(help);
  row.set = std::move(set);
}

void OptionTable::add_flag(std::string_view names, std::string help, SetFlag set) {
  add(names, Takes::nothing, {}, std::move(help),
      [set = std::move(set)](const std::optional<std::string>& on) { set(on.has_value()); });
}

void OptionTable::add_flag(std::string_view names, std::string help, bool& into) {
  add_flag(names, std::move(help), [&into](bool on) { into = on; });
}

void OptionTable::add_value(std::string_view names, std::string argument, std::string help, SetValue set) {
  add(names, Takes::value, std::move(argument), std::move(help), std::move(set));
}

void OptionTable::add_value(std::string_view names, std::string argument, std::string help,
                            std::optional<std::string>& into) {
  add_value(names, std::move(argument), std::move(help),
            [&into](std::optional<std::string> value) { into = std::move(value); });
}

void OptionTable::add_list(std::string_view names, std::string argument, std::string help,
                           std::vector<std::string>& into) {
  add_value(names, std::move(argument), std::move(help), [&into](std::optional<std::string> value) {
    if (value) {
      into.push_back(*std::move(value));
    } else {
      into.clear();
    }
  });
}

void OptionTable::add_optional_value(std::string_view names, std::string argument, std::string help, SetValue set) {
  add(names, Takes::optional_value, std::move(argument), std::move(help), std::move(set));
}

OptionTable::Found OptionTable::find(std::string_view name, std::string_view word) const {
  std::vector<Found> shortened;  // one for each option and sense that it could be
  for (const Row& row : rows_) {
    for (const std::string& whole : row.names) {
      std::vector<Found> forms = {{&row, true, whole}};
      for (std::string& opposite : opposites(whole)) forms.push_back({&row, false, std::move(opposite)});
      for (Found& form : forms) {
        if (form.name == name) return form;
        if (row.whole_name_only || !form.name.starts_with(name)) continue;
        const bool is_known = std::any_of(shortened.begin(), shortened.end(), [&](const Found& found) {
          return found.row == form.row && found.on == form.on;
        });
        if (!is_known) shortened.push_back(std::move(form));
      }
    }
  }
  if (shortened.empty()) throw usage_error(fmt::format("unknown option `{}'", word));
  if (shortened.size() > 1) {
    throw usage_error(
        fmt::format("ambiguous option: {} (could be --{} or --{})", name, shortened[0].name, shortened[1].name));
  }
  return shortened.front();
}

OptionTable::Result OptionTable::parse(const std::vector<std::string>& words) const {
  Result result;
  Cursor cursor{words, 0};
  for (; cursor.at < words.size() && result.help == Help::none; ++cursor.at) {
    const std::string_view word = words[cursor.at];
    if (word == "--") {
      result.dashes = result.words.size();
      result.words.insert(result.words.end(), words.begin() + static_cast<std::ptrdiff_t>(cursor.at) + 1, words.end());
      break;
    }
    if (word == "--help") {
      result.help = Help::full;
    } else if (word.starts_with("--")) {
      take_long(word.substr(2), cursor);
    } else if (word.size() > 1 && word[0] == '-') {
      if (take_letters(word.substr(1), cursor)) result.help = Help::brief;
    } else {
      result.words.emplace_back(word);
    }
  }
  return result;
}

void OptionTable::take_long(std::string_view word, Cursor& cursor) const {
  const auto equals = word.find('=');
  const Found found = find(word.substr(0, equals), word);
  std::optional<std::string> value;
  if (equals != std::string_view::npos) value = word.substr(equals + 1);
  if (value && (!found.on || found.row->takes == Takes::nothing)) {
    throw error(fmt::format("option `{}' takes no value", found.name));
  }
  if (!found.on) return found.row->set(std::nullopt);
  if (!value && found.row->takes == Takes::value) {
    value = cursor.take_next();
    if (!value) throw error(fmt::format("option `{}' requires a value", found.name));
  }
  found.row->set(value.value_or(""));
}

bool OptionTable::take_letters(std::string_view letters, Cursor& cursor) const {
  while (!letters.empty()) {
    const char letter = letters.front();
    letters.remove_prefix(1);
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) { return one.letter == letter; });
    if (row == rows_.end()) {
      if (letter == 'h') return true;
      throw usage_error(fmt::format("unknown switch `{}'", letter));
    }
    if (row->takes == Takes::nothing) {
      row->set("");
      continue;
    }
    std::optional<std::string> value;
    if (!letters.empty()) value = std::exchange(letters, {});
    if (!value && row->takes == Takes::value) {
      value = cursor.take_next();
      if (!value) throw error(fmt::format("switch `{}' requires a value", letter));
    }
    row->set(value.value_or(""));
  }
  return false;
}

std::string OptionTable::help() const {
  std::string text = fmt::format("usage: {}\n\n", usage_);
  for (const Row& row : rows_) {
    std::string line = "    ";
    if (row.letter != 0) line += fmt::format("-{}", row.letter);
    for (const std::string& name : row.names) line += (line.size() > 4 ? ", --" : "--") + name;
    if (row.takes == Takes::value) line += row.names.empty() ? row.argument : " " + row.argument;
    if (row.takes == Takes::optional_value) line += fmt::format("[={}]", row.argument);
    if (line.size() + 2 > help_column) {
      text += line + "\n";
      line.clear();
    }
    text += fmt::format("{:<{}}{}\n", line, help_column, row.help);
  }
  return text + "\n";
}

UsageError OptionTable::usage_error(std::string_view problem, std::string_view prefix) const {
  return {fmt::format("{}: {}\n{}{}", prefix, problem, prefix == "error" ? "" : "\n", help())};
}

std::int64_t option_number(const std::string& text, std::string_view name) {
  std::int64_t value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    throw error(fmt::format("option `{}' expects a numerical value", name));
  }
  return value;
}

}  // namespace pfetch::cli
