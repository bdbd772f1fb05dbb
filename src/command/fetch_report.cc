#include "command/fetch_report.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/process.h"
#include "command/fetch_table.h"
#include "object/ref_name.h"
#include "session/abbreviation.h"

namespace pfetch::command {

namespace {

constexpr std::size_t columns_by_default = 80;

std::size_t terminal_columns() {
  std::size_t columns = 0;
  if (const auto set = base::environment_variable("COLUMNS")) {
    std::from_chars(set->data(), set->data() + set->size(), columns);
    if (columns > 0) return columns;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return columns_by_default;
}

// Behind the lines of what was deleted, which are the first ones of the table.
void add_dangling(const std::vector<RefDecision>& decisions, bool dry_run, const session::Holdings& here,
                  std::vector<std::string>& lines) {
  std::unordered_set<std::string_view> deleted;
  for (const RefDecision& decision : decisions) {
    if (decision.kind == UpdateKind::deleted) deleted.insert(decision.local_name);
  }
  if (deleted.empty()) return;
  auto at = lines.begin() + 1 + static_cast<std::ptrdiff_t>(deleted.size());
  for (const repo::Ref& ref : here.refs()) {
    if (!ref.is_symbolic() || !deleted.contains(ref.symref_target)) continue;
    at = lines.insert(at, "   (" + ref.name + (dry_run ? " will become" : " has become") + " dangling)") + 1;
  }
}

}  // namespace

std::vector<std::string> report_lines(const std::vector<RefDecision>& decisions, const FetchArguments& arguments,
                                      const FetchRemote& remote, session::Holdings& here) {
  TableOptions options;
  options.url = shown_url(remote.url);
  options.verbose = arguments.verbose;
  options.unstored = arguments.write_fetch_head || arguments.dry_run;
  options.compact = here.repository().config().get("fetch.output", "full") == "compact";
  options.columns = terminal_columns();
  const std::size_t length = session::abbreviation_length(here.repository().config(), here.objects());
  options.abbreviated = [length](const object::Oid& id) { return id.hex().substr(0, length); };
  std::vector<std::string> lines = fetch_table(decisions, options);
  add_dangling(decisions, arguments.dry_run, here, lines);
  return lines;
}

}  // namespace pfetch::command
