// Repositories whose index has something special, made by git, and an Index told in the words of `git ls-files`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "checkout/index_reader.h"
#include "tests/support/scratch.h"

namespace pfetch::checkout {

// What each world is, and how git makes it from a repository with a commit (see IndexWorld).
inline const std::map<std::string, std::string>& index_worlds() {
  static const std::string flags =
      "echo new > b/new; git add -N b/new; git update-index --skip-worktree a/one;"
      "git update-index --assume-unchanged a/two;";
  static const std::string conflict =
      "git checkout -q -b side; echo side > top; git rm -q d-e/one; git commit -qam side;"
      "git checkout -q main; echo main > top; echo main > d-e/one; git commit -qam main; ! git merge side >/dev/null;";
  static const std::string split =
      "git config splitIndex.maxPercentChange 100; git update-index --split-index;"
      "git rm -q a/three; echo more >> b/c/one; echo added > b/added; git add .;";
  static const std::string fsmonitor =
      "printf '#!/bin/sh\\n%s\\n' 'printf \"token\\0\"' > .git/fsm; chmod +x .git/fsm; git config core.fsmonitor "
      ".git/fsm;"
      "touch -d @1500000000 b/c/* top; echo more > d-e/two;";
  static const std::string monitored = "git update-index --fsmonitor; git status >.git/out; git status >.git/out";
  static const std::string many =  // in a hundred directories
      "id=$(git rev-parse HEAD:top); seq 10001 30000 | sed \"s/.*\\(..\\)$/100644 $id\\tm\\1\\/f&/\" > .git/list;"
      "git update-index --index-info < .git/list; git write-tree >/dev/null";
  static const std::map<std::string, std::string> worlds = {
      {"version 2", "true"},
      {"version 3", flags},
      {"version 4", "git update-index --index-version 4"},
      {"version 4 with flags", flags + "git update-index --index-version 4"},
      {"long paths",
       "for size in 4093 4094 4095 4096 4097 9000; do git update-index --add --cacheinfo "
       "100644,$(git rev-parse HEAD:top),$(printf \"%0${size}d\" 7); done"},
      {"long paths in version 4",
       "git update-index --index-version 4; for size in 4094 4095 4096 9000; do git update-index "
       "--add --cacheinfo 100644,$(git rev-parse HEAD:top),$(printf \"%0${size}d\" 7); done"},
      {"conflict", conflict},
      {"resolved conflict", conflict + "echo both > top; git add top"},
      {"split", split},
      {"split without a shared index yet",
       "git config splitIndex.maxPercentChange 100; git update-index --split-index"},
      {"split, version 4", "git update-index --index-version 4;" + split},
      {"split with a conflict",
       "git config splitIndex.maxPercentChange 100; git update-index --split-index;" + conflict},
      {"untracked cache", "git update-index --untracked-cache; echo x > a/untracked; git status >/dev/null"},
      {"fsmonitor 1", fsmonitor + "git config core.fsmonitorHookVersion 1; " + monitored},
      {"fsmonitor 2", fsmonitor + "git config core.fsmonitorHookVersion 2; " + monitored},
      {"sparse", "git sparse-checkout init --cone --sparse-index; git sparse-checkout set b/c"},
      {"many entries", many},
      {"offset table", "git config index.threads 2; git update-index --index-version 4;" + many},
      {"empty", "git rm -q -r ."},
  };
  return worlds;
}

class IndexWorld {
 public:
  explicit IndexWorld(const std::string& script) {
    scratch_.out_of(
        "git init -q -b main repo; cd repo; mkdir -p a b/c d-e;"
        "for d in a b/c d-e; do for f in one two three; do echo $d$f > $d/$f; done; done; echo top > top;"
        "chmod +x a/two; ln -s top link; git add .; git update-index --add --cacheinfo 160000,$(printf %040d 1),module;"
        "mkdir module; git commit -qm all");
    run(script);
  }

  std::string run(const std::string& script) const { return scratch_.out_of("cd repo; " + script); }
  std::string git(const std::string& arguments) const {
    return scratch_.bytes_of("cd repo; git " + arguments + " 2>/dev/null");
  }
  std::string git_dir() const { return scratch_ / "repo/.git"; }
  std::string index_path() const { return git_dir() + "/index"; }
  std::string bytes() const { return base::read_file(index_path()); }
  Index read() const { return read_index(index_path(), git_dir()); }
  void write(const Index& index, std::uint32_t new_version = 2, bool skip_checksum = false) const {
    base::LockFile lock = base::LockFile::take(index_path());
    write_index(lock, index, new_version, skip_checksum);
    lock.commit();
  }

 private:
  test::Scratch scratch_;
};

// `git ls-files -z --stage --debug`, where the flags of git's own process in memory are left out.
inline std::string debug_listing(const Index& index) {
  std::string listing;
  for (const IndexEntry& entry : index.entries) {
    const IndexStat& stat = entry.stat;
    const std::uint32_t flags = std::uint32_t{entry.stage} << 12 | (entry.assume_valid ? 0x8000U : 0U) |
                                (entry.has_extended_flags() ? 0x4000U : 0U) | (entry.intent_to_add ? 0x20000000U : 0U) |
                                (entry.skip_worktree ? 0x40000000U : 0U);
    listing += fmt::format("{:06o} {} {}\t{}", entry.mode, entry.id.hex(), entry.stage, entry.path) + '\0';
    listing +=
        fmt::format("  ctime: {}:{}\n  mtime: {}:{}\n", stat.ctime_s, stat.ctime_ns, stat.mtime_s, stat.mtime_ns);
    listing += fmt::format("  dev: {}\tino: {}\n  uid: {}\tgid: {}\n", stat.dev, stat.ino, stat.uid, stat.gid);
    listing += fmt::format("  size: {}\tflags: {:x}\n", stat.size, flags);
  }
  return listing;
}

inline std::string git_debug_listing(const IndexWorld& world) {
  constexpr std::uint32_t stored = 0x6000f000;
  std::istringstream lines(world.git("ls-files -z --sparse --stage --debug"));
  std::string listing;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t flags = line.find("flags: ");
    if (line.starts_with("  size: ") && flags != std::string::npos) {
      const auto value = static_cast<std::uint32_t>(std::stoul(line.substr(flags + 7), nullptr, 16));
      line = line.substr(0, flags + 7) + fmt::format("{:x}", value & stored);
    }
    listing += line + "\n";
  }
  return listing;
}

// `git ls-files -z` with -t, -v (assume-valid in lower case) or -f (the file system monitor's bit in lower case).
inline std::string tag_listing(const Index& index, char option) {
  std::string listing;
  for (const IndexEntry& entry : index.entries) {
    const bool lower = (option == 'v' && entry.assume_valid) || (option == 'f' && entry.fsmonitor_valid);
    const char tag = entry.stage != 0 ? 'M' : entry.skip_worktree ? 'S' : 'H';
    listing += fmt::format("{} {}", static_cast<char>(lower ? tag + ('a' - 'A') : tag), entry.path) + '\0';
  }
  return listing;
}

}  // namespace pfetch::checkout
