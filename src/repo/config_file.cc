#include "repo/config_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "repo/config_syntax.h"
#include "repo/paths.h"

namespace pfetch::repo {

namespace {

constexpr std::uint64_t file_size_max = std::uint64_t{64} << 20;

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A key taken apart: the section as the caller wrote it and as it compares, and the variable as it is written.
struct Key {
  explicit Key(std::string_view text) : full(canonical_config_key(text)) {
    const std::size_t dot = text.rfind('.');
    written_section = text.substr(0, dot);
    section = full.substr(0, dot);
    variable = text.substr(dot + 1);
  }
  std::string full;
  std::string section;
  std::string written_section;
  std::string variable;
};

std::string canonical_section(std::string_view section) {
  std::string key = canonical_config_key(std::string(section) + ".x");
  key.resize(key.size() - 2);
  return key;
}

std::vector<ConfigStatement> statements_of(const std::string& text, const std::string& path) {
  std::vector<ConfigStatement> all;
  ConfigParser parser(text, path);
  for (ConfigStatement statement; parser.next(statement);) all.push_back(statement);
  return all;
}

// The start of the line if only blanks stand before `at` on it, and `at` otherwise.
std::size_t line_start(const std::string& text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
  return start == 0 || text[start - 1] == '\n' ? start : at;
}

// Where something can be put behind a statement that ends at `end`: past the rest of its line, if that holds nothing
// but blanks and a comment.
std::size_t past_line(const std::string& text, std::size_t end) {
  if (end > 0 && text[end - 1] == '\n') return end;
  std::size_t at = end;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
  if (at < text.size() && text[at] != '\n' && text[at] != '#' && text[at] != ';') return end;
  const std::size_t newline = text.find('\n', at);
  return newline == std::string::npos ? text.size() : newline + 1;
}

std::string line_for(const Key& key, const std::optional<std::string>& value) {
  if (!value) return fmt::format("\t{}\n", key.variable);
  return fmt::format("\t{} = {}\n", key.variable, quote_config_value(*value));
}

// Puts whole lines in the place of a part of the text, never onto the end of a line that was there.
void put_lines(std::string& text, Span place, std::string lines) {
  if (place.begin > 0 && text[place.begin - 1] != '\n') lines.insert(0, 1, '\n');
  text.replace(place.begin, place.end - place.begin, lines);
}

}  // namespace

ConfigFileEdit::ConfigFileEdit(const std::string& path) : path_(real_path_or_same(path)) {
  try {
    lock_ = base::LockFile::take(path_);
  } catch (Error& error) {
    throw error.add_context(fmt::format("could not lock config file {}", path_));
  }
  const base::UniqueFd file = base::open_if_there(path_, O_RDONLY);
  if (!file) return;
  text_ = base::read_file(path_, file_size_max);
  const mode_t mode = base::stat_fd(file.get(), path_).st_mode & 07777;
  if (::fchmod(lock_.fd(), mode) != 0) throw_errno(errno, "could not set the mode of", lock_.lock_path());
}

void ConfigFileEdit::set(std::string_view key, std::string_view value) {
  const Key parts(key);
  const ConfigStatement* found = nullptr;
  const auto statements = statements_of(text_, path_);
  for (const ConfigStatement& statement : statements) {
    if (statement.is_section || statement.name != parts.full) continue;
    if (found != nullptr) {
      throw Error(ErrorCode::config, fmt::format("cannot overwrite multiple values with a single value\n"
                                                 "       Use a regexp, --add or --replace-all to change {}.",
                                                 parts.full));
    }
    found = &statement;
  }
  if (found == nullptr) {
    add(key, std::string(value));
  } else {
    put_lines(text_, {line_start(text_, found->begin), found->end}, line_for(parts, std::string(value)));
  }
}

void ConfigFileEdit::add(std::string_view key, const std::optional<std::string>& value) {
  const Key parts(key);
  std::optional<std::size_t> place;
  bool in_section = false;
  for (const ConfigStatement& statement : statements_of(text_, path_)) {
    if (statement.is_section) in_section = statement.name == parts.section;
    if (in_section) place = past_line(text_, statement.end);
  }
  if (place) {
    put_lines(text_, {*place, *place}, line_for(parts, value));
  } else {
    put_lines(text_, {text_.size(), text_.size()},
              config_section_header(parts.written_section) + line_for(parts, value));
  }
}

bool ConfigFileEdit::unset(std::string_view key) {
  const Key parts(key);
  const auto statements = statements_of(text_, path_);
  bool found = false;
  for (auto statement = statements.rbegin(); statement != statements.rend(); ++statement) {
    if (statement->is_section || statement->name != parts.full) continue;
    found = true;
    const Span place{line_start(text_, statement->begin), statement->end};
    const bool own_line = place.begin == 0 || text_[place.begin - 1] == '\n';
    text_.replace(place.begin, place.end - place.begin, own_line ? 0 : 1, '\n');
  }
  return found;
}

bool ConfigFileEdit::remove_section(std::string_view section) {
  const std::string name = canonical_section(section);
  const auto statements = statements_of(text_, path_);
  bool found = false;
  std::size_t end = text_.size();  // where the part after the one at hand begins
  for (auto statement = statements.rbegin(); statement != statements.rend(); ++statement) {
    if (!statement->is_section) continue;
    const std::size_t begin = line_start(text_, statement->begin);
    if (statement->name == name) {
      found = true;
      text_.erase(begin, end - begin);
    }
    end = begin;
  }
  return found;
}

void ConfigFileEdit::commit() {
  lock_.write(text_);
  lock_.commit();
}

void set_config_value(const std::string& path, std::string_view key, std::string_view value) {
  ConfigFileEdit edit(path);
  edit.set(key, value);
  edit.commit();
}

}  // namespace pfetch::repo
