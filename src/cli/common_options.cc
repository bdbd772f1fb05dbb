#include "cli/common_options.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace pfetch::cli {

void add_output_options(OptionTable& table, OutputOptions& output) {
  table.add_flag("-v,--verbose", "say more", output.verbose);
  table.add_flag("-q,--quiet", "say only what went wrong", output.quiet);
  table.add_flag("--progress", "show progress even where standard error is no terminal",
                 [&output](bool on) { output.progress = on; });
  table.add_flag("--json", "print a result object on standard output", output.json);
  table.whole_name_only();
  table.add_value("--trace", "<file>", "write a timeline of all stages (Chrome trace events)",
                  [&output](const std::optional<std::string>& file) { output.trace = file.value_or(""); });
  table.whole_name_only();
}

void add_ip_options(OptionTable& table, int& ip_version) {
  const auto set = [&ip_version](int version) {
    return [&ip_version, version](bool on) { ip_version = on ? version : 0; };
  };
  table.add_flag("-4,--ipv4", "connect by IPv4", set(4));
  table.add_flag("-6,--ipv6", "connect by IPv6", set(6));
}

OptionTable::SetValue refusing(const std::string& name, const std::string& why) {
  return [name, why](const std::optional<std::string>& value) {
    if (value) throw Error(ErrorCode::unsupported, "option '" + name + "' is not supported yet: " + why);
  };
}

void refuse_submodules(OptionTable& table) {
  table.add_optional_value("--recurse-submodules", "<on-demand>", "not supported yet",
                           [](const std::optional<std::string>& value) {
                             if (!value || *value == "no" || *value == "false") return;
                             refusing("--recurse-submodules", "submodules are not built")(value);
                           });
}

void refuse_flag(OptionTable& table, const std::string& names, const std::string& why) {
  table.add_flag(names, "not supported yet", [set = refusing(names.substr(names.rfind("--")), why)](bool on) {
    if (on) set("");
  });
}

int positive_depth(const std::string& text) {
  std::int64_t depth = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), depth);
  const bool is_number = problem != std::errc::invalid_argument && end == text.data() + text.size();
  if (problem == std::errc::result_out_of_range && text[0] != '-') depth = INT32_MAX;
  if (!is_number || depth < 1) throw Error(ErrorCode::refused, "depth " + text + " is not a positive number");
  return static_cast<int>(std::min<std::int64_t>(depth, INT32_MAX));
}

unsigned jobs_number(const std::string& text) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(option_number(text, "jobs"), 0, workers_max));
}

HelpText help_of(const OptionTable& table, OptionTable::Help asked) {
  return {table.help(), asked == OptionTable::Help::brief};
}

}  // namespace pfetch::cli
