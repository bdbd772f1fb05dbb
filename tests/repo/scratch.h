// A directory that goes away with the test, and shell commands in it with nothing of the user's git configuration.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <map>
#include <string>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/process.h"

namespace pfetch::repo {

class Scratch {
 public:
  Scratch() {
    std::string name = "/tmp/pfetch-repo-XXXXXX";
    path_ = ::mkdtemp(name.data()) == nullptr ? std::string() : name;
    char* real = ::realpath(path_.c_str(), nullptr);
    path_ = real;
    ::free(real);
  }
  ~Scratch() { base::remove_tree(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  // Writes a file, making the directories above it.
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path_ + "/" + name;
    base::make_directories(file.substr(0, file.rfind('/')));
    const base::UniqueFd fd = base::open_file(file, O_WRONLY | O_CREAT | O_TRUNC);
    base::write_all(fd.get(), base::as_bytes(text), file);
    return file;
  }

  // What `command` prints on both streams, run by a shell in the directory; its last newline is kept.
  std::string run(const std::string& command, int* status = nullptr) const {
    const std::string whole = "cd " + base::shell_quote(path_) + " && HOME=" + base::shell_quote(path_ + "/no-home") +
                              " GIT_CONFIG_NOSYSTEM=1 && export HOME GIT_CONFIG_NOSYSTEM && { :\n" + command +
                              "\n} 2>&1";
    FILE* pipe = ::popen(whole.c_str(), "r");
    std::string text;
    char buffer[4096];
    for (std::size_t got = 0; (got = ::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
    const int result = ::pclose(pipe);
    if (status != nullptr) *status = WEXITSTATUS(result);
    return text;
  }

 private:
  std::string path_;
};

}  // namespace pfetch::repo
