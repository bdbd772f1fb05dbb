#include "checkout/attributes.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "checkout/path_pattern.h"
#include "object/path_parts.h"

namespace pfetch::checkout {
namespace {

// Attributes are numbered: first those of `Attributes`, then those that were asked for by name, then the macros.
enum : std::uint32_t { id_text, id_crlf, id_eol, id_ident, id_filter, id_encoding, id_count };
constexpr std::array<std::string_view, id_count> always_wanted = {"text",  "crlf",   "eol",
                                                                  "ident", "filter", "working-tree-encoding"};

struct NumberedState {
  std::uint32_t id = 0;
  const AttributeState* state = nullptr;  // owned by the file
};

struct Rule {
  PathPattern pattern;  // its text is owned by the file
  std::vector<NumberedState> states;
};

using Numbers = std::unordered_map<std::string_view, std::uint32_t>;

std::vector<NumberedState> number_states(const std::vector<NamedState>& states, const Numbers& numbers) {
  std::vector<NumberedState> numbered;
  for (const NamedState& named : states) {
    if (const auto known = numbers.find(named.name); known != numbers.end()) {
      numbered.push_back({known->second, &named.state});
    }
  }
  return numbered;
}

const SharedAttributeFile& built_in_file() {
  static const SharedAttributeFile file =
      parse_attribute_file("[attr]binary -diff -merge -text\n", "built in", true, nullptr);
  return file;
}

}  // namespace

// The rules of one file that say something about the numbered attributes.
struct AttributeStack::Level {
  SharedAttributeFile file;  // owns what the rules borrow
  std::vector<Rule> rules;
};

struct AttributeStack::Common {
  std::vector<SharedAttributeFile> macro_files;  // own the names below
  std::vector<std::string> also;                 // the same
  std::vector<std::uint32_t> also_numbers;
  Numbers numbers;
  std::size_t wanted = 0;                           // so many of the first numbers are asked for
  std::vector<std::vector<NumberedState>> macros;   // by number; empty for what is no macro
  std::vector<std::shared_ptr<const Level>> below;  // weakest first
  std::shared_ptr<const Level> info;
  bool casefold = false;

  std::shared_ptr<const Level> make_level(SharedAttributeFile file) const {
    if (file == nullptr) return nullptr;
    auto level = std::make_shared<Level>();
    for (const AttributeRule& parsed : file->rules) {
      if (parsed.directories_only || parsed.pattern.empty()) continue;  // never matches a file
      std::vector<NumberedState> states = number_states(parsed.states, numbers);
      if (states.empty()) continue;
      level->rules.push_back({PathPattern(parsed.pattern, casefold), std::move(states)});
    }
    if (level->rules.empty()) return nullptr;
    level->file = std::move(file);
    return level;
  }

  // `files` from the weakest to the strongest.
  void define_macros(std::vector<SharedAttributeFile> files) {
    macro_files = std::move(files);
    const auto number_of = [this](std::string_view name) {
      return numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
    };
    for (const std::string_view name : always_wanted) number_of(name);
    for (const std::string& name : also) also_numbers.push_back(number_of(name));
    wanted = numbers.size();
    std::unordered_map<std::uint32_t, const AttributeMacro*> strongest;
    for (const SharedAttributeFile& file : macro_files) {
      for (const AttributeMacro& macro : file->macros) {
        strongest[number_of(macro.name)] = &macro;
      }
    }
    macros.resize(numbers.size());
    for (const auto& [id, macro] : strongest) macros[id] = number_states(macro->states, numbers);
  }
};

namespace {

// The decisions for one path. The first word on an attribute stands.
class Decisions {
 public:
  Decisions(const std::vector<std::vector<NumberedState>>& macros, std::size_t wanted)
      : macros_(macros), wanted_(wanted), open_(wanted) {
    if (macros.size() > few_.size()) many_.resize(macros.size());
  }

  bool complete() const { return open_ == 0; }

  // Of one line the last word counts, so states are taken from the back. A macro speaks at once, before what stands
  // left of it; macros may name each other, hence the explicit stack.
  void take(const std::vector<NumberedState>& states) {
    pending_.assign(1, {&states, states.size()});
    while (!pending_.empty()) {
      auto& [list, left] = pending_.back();
      if (left == 0) {
        pending_.pop_back();
        continue;
      }
      const NumberedState& next = (*list)[--left];
      const AttributeState*& slot = at(next.id);
      if (slot != nullptr) continue;
      slot = next.state;
      if (next.id < wanted_) --open_;
      const auto& expansion = macros_[next.id];
      if (next.state->is(AttributeState::Kind::set) && !expansion.empty())
        pending_.emplace_back(&expansion, expansion.size());
    }
  }

  AttributeState result(std::uint32_t id) {
    const AttributeState* state = at(id);
    return state == nullptr ? AttributeState{} : *state;
  }

 private:
  const AttributeState*& at(std::uint32_t id) { return many_.empty() ? few_[id] : many_[id]; }

  const std::vector<std::vector<NumberedState>>& macros_;
  std::array<const AttributeState*, 32> few_{};
  std::vector<const AttributeState*> many_;
  std::vector<std::pair<const std::vector<NumberedState>*, std::size_t>> pending_;
  const std::size_t wanted_;
  std::size_t open_;  // wanted, and not decided yet
};

}  // namespace

std::shared_ptr<const AttributeStack> AttributeStack::root(const Sources& sources) {
  auto common = std::make_shared<Common>();
  common->casefold = sources.casefold;
  common->also = sources.also;
  std::vector<SharedAttributeFile> files = {built_in_file()};
  files.insert(files.end(), sources.below.begin(), sources.below.end());
  files.push_back(sources.top);
  files.push_back(sources.info);
  std::erase(files, nullptr);
  common->define_macros(std::move(files));
  for (const SharedAttributeFile& file : sources.below) {
    if (auto level = common->make_level(file)) common->below.push_back(std::move(level));
  }
  common->info = common->make_level(sources.info);

  auto stack = std::make_shared<AttributeStack>(Private{});
  stack->level_ = common->make_level(sources.top);
  stack->common_ = std::move(common);
  return stack;
}

std::shared_ptr<const AttributeStack> AttributeStack::child(std::string_view component,
                                                            SharedAttributeFile file) const {
  auto stack = std::make_shared<AttributeStack>(Private{});
  stack->common_ = common_;
  stack->below_ = level_ != nullptr ? shared_from_this() : below_;
  stack->level_ = common_->make_level(std::move(file));
  stack->directory_size_ = directory_size_ + component.size() + 1;
  return stack;
}

bool AttributeStack::is_empty() const {
  return level_ == nullptr && below_ == nullptr && common_->below.empty() && common_->info == nullptr;
}

Attributes AttributeStack::query(std::string_view path) const {
  if (is_empty()) return {};
  const std::string_view basename = object::leaf_part(path);
  Decisions decisions(common_->macros, common_->wanted);
  const auto take_level = [&](const Level* level, std::size_t directory_size) {
    if (level == nullptr || directory_size > path.size()) return;
    const std::string_view relative = path.substr(directory_size);
    for (auto rule = level->rules.rbegin(); rule != level->rules.rend() && !decisions.complete(); ++rule) {
      if (rule->pattern.matches(relative, basename)) decisions.take(rule->states);
    }
  };
  take_level(common_->info.get(), 0);
  for (const AttributeStack* stack = this; stack != nullptr; stack = stack->below_.get()) {
    take_level(stack->level_.get(), stack->directory_size_);
  }
  for (auto level = common_->below.rbegin(); level != common_->below.rend(); ++level) take_level(level->get(), 0);
  Attributes found{decisions.result(id_text),
                   decisions.result(id_crlf),
                   decisions.result(id_eol),
                   decisions.result(id_ident),
                   decisions.result(id_filter),
                   decisions.result(id_encoding),
                   {}};
  for (const std::uint32_t id : common_->also_numbers) found.also.push_back(decisions.result(id));
  return found;
}

}  // namespace pfetch::checkout
