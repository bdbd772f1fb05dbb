// Runs the real git in a throw-away repository, to compare our answers with its own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/process.h"

namespace pfetch::test {

class GitOracle {
 public:
  struct Answer {
    int status = 0;
    std::string out;
    bool ok() const { return status == 0; }
  };

  GitOracle() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pfetch-oracle-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
    top_ = pattern;
    std::filesystem::create_directory(top_ + "/repo");
    run({"init", "-q", "-b", "main"});
  }
  GitOracle(const GitOracle&) = delete;
  GitOracle& operator=(const GitOracle&) = delete;
  ~GitOracle() {
    std::error_code ignored;
    std::filesystem::remove_all(top_, ignored);
  }

  std::string worktree() const { return top_ + "/repo"; }
  std::string home() const { return top_; }

  // `git <arguments>` in the worktree, with `input` as its standard input.
  Answer run(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    const std::string input_file = top_ + "/input";
    write_outside(input_file, input);
    base::ProcessOptions options;
    options.argv = {"sh", "-c", "exec git \"$@\" <\"$0\"", input_file};
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    options.directory = worktree();
    options.environment = {
        {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"},  {"HOME", top_},
        {"GIT_ATTR_NOSYSTEM", "1"},         {"GIT_DIR", std::nullopt},     {"LC_ALL", "C"},
        {"XDG_CONFIG_HOME", std::nullopt},  {"GIT_AUTHOR_NAME", "a"},      {"GIT_AUTHOR_EMAIL", "a@b"},
        {"GIT_COMMITTER_NAME", "a"},        {"GIT_COMMITTER_EMAIL", "a@b"}};
    options.out = base::ProcessOptions::Stream::pipe;
    options.err = base::ProcessOptions::Stream::null;
    base::Process process = base::Process::start(options);
    Answer answer;
    std::vector<std::byte> piece(65536);
    while (const std::size_t n = base::read_some(process.out.get(), piece, "git")) {
      answer.out.append(reinterpret_cast<const char*>(piece.data()), n);
    }
    answer.status = process.wait();
    return answer;
  }

  // As run(), but git must succeed; without the last line feed.
  std::string must(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    Answer answer = run(arguments, input);
    if (!answer.ok()) throw std::runtime_error("git " + arguments[0] + " failed");
    if (!answer.out.empty() && answer.out.back() == '\n') answer.out.pop_back();
    return answer.out;
  }

  void write(const std::string& path, std::string_view content) const {
    const std::filesystem::path file = worktree() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    write_outside(file.string(), content);
  }

  std::string read(const std::string& path) const { return base::read_file(worktree() + "/" + path); }

  static void write_outside(const std::string& path, std::string_view content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }

 private:
  std::string top_;
};

}  // namespace pfetch::test
