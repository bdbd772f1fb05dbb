// Options that several commands have.
#pragma once

#include <optional>
#include <string>

#include "cli/option_table.h"
#include "cli/options.h"

namespace pfetch::cli {

inline constexpr std::int64_t workers_max = 1024;

void add_output_options(OptionTable& table, OutputOptions& output);
void add_ip_options(OptionTable& table, int& ip_version);

// What git has and pfetch has not is refused by name, never passed over; taking it back is no harm.
OptionTable::SetValue refusing(const std::string& name, const std::string& why);
// The same as an option without a value; `names` ends in its long name.
void refuse_flag(OptionTable& table, const std::string& names, const std::string& why);

// --recurse-submodules, of which only "no" can be had.
void refuse_submodules(OptionTable& table);

// --depth and --jobs as numbers. Throw ErrorCode::refused and UsageError.
int positive_depth(const std::string& text);
unsigned jobs_number(const std::string& text);

HelpText help_of(const OptionTable& table, OptionTable::Help asked);

}  // namespace pfetch::cli
