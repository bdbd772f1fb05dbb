// A scratch repository made by git itself, the oracle of the store's tests. Removed when it goes out of scope.
#pragma once

#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "object/object_source.h"
#include "tests/support/scratch.h"

namespace pfetch::store {

class GitFixture {
 public:
  explicit GitFixture(const std::string& init_options = "") { git("init -q -b main " + init_options + " ."); }

  const std::string& path() const { return scratch_.path(); }
  std::string objects() const { return path() + "/.git/objects"; }

  // Runs a shell command in the repository, which must succeed, and returns what it prints.
  std::string run(const std::string& command) const { return scratch_.bytes_of(command); }
  std::string git(const std::string& arguments) const { return run("git " + arguments); }
  // The first line alone.
  std::string git_line(const std::string& arguments) const {
    const std::string output = git(arguments);
    return output.substr(0, output.find('\n'));
  }

  void write(const std::string& name, const std::string& content) const { scratch_.write(name, content); }
  // Replaces a file by a new one, so that maps of the old one stay as they are.
  static void overwrite(const std::string& path, const std::string& content) {
    ::unlink(path.c_str());
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string slurp(const std::string& path) { return base::read_file(path); }

  // `count` commits, each changing a line of one growing file and adding a small file.
  void make_history(int count, const std::string& import_options = "") const {
    std::ostringstream stream;
    for (int i = 1; i <= count; ++i) {
      std::string content;
      for (int line = 0; line < 200; ++line)
        content += "line " + std::to_string(line) + (line == i % 200 ? " changed " + std::to_string(i) : "") + "\n";
      stream << "commit refs/heads/main\ncommitter C <c@x> " << 1700000000 + i << " +0000\ndata 2\nm\n";
      stream << "M 100644 inline big.txt\ndata " << content.size() << "\n" << content << "\n";
      stream << "M 100644 inline d" << i % 7 << "/f" << i << "\ndata 3\n" << i % 10 << "x\n\n";
    }
    write(".stream", stream.str());
    git("-c fastimport.unpackLimit=0 fast-import --quiet " + import_options + " < .stream");
  }

  struct Known {
    object::Kind kind;
    std::string content;
  };
  // Every object, as `git cat-file --batch` prints it.
  std::map<object::Oid, Known> all_objects() const {
    const std::string output = git("cat-file --batch-all-objects --batch");
    std::map<object::Oid, Known> objects;
    for (std::size_t at = 0; at < output.size();) {
      std::istringstream header(output.substr(at, output.find('\n', at) - at));
      std::string hex, kind;
      std::size_t size = 0;
      header >> hex >> kind >> size;
      at = output.find('\n', at) + 1;
      objects[object::Oid::from_hex(hex).value()] = {object::kind_from_name(kind).value(), output.substr(at, size)};
      at += size + 1;
    }
    return objects;
  }

  std::vector<std::string> files(const std::string& pattern) const {
    std::istringstream lines(run("ls -d " + pattern));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) names.push_back(path() + "/" + line);
    return names;
  }

 private:
  test::Scratch scratch_;
};

}  // namespace pfetch::store
