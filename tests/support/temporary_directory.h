// A directory that is gone when the test is.
#pragma once

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/cleanup.h"

namespace pfetch::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const char* top = std::getenv("TMPDIR");
    path_ = std::string(top != nullptr ? top : "/tmp") + "/pfetch-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
  }
  ~TemporaryDirectory() { base::remove_tree(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

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
