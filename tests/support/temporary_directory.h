// A directory that is gone when the test is.
#pragma once

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/cleanup.h"

namespace pfetch::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const char* const top = std::getenv("TMPDIR");
    std::string name = std::string(top != nullptr ? top : "/tmp") + "/pfetch-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
    char* const real = ::realpath(name.c_str(), nullptr);  // as git names it
    path_ = real != nullptr ? real : name;
    std::free(real);
  }
  ~TemporaryDirectory() { base::remove_tree(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // The names in it, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    DIR* const dir = ::opendir(path_.c_str());
    if (dir == nullptr) throw std::runtime_error("cannot read " + path_);
    while (const dirent* entry = ::readdir(dir)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") found.push_back(name);
    }
    ::closedir(dir);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string path_;
};

}  // namespace pfetch::test
