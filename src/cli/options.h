// From argv to validated settings. Option names and meaning are git's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/checkout_arguments.h"
#include "command/clone_request.h"
#include "command/fetch_arguments.h"
#include "command/index_pack.h"

namespace pfetch::cli {

// What stands before the command.
struct GlobalOptions {
  std::vector<std::string> directories;  // -C, one after the other
  std::vector<std::string> config;       // -c key=value
  std::optional<std::string> git_dir;    // --git-dir
  std::optional<std::string> work_tree;  // --work-tree
  bool version = false;
  bool help = false;
  std::string command;
  std::vector<std::string> arguments;  // of the command
};

// Throws UsageError.
GlobalOptions parse_global(int argc, char** argv);

// What every command has beside its own.
struct OutputOptions {
  bool quiet = false;
  bool verbose = false;
  std::optional<bool> progress;  // --progress, --no-progress; otherwise: when standard error is a terminal
  bool json = false;
  std::string trace;  // file; empty: none
};

// What -h or --help asks for: printed on standard output, and nothing else is done.
struct HelpText {
  std::string text;  // empty: not asked for
  bool brief = false;
  int exit_code() const { return brief ? 129 : 0; }  // git has it so for -h
};

// All throw UsageError, or pfetch::Error for a value that makes no sense.
struct CloneOptions {
  command::CloneRequest request;
  OutputOptions output;
  HelpText help;
};
CloneOptions parse_clone(const std::vector<std::string>& arguments);

struct FetchOptions {
  command::FetchArguments arguments;
  OutputOptions output;
  HelpText help;
  enum class Explain { no, text, json };
  Explain explain = Explain::no;
  bool from_stdin = false;  // refspecs come from standard input, too
};
FetchOptions parse_fetch(const std::vector<std::string>& arguments);

struct CheckoutOptions {
  command::CheckoutArguments arguments;
  OutputOptions output;
  HelpText help;
};
CheckoutOptions parse_checkout(const std::vector<std::string>& arguments);

struct ResetOptions {
  command::ResetArguments arguments;
  OutputOptions output;
  HelpText help;
};
ResetOptions parse_reset(const std::vector<std::string>& arguments);

struct IndexPackOptions {
  command::IndexPackRequest request;
  OutputOptions output;
  HelpText help;
};
IndexPackOptions parse_index_pack(const std::vector<std::string>& arguments);

}  // namespace pfetch::cli
