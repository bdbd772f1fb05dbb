#include "cli/option_table.h"
#include "cli/options.h"

namespace pfetch::cli {

GlobalOptions parse_global(int argc, char** argv) {
  GlobalOptions options;
  int at = 1;
  // The value of an option that is written "--name=value" or "--name value".
  const auto value_of = [&](const std::string& argument, std::string_view name) -> std::optional<std::string> {
    if (argument.starts_with(std::string(name) + "=")) return argument.substr(name.size() + 1);
    if (argument != name) return std::nullopt;
    if (at + 1 >= argc) throw UsageError{"error: no value given for option '" + argument + "'\n"};
    return std::string(argv[++at]);
  };
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string argument = argv[at];
    if (argument == "--depth" || argument.starts_with("--depth=")) {
      options.command = "fetch";  // which need not be said
      break;
    }
    if (argument == "--version" || argument == "-v") {
      options.version = true;
    } else if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "-C") {
      options.directories.push_back(value_of(argument, "-C").value());
    } else if (argument == "-c") {
      options.config.push_back(value_of(argument, "-c").value());
    } else if (auto git_dir = value_of(argument, "--git-dir")) {
      options.git_dir = *git_dir;
    } else if (auto work_tree = value_of(argument, "--work-tree")) {
      options.work_tree = *work_tree;
    } else {
      throw UsageError{"unknown option: " + argument + "\n"};
    }
  }
  if (at < argc && options.command.empty()) options.command = argv[at++];
  for (; at < argc; ++at) options.arguments.emplace_back(argv[at]);
  return options;
}

}  // namespace pfetch::cli
