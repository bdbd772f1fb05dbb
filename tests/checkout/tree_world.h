// Trees in memory, made from lists of paths, and an index that holds what a list says.
#pragma once

#include <fmt/format.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "checkout/cache_tree.h"
#include "checkout/index.h"
#include "checkout/tree_changes.h"
#include "tests/support/fakes.h"

namespace pfetch::checkout {

using Lines = std::vector<std::string>;
inline const object::Oid some_id = test::object_id(object::Kind::blob, "some");

// What is at each path; in the order of an index.
using Files = std::map<std::string, TreeSide>;

inline TreeSide file_side(const std::string& content, std::uint32_t mode = object::mode_file) {
  return {mode, test::object_id(object::Kind::blob, content)};
}

// Counts the trees that are read.
class TreeStore : public test::MemorySource {
 public:
  std::optional<object::Object> read(const object::Oid& id) override {
    ++reads;
    return MemorySource::read(id);
  }
  // The tree of these files, with all trees below it.
  object::Oid add_tree(const Files& files) {
    std::map<std::string, std::pair<TreeSide, Files>> entries;  // by name, a directory's with a slash
    for (const auto& [path, side] : files) {
      const std::size_t slash = path.find('/');
      if (slash == std::string::npos) {
        entries[path].first = side;
      } else {
        entries[path.substr(0, slash + 1)].second[path.substr(slash + 1)] = side;
      }
    }
    std::string content;
    for (const auto& [name, entry] : entries) {
      const auto& [side, below] = entry;
      content += below.empty() ? test::tree_entry(octal(side.mode), name, side.id)
                               : test::tree_entry("40000", name.substr(0, name.size() - 1), add_tree(below));
    }
    return add(object::Kind::tree, content);
  }
  object::Oid add_raw_tree(const std::string& content) { return add(object::Kind::tree, content); }

  std::size_t reads = 0;

 private:
  static std::string octal(std::uint32_t mode) {
    std::string digits;
    for (; mode != 0; mode >>= 3) digits.insert(digits.begin(), static_cast<char>('0' + (mode & 7)));
    return digits;
  }
};

inline Index index_of(const Files& files) {
  Index index;
  for (const auto& [path, side] : files) {
    index.entries.emplace_back();
    index.entries.back().path = index.paths.keep(path);
    index.entries.back().mode = side.mode;
    index.entries.back().id = side.id;
  }
  return index;
}

// "path: what it was > what it is", with the mode and four digits of the id.
inline std::string words_of(const PathChange& change) {
  const auto words = [](const TreeSide& side) {
    return side ? fmt::format("{:o} {}", side.mode, side.id.hex().substr(0, 4)) : std::string("nothing");
  };
  return fmt::format("{}: {} > {}", change.path, words(change.before), words(change.after));
}
inline std::vector<std::string> words_of(const std::vector<PathChange>& changes) {
  std::vector<std::string> lines;
  for (const PathChange& change : changes) lines.push_back(words_of(change));
  return lines;
}

// The same from the lists: what a walk must come to.
inline std::vector<std::string> expected_changes(const Files& before, const Files& after) {
  Files all = before;
  all.insert(after.begin(), after.end());
  std::vector<std::string> lines;
  for (const auto& [path, either] : all) {
    const auto side_in = [&path = path](const Files& files) {
      const auto at = files.find(path);
      return at == files.end() ? TreeSide() : at->second;
    };
    const PathChange change{path, side_in(before), side_in(after)};
    if (change.before != change.after) lines.push_back(words_of(change));
  }
  return lines;
}

// 10 directories of 10 directories of 10 files, and one file more in `extra`.
inline Files thousand_files(const std::string& extra) {
  Files files;
  for (int i = 0; i < 1000; ++i) {
    const std::string directory = fmt::format("d{}/e{}", i / 100, i / 10 % 10);
    files[fmt::format("{}/f{}", directory, i)] = file_side(directory);
  }
  files[extra] = file_side("extra");
  return files;
}

// The cache tree that `git write-tree` would leave.
inline std::vector<CacheTreeNode> whole_cache_tree(TreeStore& store, const Index& index,
                                                   const std::string& directory = "", std::string_view name = {}) {
  Files files;
  std::vector<std::string_view> names;
  const auto below = entries_below(index.entries, directory);
  for (const IndexEntry& entry : below) {
    const std::string_view rest = entry.path.substr(directory.size());
    files[std::string(rest)] = {entry.mode, entry.id};
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) continue;
    if (names.empty() || names.back() != rest.substr(0, slash)) names.push_back(rest.substr(0, slash));
  }
  std::vector<CacheTreeNode> nodes = {
      {name, static_cast<std::int64_t>(below.size()), static_cast<std::uint32_t>(names.size()), store.add_tree(files)}};
  for (const std::string_view child : names) {
    const auto more = whole_cache_tree(store, index, directory + std::string(child) + "/", child);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  return nodes;
}

// Files under names that like to clash: directories and files of one name, and names that sort between the two.
class RandomFiles {
 public:
  explicit RandomFiles(unsigned seed) : random_(seed) {}

  Files files() {
    Files files;
    fill(files, "", 0);
    if (files.empty()) files["alone"] = file_side("alone");
    return files;
  }
  // With a few differences.
  Files changed(Files files) {
    for (unsigned count = below(6); count > 0; --count) {
      if (!files.empty() && below(2) == 0) files.erase(std::next(files.begin(), below(files.size())));
      if (below(3) == 0) continue;
      const Files others = this->files();
      const auto& [path, side] = *std::next(others.begin(), below(others.size()));
      put(files, path, side);
    }
    if (files.empty()) files["alone"] = file_side("alone");
    return files;
  }
  // Whatever stood in the way goes.
  static void put(Files& files, const std::string& path, const TreeSide& side) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      files.erase(path.substr(0, slash));
    }
    files.erase(files.lower_bound(path + "/"), files.lower_bound(path + "0"));
    files[path] = side;
  }
  TreeSide side() {
    static const std::uint32_t modes[] = {object::mode_file, object::mode_file, object::mode_executable,
                                          object::mode_symlink, object::mode_gitlink};
    return file_side(std::to_string(below(3)), modes[below(5)]);
  }
  unsigned below(std::size_t bound) { return static_cast<unsigned>(random_() % bound); }

 private:
  void fill(Files& files, const std::string& directory, int depth) {
    for (const char* name : {"a", "a.c", "a0", "b", "sub", "sub-", "sub.x"}) {
      const unsigned kind = below(depth < 3 ? 4 : 2);
      if (kind == 1) files[directory + name] = side();
      if (kind == 2) fill(files, directory + name + "/", depth + 1);
    }
  }

  std::mt19937 random_;
};

}  // namespace pfetch::checkout
