#include "session/revision.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/error.h"
#include "checkout/index_reader.h"
#include "graph/divergence.h"
#include "object/commit_view.h"
#include "object/peel.h"
#include "object/tag_view.h"
#include "object/tree_view.h"
#include "repo/paths.h"

namespace pfetch::session {

using object::Kind;
using object::Oid;

namespace {

constexpr int peel_depth_max = 64;

// Where "<revision>:<path>" is cut: the first colon outside of braces.
std::size_t path_colon(std::string_view expression) {
  int depth = 0;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    if (expression[at] == '{') ++depth;
    if (expression[at] == '}' && depth > 0) --depth;
    if (expression[at] == ':' && depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<Oid> Revisions::find(std::string_view expression, RevisionHint hint) {
  if (!expression.starts_with(':')) {
    if (auto id = plain(expression, hint)) return id;
  }
  const std::size_t colon = path_colon(expression);
  if (colon == std::string_view::npos) return std::nullopt;
  if (colon > 0) return in_tree(expression.substr(0, colon), expression.substr(colon + 1));
  if (expression.starts_with(":/")) return youngest_by_message(expression.substr(2));
  return in_index(expression.substr(1));
}

std::optional<Oid> Revisions::find_or_merge_base(std::string_view expression) {
  const std::size_t dots = expression.find("...");
  if (dots == std::string_view::npos) return find(expression);
  const auto side = [&](std::string_view name) -> std::optional<graph::Position> {
    const auto id = find(name.empty() ? "HEAD" : name, RevisionHint::committish);
    const auto commit = id ? commit_of(*id) : std::nullopt;
    return commit ? stock_.graph().find(*commit) : std::nullopt;
  };
  const auto one = side(expression.substr(0, dots));
  if (!one) return std::nullopt;
  const auto other = side(expression.substr(dots + 3));
  if (!other) return std::nullopt;
  const auto bases = graph::merge_bases(stock_.graph(), *one, *other);
  return bases.size() == 1 ? std::optional(stock_.graph().id_at(bases.front())) : std::nullopt;
}

// Everything but paths. Suffixes are taken from the end, so that what stands before them is an expression again.
std::optional<Oid> Revisions::plain(std::string_view expression, RevisionHint hint) {
  std::string_view before = expression;
  while (!before.empty() && base::is_digit(before.back())) before.remove_suffix(1);
  if (!before.empty() && (before.back() == '^' || before.back() == '~')) {
    const std::string_view digits = expression.substr(before.size());
    const std::optional<std::size_t> number =
        digits.empty() ? std::optional<std::size_t>(1) : base::decimal_number(digits, INT32_MAX);
    if (!number) return std::nullopt;
    const std::string_view of = before.substr(0, before.size() - 1);
    return before.back() == '^' ? parent(of, *number) : ancestor(of, *number);
  }
  if (expression.ends_with('}')) {
    const std::size_t brace = expression.rfind("^{");
    if (brace != std::string_view::npos) {
      const std::string_view to = expression.substr(brace + 2, expression.size() - brace - 3);
      return peeled(expression.substr(0, brace), to);
    }
  }
  if (auto id = named(expression)) return id;
  if (auto id = abbreviated_id(expression, hint)) return id;
  return described(expression);
}

std::optional<Oid> Revisions::ancestor(std::string_view of, std::size_t generations) {
  const auto id = plain(of, RevisionHint::committish);
  const auto commit = id ? commit_of(*id) : std::nullopt;
  if (!commit) return std::nullopt;
  auto at = stock_.graph().find(*commit);
  for (; at && generations > 0; --generations) {
    const auto parents = stock_.graph().parents(*at);
    at = parents.empty() ? std::nullopt : std::optional(parents.front());
  }
  return at ? std::optional(stock_.graph().id_at(*at)) : std::nullopt;
}

std::optional<Oid> Revisions::parent(std::string_view of, std::size_t number) {
  const auto id = plain(of, RevisionHint::committish);
  const auto commit = id ? commit_of(*id) : std::nullopt;
  if (!commit || number == 0) return commit;
  const auto position = stock_.graph().find(*commit);
  if (!position) return std::nullopt;
  const auto parents = stock_.graph().parents(*position);
  if (number > parents.size()) return std::nullopt;
  return stock_.graph().id_at(parents[number - 1]);
}

std::optional<Oid> Revisions::peeled(std::string_view of, std::string_view to) {
  if (to.starts_with('/')) {
    const auto id = plain(of, RevisionHint::committish);
    if (to.size() == 1) return id ? commit_of(*id) : std::nullopt;
    const auto commit = id ? commit_of(*id) : std::nullopt;
    return commit ? by_message({*commit}, to.substr(1)) : std::nullopt;
  }
  const auto kind = object::kind_from_name(to);
  if (!kind && to != "object" && !to.empty()) return std::nullopt;
  RevisionHint hint = RevisionHint::any;
  if (kind == Kind::commit) hint = RevisionHint::committish;
  if (kind == Kind::tree) hint = RevisionHint::treeish;
  const auto id = plain(of, hint);
  if (!id) return std::nullopt;
  const auto info = stock_.objects().info(*id);
  if (!info) return std::nullopt;
  if (to == "object") return id;
  if (kind) return peeled_to(*id, *kind, fmt::format("{}^{{{}}}", of, to));
  const auto target = object::peeled(stock_.objects(), *id);
  return target || info->kind != Kind::tag ? target.value_or(*id) : std::optional<Oid>();
}

// From tags to what they name, and from a commit to its tree, until the kind is right.
std::optional<Oid> Revisions::peeled_to(const Oid& id, Kind kind, std::string_view expression) {
  Oid at = id;
  for (int depth = 0; depth < peel_depth_max; ++depth) {
    const auto object = stock_.objects().info(at);
    if (!object || object->kind == kind) return object ? std::optional(at) : std::nullopt;
    if (object->kind != Kind::tag && object->kind != Kind::commit) {
      reporter_.complain(fmt::format("{}: expected {} type, but the object dereferences to {} type", expression,
                                     object::kind_name(kind), object::kind_name(object->kind)));
      return std::nullopt;
    }
    const auto content = stock_.objects().read(at);
    if (!content) return std::nullopt;
    at = object->kind == Kind::tag ? object::TagView(at, content->bytes.view()).target_id()
                                   : object::CommitView(at, content->bytes.view()).tree_id();
  }
  return std::nullopt;
}

std::optional<Oid> Revisions::commit_of(const Oid& id) {
  const Oid target = object::peeled(stock_.objects(), id).value_or(id);
  const auto info = stock_.objects().info(target);
  if (!info) return std::nullopt;
  if (info->kind == Kind::commit) return target;
  reporter_.complain(fmt::format("object {} is a {}, not a commit", target.hex(), object::kind_name(info->kind)));
  return std::nullopt;
}

// "./a" and "../a" count from the current directory; all others from the top.
std::optional<std::string> Revisions::expanded_path(std::string_view path) const {
  if (!path.starts_with("./") && !path.starts_with("../") && path != "." && path != "..") return std::string(path);
  if (!stock_.repository().work_tree()) {
    throw Error(ErrorCode::usage, "relative path syntax can't be used outside working tree");
  }
  const std::string below = repo::normalised_path("/" + prefix_ + std::string(path));
  if (below.empty()) return std::nullopt;
  return below.substr(1);
}

std::optional<Oid> Revisions::in_tree(std::string_view revision, std::string_view path) {
  const auto id = plain(revision, RevisionHint::treeish);
  const auto tree = id ? object::tree_behind(stock_.objects(), *id) : std::nullopt;
  const auto whole = tree ? expanded_path(path) : std::nullopt;
  return whole ? entry_of(*tree, *whole) : std::nullopt;
}

std::optional<Oid> Revisions::entry_of(const Oid& tree, std::string_view path) {
  Oid at = tree;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    const auto object = stock_.objects().read(at);
    if (!object || object->kind != Kind::tree) return std::nullopt;
    const object::TreeView view(at, object->bytes.view());
    std::optional<object::TreeEntry> found;
    for (const object::TreeEntry& entry : view) {
      if (entry.name == name) found = entry;
    }
    if (!found || (slash != std::string_view::npos && !found->is_tree())) return std::nullopt;
    at = found->id();
  }
  return at;
}

// "path" or "<stage>:path".
std::optional<Oid> Revisions::in_index(std::string_view text) {
  std::uint8_t stage = 0;
  if (text.size() > 2 && text[0] >= '0' && text[0] <= '3' && text[1] == ':') {
    stage = static_cast<std::uint8_t>(text[0] - '0');
    text.remove_prefix(2);
  }
  const auto path = expanded_path(text);
  if (!path) return std::nullopt;
  const repo::Repository& repository = stock_.repository();
  const checkout::Index index = checkout::read_index(repository.index_path(), repository.git_dir());
  for (const checkout::IndexEntry& entry : index.entries) {
    if (entry.path == *path && entry.stage == stage) return entry.id;
  }
  return std::nullopt;
}

}  // namespace pfetch::session
