// A scratch directory, and real git run in it as the oracle, in a fixed environment.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/cleanup.h"
#include "base/process.h"

namespace pfetch::tests {

struct Ran {
  int status = 0;
  std::string out;  // stdout and stderr
};

class RefScratch {
 public:
  RefScratch() {
    std::string pattern = "/tmp/pfetch-refs-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    root_ = pattern;
  }
  ~RefScratch() { base::remove_tree(root_); }
  RefScratch(const RefScratch&) = delete;
  RefScratch& operator=(const RefScratch&) = delete;

  const std::string& root() const { return root_; }
  std::string path(const std::string& name) const { return root_ + "/" + name; }

  // Runs `script` with sh in the scratch directory.
  Ran run(const std::string& script) const {
    const std::string settings =
        "export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_COUNT=0 GIT_COMMITTER_NAME=C "
        "GIT_COMMITTER_EMAIL=c@x GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_DATE='1600000000 +0000' "
        "GIT_AUTHOR_DATE='1600000000 +0000' LC_ALL=C; unset GIT_DIR GIT_WORK_TREE;\n";
    const std::string whole = "{ cd " + root_ + "\n" + settings + script + "\n} 2>&1";
    std::FILE* pipe = ::popen(whole.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("popen");
    Ran ran;
    char block[4096];
    while (const std::size_t got = std::fread(block, 1, sizeof block, pipe)) ran.out.append(block, got);
    ran.status = ::pclose(pipe);
    return ran;
  }
  // As run, for a script that must succeed; without the final newline.
  std::string out_of(const std::string& script) const {
    Ran ran = run("set -e; " + script);
    if (ran.status != 0) throw std::runtime_error(script + " failed: " + ran.out);
    if (!ran.out.empty() && ran.out.back() == '\n') ran.out.pop_back();
    return ran.out;
  }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string root_;
};

}  // namespace pfetch::tests
