// A repository made with the git on this machine, for tests that talk to a real `git upload-pack`.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "base/cleanup.h"
#include "base/process.h"

namespace pfetch::test {

class GitRepository {
 public:
  GitRepository() {
    char path[] = "/tmp/pfetch-transport-XXXXXX";
    if (::mkdtemp(path) == nullptr) ADD_FAILURE() << "no temporary directory";
    root_ = path;
    remove_ = base::RemoveOnFailure(root_, base::RemoveOnFailure::What::tree);
    run("git init -q -b main src");
  }

  const std::string& root() const { return root_; }
  std::string source() const { return root_ + "/src"; }

  // Runs a shell command in the temporary directory, apart from the user's configuration; returns its output.
  std::string run(const std::string& command) {
    base::ProcessOptions options;
    options.argv = {command};
    options.use_shell = true;
    options.directory = root_;
    options.out = base::ProcessOptions::Stream::pipe;
    options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"},
                           {"GIT_AUTHOR_NAME", "A"},           {"GIT_AUTHOR_EMAIL", "a@example.com"},
                           {"GIT_COMMITTER_NAME", "A"},        {"GIT_COMMITTER_EMAIL", "a@example.com"}};
    auto child = base::Process::start(options);
    std::string output;
    std::byte piece[4096];
    while (const std::size_t got = base::read_some(child.out.get(), piece, "pipe")) {
      output += base::as_text({piece, got});
    }
    EXPECT_EQ(child.wait(), 0) << command;
    return output;
  }
  // The same without the newline at the end.
  std::string line(const std::string& command) {
    std::string output = run(command);
    while (output.ends_with('\n')) output.pop_back();
    return output;
  }

  // Adds `count` commits to src, each changing one file.
  void commit(int count) {
    run("cd src && for i in $(seq " + std::to_string(count) +
        "); do date +%N$i >> file; git add file; git commit -q -m c; done");
  }

 private:
  std::string root_;
  base::RemoveOnFailure remove_;
};

}  // namespace pfetch::test
