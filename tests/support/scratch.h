// A directory that goes away with the test, and real git run in it as the oracle.
//
// Commands see nothing of the user's configuration: HOME is a place that does not exist, identities and dates are
// fixed. Trouble that no test expects is thrown as std::runtime_error.
#pragma once

#include <fcntl.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/process.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::test {

struct Ran {
  int status = 0;
  std::string out;

  bool ok() const { return status == 0; }
};

inline std::string without_final_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Scratch : public TemporaryDirectory {
 public:
  // Writes a file, making the directories above it. Returns its path.
  std::string write(std::string_view name, std::string_view content) const {
    const std::string file = *this / name;
    base::make_directories(file.substr(0, file.rfind('/')));
    const base::UniqueFd fd = base::open_file(file, O_WRONLY | O_CREAT | O_TRUNC);
    base::write_all(fd.get(), base::as_bytes(content), file);
    return file;
  }
  // Empty when there is no such file.
  std::string read(std::string_view name) const {
    std::string content;
    base::read_file_if_there(*this / name, content);
    return content;
  }

  // Runs a shell script in the directory; `out` has what it prints on both streams.
  Ran run(std::string_view script) const {
    std::string both_streams = "{ :\n";  // `:` so that there is a command
    both_streams.append(script).append("\n} 2>&1");
    return run_shell(both_streams);
  }
  // What it prints on both streams, whatever its status.
  std::string output(const std::string& script) const { return run(script).out; }
  // As output, but every command must succeed; without the final newline.
  std::string out_of(const std::string& script) const {
    std::string strict = "set -e; ";
    strict += script;
    return without_final_newline(must(script, run(strict)).out);
  }
  // What a script that must succeed prints on stdout, byte by byte.
  std::string bytes_of(const std::string& script) const { return must(script, run_shell(script)).out; }

 private:
  static Ran must(const std::string& script, Ran ran) {
    if (!ran.ok()) throw std::runtime_error(script + " failed: " + ran.out);
    return ran;
  }

  Ran run_shell(const std::string& script) const {
    base::ProcessOptions options;
    options.argv = {"sh", "-c", script};
    options.directory = path();
    for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "XDG_CONFIG_HOME"}) {
      options.environment.emplace_back(name, std::nullopt);
    }
    const std::pair<const char*, std::string> settings[] = {
        {"HOME", *this / "no-home"},     {"GIT_CONFIG_NOSYSTEM", "1"},
        {"GIT_ATTR_NOSYSTEM", "1"},      {"LC_ALL", "C"},
        {"GIT_AUTHOR_NAME", "A"},        {"GIT_AUTHOR_EMAIL", "a@x"},
        {"GIT_COMMITTER_NAME", "C"},     {"GIT_COMMITTER_EMAIL", "c@x"},
        {"GIT_AUTHOR_DATE", fixed_date}, {"GIT_COMMITTER_DATE", fixed_date}};
    for (const auto& [name, value] : settings) options.environment.emplace_back(name, value);
    options.out = base::ProcessOptions::Stream::pipe;
    base::Process child = base::Process::start(options);
    Ran ran;
    std::vector<std::byte> piece(65536);
    while (const std::size_t got = base::read_some(child.out.get(), piece, "a command's output")) {
      ran.out += base::as_text({piece.data(), got});
    }
    ran.status = child.wait();
    return ran;
  }

  static constexpr const char* fixed_date = "1600000000 +0000";
};

}  // namespace pfetch::test
