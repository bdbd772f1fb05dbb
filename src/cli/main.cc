// pfetch: parse, run one command, turn an error into git's kind of message and exit code.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "base/cancel.h"
#include "base/error.h"
#include "base/signals.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/run.h"
#include "repo/environment.h"

namespace {

using pfetch::Error;

constexpr int exit_fatal = 128;
constexpr int exit_usage = 129;

constexpr const char* usage =
    "usage: pfetch [-C <path>] [-c <name>=<value>] [--git-dir=<path>] [--work-tree=<path>]\n"
    "              [--version] [--help] <command> [<args>]\n"
    "\n"
    "   clone        bring a repository in, checked out when the last byte has arrived\n"
    "   fetch        bring a repository up to date with another one; 'pfetch --depth <n> ...' is the same\n"
    "   checkout     switch to a branch or commit, or take files out of one\n"
    "   reset        put branch, index and worktree on a commit (--hard)\n"
    "   index-pack   build the index of a pack\n"
    "\n"
    "'pfetch <command> --help' lists the options of a command.\n";

void apply(const pfetch::cli::GlobalOptions& options) {
  for (const std::string& directory : options.directories) {
    if (!directory.empty() && ::chdir(directory.c_str()) != 0) {
      pfetch::throw_errno(errno, "cannot change to", directory);
    }
  }
  // As in git, these are the environment's settings written on the command line.
  if (options.git_dir) ::setenv("GIT_DIR", options.git_dir->c_str(), 1);
  if (options.work_tree) ::setenv("GIT_WORK_TREE", options.work_tree->c_str(), 1);
}

// What is large and in no buffer pool goes back to the system at once, instead of leaving holes that count as memory.
void bound_allocator() {
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

// A standard stream that is closed would be given to the next file that is opened, and messages written into that file.
void occupy_standard_streams() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::dup(fd)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    break;
  }
}

int run(int argc, char** argv, pfetch::base::Cancellation& cancel) {
  const pfetch::cli::GlobalOptions options = pfetch::cli::parse_global(argc, argv);
  if (options.version) {
    std::cout << "pfetch version " PFETCH_VERSION "\n";
    return 0;
  }
  if (options.help || options.command.empty() || options.command == "help") {
    (options.help || options.command == "help" ? std::cout : std::cerr) << usage;
    return options.command.empty() && !options.help ? 1 : 0;
  }
  apply(options);
  pfetch::repo::Environment environment = pfetch::repo::Environment::read();
  for (const std::string& setting : options.config) environment.add_override(setting);
  const pfetch::cli::RunContext context{environment, cancel};
  if (options.command == "clone") return pfetch::cli::run_clone(options.arguments, context);
  if (options.command == "fetch") return pfetch::cli::run_fetch(options.arguments, context);
  if (options.command == "checkout") return pfetch::cli::run_checkout(options.arguments, context);
  if (options.command == "reset") return pfetch::cli::run_reset(options.arguments, context);
  if (options.command == "index-pack") return pfetch::cli::run_index_pack(options.arguments, context);
  std::cerr << "pfetch: '" << options.command << "' is not a pfetch command. See 'pfetch --help'.\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  bound_allocator();
  pfetch::base::Cancellation cancel;
  try {
    const pfetch::base::SignalWatch signals(cancel);
    return run(argc, argv, cancel);
  } catch (const pfetch::cli::UsageError& error) {
    std::cerr << error.text;
    return exit_usage;
  } catch (const Error& error) {
    if (cancel.signal() == 0) {
      std::cerr << "fatal: " << error.message() << '\n';
      return exit_fatal;
    }
  } catch (const std::exception& error) {
    std::cerr << "fatal: " << error.what() << '\n';
    return exit_fatal;
  }
  pfetch::base::die_by_signal(cancel.signal());
}
