// Names in revision expressions: ids, refs, and what reflogs and upstreams make of them.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/ascii.h"
#include "base/error.h"
#include "base/fd.h"
#include "object/commit_view.h"
#include "object/peel.h"
#include "object/ref_name.h"
#include "object/tag_view.h"
#include "session/abbreviation.h"
#include "session/revision.h"
#include "session/upstream.h"

namespace pfetch::session {

using object::Kind;
using object::Oid;

namespace {

constexpr std::size_t abbreviated_digits_min = 4;
constexpr std::size_t candidates_max = 1 << 16;
constexpr std::size_t entries_max = 100'000'000;  // of a reflog
constexpr std::string_view left_by_checkout = "checkout: moving from ";

// "@{<inside>}" at the end of a name.
struct Braces {
  std::string_view before;
  std::string_view inside;
};

std::optional<Braces> braces_at_end(std::string_view name) {
  const std::size_t at = name.rfind("@{");
  if (!name.ends_with('}') || at == std::string_view::npos) return std::nullopt;
  return Braces{name.substr(0, at), name.substr(at + 2, name.size() - at - 3)};
}

bool means_upstream(std::string_view inside) {
  return base::same_ignoring_case(inside, "u") || base::same_ignoring_case(inside, "upstream");
}

bool means_push(std::string_view inside) {
  return base::same_ignoring_case(inside, "push");
}

// "@{-3}…": the number, and what stands behind the brace.
struct Before {
  std::size_t number;
  std::string_view rest;
};
std::optional<Before> left_before_at(std::string_view name) {
  if (!name.starts_with("@{-")) return std::nullopt;
  const std::size_t end = name.find('}');
  if (end == std::string_view::npos) return std::nullopt;
  const auto number = base::decimal_number(name.substr(3, end - 3), entries_max);
  return number && *number > 0 ? std::optional(Before{*number, name.substr(end + 1)}) : std::nullopt;
}

// By the lookup rules; what is broken or unborn does not count.
struct Matches {
  std::optional<repo::Ref> first;
  std::size_t count = 0;
};

Matches refs_called(const repo::Refs& refs, std::string_view name) {
  Matches matches;
  for (const std::string& full : object::ref_lookup_names(name)) {
    auto ref = refs.read(full);
    if (!ref || ref->is_broken() || ref->id.is_null()) continue;
    if (matches.count++ == 0) matches.first = std::move(ref);
  }
  return matches;
}

}  // namespace

std::optional<std::string> Revisions::left_before(std::size_t n) const {
  std::vector<std::string> left;
  repo::for_each_reflog_entry(stock_.refs()->log_of("HEAD"), [&](const repo::ReflogEntry& entry) {
    if (!entry.message.starts_with(left_by_checkout)) return true;
    const std::string_view words = entry.message.substr(left_by_checkout.size());
    const std::size_t to = words.find(" to ");
    if (to != std::string_view::npos) left.emplace_back(words.substr(0, to));
    return true;
  });
  if (n == 0 || n > left.size()) return std::nullopt;
  return left[left.size() - n];
}

std::string Revisions::upstream_meant(std::string_view branch) const {
  std::string name = branch.empty() ? "HEAD" : meant_name(branch);
  if (name == "HEAD") {
    const repo::Ref head = stock_.refs()->head();
    if (!object::is_branch_name(head.symref_target)) {
      throw Error(ErrorCode::not_found, "HEAD does not point to a branch");
    }
    name = object::short_ref_name(head.symref_target);
  }
  const Upstream upstream = upstream_of(stock_.config(), name);
  if (!upstream.is_set()) {
    const auto ref = stock_.refs()->read("refs/heads/" + name);
    if (!ref) throw Error(ErrorCode::not_found, fmt::format("no such branch: '{}'", name));
    throw Error(ErrorCode::not_found, fmt::format("no upstream configured for branch '{}'", name));
  }
  if (auto ref = tracking_ref(stock_.config(), upstream.remote, upstream.merge.front())) return *ref;
  throw Error(ErrorCode::not_found,
              fmt::format("upstream branch '{}' not stored as a remote-tracking branch", upstream.merge.front()));
}

std::string Revisions::meant_name(std::string_view name) const {
  if (name == "@") return "HEAD";
  if (const auto before = left_before_at(name)) {
    const auto left = left_before(before->number);
    if (!left) return std::string(name);
    return before->rest.empty() ? *left : meant_name(*left + std::string(before->rest));
  }
  const auto braces = braces_at_end(name);
  if (braces && means_push(braces->inside)) {
    throw Error(ErrorCode::unsupported, fmt::format("'{}': '@{{push}}' is not supported yet", name));
  }
  if (braces && means_upstream(braces->inside)) return upstream_meant(braces->before);
  return std::string(name);
}

std::optional<Oid> Revisions::named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (const auto id = Oid::from_hex(name)) {
    warn_of_full_id(name);
    return id;
  }
  const auto braces = braces_at_end(name);
  if (braces && !means_upstream(braces->inside) && !means_push(braces->inside) && !braces->inside.starts_with('-')) {
    return by_reflog(braces->before, braces->inside);
  }
  const std::string meant = meant_name(name);
  if (left_before_at(name)) {
    if (const auto id = Oid::from_hex(meant)) return id;
  }
  const Matches matches = refs_called(*stock_.refs(), meant);
  if (!matches.first) return std::nullopt;
  if (stock_.config().get_bool("core.warnambiguousrefs", true)) {
    bool is_ambiguous = matches.count > 1;
    if (!is_ambiguous && name.size() >= abbreviated_digits_min) {
      const auto prefix = object::OidPrefix::from_hex(name);
      is_ambiguous = prefix && stock_.objects().find_prefix(*prefix, 2).size() == 1;
    }
    if (is_ambiguous) reporter_.warn(fmt::format("refname '{}' is ambiguous.", name));
  }
  return matches.first->id;
}

void Revisions::warn_of_full_id(std::string_view name) {
  if (!stock_.config().get_bool("core.warnambiguousrefs", true)) return;
  if (!refs_called(*stock_.refs(), name).first) return;
  reporter_.warn(fmt::format("refname '{}' is ambiguous.", name));
  if (!stock_.config().get_bool("advice.objectnamewarning", true)) return;
  reporter_.say(
      "Git normally never creates a ref that ends with 40 hex characters\n"
      "because it will be ignored when you just specify 40-hex. These refs\n"
      "may be created by mistake. For example,\n\n"
      "  git switch -c $br $(git rev-parse ...)\n\n"
      "where \"$br\" is somehow empty and a 40-hex ref is created. Please\n"
      "examine these refs and maybe delete them. Turn this message off by\n"
      "running \"git config advice.objectNameWarning false\"");
}

// "main@{2}": what main was two changes ago; "@{2}": what the branch that is checked out was.
std::optional<Oid> Revisions::by_reflog(std::string_view name, std::string_view which) {
  if (which.empty()) return std::nullopt;
  const auto entry = base::decimal_number(which, entries_max);
  const std::string meant =
      name.empty() ? stock_.refs()->resolve("HEAD").value_or(repo::ResolvedRef{}).name : meant_name(name);
  std::string log;
  std::string shown;
  for (const std::string& full : object::ref_lookup_names(meant)) {
    const auto ref = stock_.refs()->resolve(full);
    if (!ref || ref->id.is_null()) continue;
    // The log of a symbolic ref itself, if it has one; otherwise that of what it points to.
    for (const std::string& candidate : {full, ref->name}) {
      const std::string path = stock_.refs()->log_of(candidate);
      if (!log.empty() || !base::path_exists(path) || base::is_directory(path)) continue;
      log = path;
      shown = candidate;
    }
    if (!log.empty()) break;
  }
  if (log.empty()) return std::nullopt;
  if (!entry) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{0}@{{{1}}}': entries of a reflog by date are not supported yet; '{0}@{{<n>}}' is", name, which));
  }
  std::vector<Oid> values;  // the oldest first
  repo::for_each_reflog_entry(log, [&](const repo::ReflogEntry& change) {
    if (values.empty()) values.push_back(change.old_id);
    values.push_back(change.new_id);
    return true;
  });
  const std::size_t count = values.empty() ? 0 : values.size() - 1;
  const std::string text = name.empty() ? shown.substr(shown.starts_with("refs/heads/") ? 11 : 0) : std::string(name);
  if (count == 0) throw Error(ErrorCode::not_found, fmt::format("log for {} is empty", shown));
  if (*entry < count || (*entry == count && !values.front().is_null())) return values[count - *entry];
  throw Error(ErrorCode::not_found, fmt::format("log for '{}' only has {} entries", text, count));
}

bool Revisions::fits(const Oid& id, RevisionHint hint) {
  if (hint == RevisionHint::any) return true;
  const auto info = stock_.objects().info(id);
  if (!info) return false;
  if (info->kind == Kind::commit) return true;
  if (hint == RevisionHint::commit) return false;
  if (info->kind == Kind::tree) return hint == RevisionHint::treeish;
  if (info->kind != Kind::tag) return false;
  const auto target = object::peeled(stock_.objects(), id);
  const auto behind = target ? stock_.objects().info(*target) : std::nullopt;
  return behind && (behind->kind == Kind::commit || (behind->kind == Kind::tree && hint == RevisionHint::treeish));
}

std::optional<Oid> Revisions::abbreviated_id(std::string_view hex, RevisionHint hint) {
  if (hex.size() < abbreviated_digits_min) return std::nullopt;
  const auto prefix = object::OidPrefix::from_hex(hex);
  if (!prefix) return std::nullopt;
  const std::vector<Oid> all = stock_.objects().find_prefix(*prefix, candidates_max);
  if (all.size() == 1) return all.front();
  std::vector<Oid> fitting;
  std::copy_if(all.begin(), all.end(), std::back_inserter(fitting), [&](const Oid& id) { return fits(id, hint); });
  if (fitting.size() == 1) return fitting.front();
  if (!all.empty()) tell_ambiguous(hex, fitting.empty() ? all : fitting);
  return std::nullopt;
}

std::string Revisions::candidate_line(const Oid& id) {
  std::string line = abbreviated(id, stock_.config(), stock_.objects());
  const auto object = stock_.objects().read(id);
  if (!object) return line + " [bad object]";
  line += fmt::format(" {}", object::kind_name(object->kind));
  const auto day = [](std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
  };
  if (object->kind == Kind::commit) {
    const object::CommitView commit(id, object->bytes.view());
    const std::string_view message = base::trimmed(commit.message());
    line += fmt::format(" {} - {}", day(commit.committer_date()), message.substr(0, message.find('\n')));
  } else if (object->kind == Kind::tag) {
    const object::TagView tag(id, object->bytes.view());
    line += fmt::format(" {} - {}", day(object::date_of_identity(tag.tagger())), tag.name());
  }
  return line;
}

// Tags first, then commits, trees and blobs, each by id.
void Revisions::tell_ambiguous(std::string_view hex, const std::vector<Oid>& ids) {
  reporter_.complain(fmt::format("short object ID {} is ambiguous", hex));
  std::vector<std::pair<int, Oid>> ordered;
  for (const Oid& id : ids) {
    const auto info = stock_.objects().info(id);
    const int rank = !info                        ? 4
                     : info->kind == Kind::tag    ? 0
                     : info->kind == Kind::commit ? 1
                     : info->kind == Kind::tree   ? 2
                                                  : 3;
    ordered.emplace_back(rank, id);
  }
  std::sort(ordered.begin(), ordered.end());
  std::string text = "hint: The candidates are:";
  for (const auto& [rank, id] : ordered) text += "\nhint:   " + candidate_line(id);
  reporter_.say(text);
}

// "v1-3-gabc123", as git-describe prints.
std::optional<Oid> Revisions::described(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && base::hex_digit(text[begin - 1]) >= 0) --begin;
  if (begin < 2 || begin == text.size() || text[begin - 1] != 'g' || text[begin - 2] != '-') return std::nullopt;
  return abbreviated_id(text.substr(begin), RevisionHint::commit);
}

}  // namespace pfetch::session
