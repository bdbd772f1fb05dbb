#include "command/fetch_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "object/ref_name.h"
#include "transport/http_url.h"
#include "transport/url.h"

namespace pfetch::command {

namespace {

constexpr std::size_t name_width_min = 10;
constexpr std::size_t fixed_width = 21 + 4;  // flag and summary, and the arrow

// What FETCH_HEAD and the table call a ref of the other side: "branch" and "main".
struct Described {
  std::string kind;
  std::string what;
};

Described described(const std::string& remote_name) {
  const auto without = [&](std::string_view prefix) { return remote_name.substr(prefix.size()); };
  if (remote_name == "HEAD") return {"", ""};
  if (object::is_branch_name(remote_name)) return {"branch", without("refs/heads/")};
  if (object::is_tag_name(remote_name)) return {"tag", without("refs/tags/")};
  if (remote_name.starts_with("refs/remotes/")) return {"remote-tracking branch", without("refs/remotes/")};
  return {"", remote_name};
}

char flag_of(const RefDecision& decision) {
  switch (decision.kind) {
    case UpdateKind::up_to_date:
      return '=';
    case UpdateKind::created:
    case UpdateKind::fetched:
      return '*';
    case UpdateKind::fast_forward:
      return ' ';
    case UpdateKind::forced:
      return '+';
    case UpdateKind::tag_moved:
      return 't';
    case UpdateKind::deleted:
      return '-';
    case UpdateKind::rejected:
      return '!';
  }
  return ' ';
}

std::string summary_of(const RefDecision& decision, const TableOptions& options) {
  switch (decision.attempted.value_or(decision.kind)) {
    case UpdateKind::up_to_date:
      return "[up to date]";
    case UpdateKind::created:
      if (object::is_tag_name(decision.remote_name)) return "[new tag]";
      return object::is_branch_name(decision.remote_name) ? "[new branch]" : "[new ref]";
    case UpdateKind::fetched: {
      const std::string kind = described(decision.remote_name).kind;
      return kind.empty() ? "branch" : kind;
    }
    case UpdateKind::fast_forward:
      return options.abbreviated(decision.old_id) + ".." + options.abbreviated(decision.new_id);
    case UpdateKind::forced:
      return options.abbreviated(decision.old_id) + "..." + options.abbreviated(decision.new_id);
    case UpdateKind::tag_moved:
      return "[tag update]";
    case UpdateKind::deleted:
      return "[deleted]";
    case UpdateKind::rejected:
      return "[rejected]";
  }
  return "";
}

struct Row {
  const RefDecision* decision;
  std::string remote;
  std::string local;
};

Row row_of(const RefDecision& decision) {
  Row row{&decision, {}, {}};
  if (decision.kind == UpdateKind::fetched) {
    const std::string what = described(decision.remote_name).what;
    row.remote = what.empty() ? "HEAD" : what;
    row.local = "FETCH_HEAD";
    return row;
  }
  const bool is_deletion = decision.attempted.value_or(decision.kind) == UpdateKind::deleted;
  row.remote = is_deletion ? "(none)" : object::short_ref_name(decision.remote_name);
  row.local = object::short_ref_name(decision.local_name);
  return row;
}

// Columns of text that is mostly UTF-8: one for each character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t has = width_of(text);
  return has < width ? text + std::string(width - has, ' ') : text;
}

std::size_t name_width(const std::vector<Row>& rows, const TableOptions& options) {
  const std::size_t columns = options.compact ? options.columns * 2 / 3 : options.columns;
  std::size_t width = name_width_min;
  for (const Row& row : rows) {
    if (row.decision->local_name.empty() || row.decision->kind == UpdateKind::deleted) continue;
    const std::size_t remote = width_of(row.remote);
    const std::size_t local = options.compact ? remote : width_of(row.local);
    if (fixed_width + remote + local < columns) width = std::max(width, remote);
  }
  return width;
}

// "main -> origin/main" as "main -> origin/*" where both end alike.
std::pair<std::string, std::string> compacted(const Row& row) {
  if (row.remote == row.local) return {row.remote, "*"};
  if (row.local.ends_with("/" + row.remote)) {
    return {row.remote, row.local.substr(0, row.local.size() - row.remote.size()) + "*"};
  }
  if (row.remote.ends_with("/" + row.local)) {
    return {row.remote.substr(0, row.remote.size() - row.local.size()) + "*", row.local};
  }
  return {row.remote, row.local};
}

constexpr std::array merge_order = {ForMerge::yes, ForMerge::no, ForMerge::not_recorded};

}  // namespace

std::vector<std::string> fetch_table(const std::vector<RefDecision>& decisions, const TableOptions& options) {
  std::vector<Row> rows;
  const auto collect = [&](auto&& belongs) {
    for (const RefDecision& decision : decisions) {
      if (decision.kind == UpdateKind::up_to_date && !options.verbose) continue;
      if (decision.kind == UpdateKind::fetched && !options.unstored) continue;
      if (belongs(decision)) rows.push_back(row_of(decision));
    }
  };
  collect([](const RefDecision& decision) { return decision.kind == UpdateKind::deleted; });
  for (const bool late : {false, true}) {
    for (const ForMerge order : merge_order) {
      collect([late, order](const RefDecision& decision) {
        return decision.kind != UpdateKind::deleted && decision.is_late == late && decision.for_merge == order;
      });
    }
  }
  if (rows.empty()) return {};
  const std::size_t summary_width = 2 * width_of(options.abbreviated(rows.front().decision->new_id)) + 3;
  const std::size_t width = name_width(rows, options);
  std::vector<std::string> lines = {"From " + options.url};
  for (const Row& row : rows) {
    const auto [remote, local] = options.compact ? compacted(row) : std::pair(row.remote, row.local);
    std::string line =
        fmt::format(" {} {} {} -> {}", flag_of(*row.decision),
                    padded(summary_of(*row.decision, options), summary_width), padded(remote, width), local);
    if (!row.decision->note.empty()) line += fmt::format("  ({})", row.decision->note);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> porcelain_lines(const std::vector<RefDecision>& decisions, bool verbose) {
  std::vector<std::string> lines;
  for (const RefDecision& decision : decisions) {
    if (decision.kind == UpdateKind::up_to_date && !verbose) continue;
    lines.push_back(fmt::format("{} {} {} {}", flag_of(decision), decision.old_id.hex(), decision.new_id.hex(),
                                decision.kind == UpdateKind::fetched ? "FETCH_HEAD" : decision.local_name));
  }
  return lines;
}

std::string shown_url(const std::string& url) {
  std::string shown = transport::without_user_info(url);
  while (shown.size() > 1 && shown.back() == '/') shown.pop_back();
  constexpr std::string_view suffix = ".git";
  if (shown.size() > suffix.size() + 1 && shown.ends_with(suffix)) shown.resize(shown.size() - suffix.size());
  return shown;
}

std::string fetch_head_lines(const std::vector<RefDecision>& decisions, const std::string& url) {
  std::string escaped;
  for (const char c : url) c == '\n' ? escaped += "\\n" : escaped += c;
  std::string lines;
  for (const ForMerge order : {ForMerge::yes, ForMerge::no}) {
    for (const RefDecision& decision : decisions) {
      if (decision.kind == UpdateKind::deleted || decision.for_merge != order) continue;
      const auto [kind, what] = described(decision.remote_name);
      const std::string note = what.empty() ? "" : fmt::format("{}'{}' of ", kind.empty() ? "" : kind + " ", what);
      lines += fmt::format("{}\t{}\t{}{}\n", decision.new_id.hex(), order == ForMerge::yes ? "" : "not-for-merge", note,
                           escaped);
    }
  }
  return lines;
}

}  // namespace pfetch::command
