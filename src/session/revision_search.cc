// Commits by their message: ":/text", "main^{/text}".
#include <regex.h>

#include <queue>
#include <unordered_set>

#include "graph/descent.h"
#include "object/commit_view.h"
#include "session/revision.h"

namespace pfetch::session {

using object::Oid;

namespace {

// An extended regular expression of POSIX.
class Expression {
 public:
  explicit Expression(const std::string& text) : compiled_(::regcomp(&regex_, text.c_str(), REG_EXTENDED) == 0) {}
  ~Expression() {
    if (compiled_) ::regfree(&regex_);
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  bool is_sound() const { return compiled_; }
  bool matches(const std::string& text) const { return ::regexec(&regex_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t regex_{};
  bool compiled_;
};

}  // namespace

// The youngest commit from the tips downwards. "!-text" looks for one without, "!!text" for "!text".
std::optional<Oid> Revisions::by_message(const std::vector<Oid>& tips, std::string_view wanted) {
  bool without = false;
  if (wanted.starts_with("!-")) {
    without = true;
    wanted.remove_prefix(2);
  } else if (wanted.starts_with("!!")) {
    wanted.remove_prefix(1);
  } else if (wanted.starts_with('!')) {
    return std::nullopt;
  }
  const Expression expression{std::string(wanted)};
  if (!expression.is_sound()) return std::nullopt;
  graph::CommitGraph& graph = stock_.graph();
  std::priority_queue<std::pair<std::int64_t, graph::Position>> waiting;
  std::unordered_set<graph::Position> met;
  const auto meet = [&](graph::Position commit) {
    if (met.insert(commit).second) waiting.emplace(graph.date(commit), commit);
  };
  for (const Oid& tip : tips) {
    if (const auto commit = graph::commit_at(graph, stock_.objects(), tip)) meet(*commit);
  }
  while (!waiting.empty()) {
    const graph::Position commit = waiting.top().second;
    waiting.pop();
    const Oid id = graph.id_at(commit);
    const auto object = stock_.objects().read(id);
    if (object) {
      const std::string message(object::CommitView(id, object->bytes.view()).message());
      if (expression.matches(message) != without) return id;
    }
    const auto parents = graph.parents(commit);
    for (const graph::Position parent : std::vector(parents.begin(), parents.end())) meet(parent);
  }
  return std::nullopt;
}

std::optional<Oid> Revisions::youngest_by_message(std::string_view wanted) {
  if (wanted.empty()) return std::nullopt;
  std::vector<Oid> tips;
  const auto add = [&tips](const repo::Ref& ref) {
    if (!ref.is_broken() && !ref.id.is_null()) tips.push_back(ref.id);
    return true;
  };
  stock_.refs()->for_each("refs/", add);
  add(stock_.refs()->head());
  return by_message(tips, wanted);
}

}  // namespace pfetch::session
