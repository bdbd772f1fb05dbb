// A repository made with the git on this machine, for tests that talk to a real `git upload-pack`.
#pragma once

#include <string>

#include "tests/support/scratch.h"

namespace pfetch::test {

class GitRepository {
 public:
  GitRepository() { run("git init -q -b main src"); }

  const std::string& root() const { return scratch_.path(); }
  std::string source() const { return scratch_ / "src"; }

  // Runs a shell command in the temporary directory, which must succeed; returns what it prints.
  std::string run(const std::string& command) const { return scratch_.bytes_of(command); }
  // The same without the newline at the end.
  std::string line(const std::string& command) const { return without_final_newline(run(command)); }

  // Adds `count` commits to the branch main of src (not to its worktree), each changing one file.
  void commit(int count) {
    std::string stream;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(++commits_);
      stream += "commit refs/heads/main\\ncommitter A <a@example.com> " + std::to_string(1700000000 + commits_) +
                " +0000\\ndata 1\\nc\\n";
      if (commits_ > 1 && i == 0) stream += "from refs/heads/main^0\\n";
      stream += "M 644 inline file\\ndata " + std::to_string(number.size()) + "\\n" + number + "\\n";
    }
    run("printf '" + stream + "' | git -C src fast-import --quiet");
  }

 private:
  Scratch scratch_;
  int commits_ = 0;
};

}  // namespace pfetch::test
