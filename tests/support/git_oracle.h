// Runs the real git in a throw-away repository, to compare our answers with its own.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scratch.h"

namespace pfetch::test {

class GitOracle {
 public:
  GitOracle() { scratch_.out_of("git init -q -b main repo"); }

  std::string worktree() const { return scratch_ / "repo"; }
  const std::string& home() const { return scratch_.path(); }

  // `git <arguments>` in the worktree, with `input` as its standard input; what it prints on stdout.
  Ran run(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    scratch_.write("input", input);
    std::string script = "cd repo; exec git";
    for (const std::string& argument : arguments) script += " " + base::shell_quote(argument);
    return scratch_.run(script + " <../input 2>/dev/null");
  }

  // As run(), but git must succeed; without the last line feed.
  std::string must(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    Ran ran = run(arguments, input);
    if (!ran.ok()) throw std::runtime_error("git " + arguments[0] + " failed");
    return without_final_newline(std::move(ran.out));
  }

  void write(const std::string& path, std::string_view content) const { scratch_.write("repo/" + path, content); }
  std::string read(const std::string& path) const { return base::read_file(worktree() + "/" + path); }
  // Beside the worktree.
  void write_outside(const std::string& name, std::string_view content) const { scratch_.write(name, content); }

 private:
  Scratch scratch_;
};

}  // namespace pfetch::test
