// What a RefTransaction holds between its first update and the last lock given back. A part of repo/ref_transaction,
// for its source files alone: ref_transaction_plan.cc says which refs and logs a transaction touches,
// ref_transaction.cc locks, asks the hook, and changes them, and ref_transaction_packed.cc does what goes through
// packed-refs. One thread; errors as in repo/ref_transaction.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repo/packed_refs.h"
#include "repo/ref_edit.h"
#include "repo/ref_transaction.h"
#include "repo/refs.h"

namespace pfetch::repo {

struct RefTransaction::State {
  enum class Phase { open, prepared, closed };

  State(std::shared_ptr<const Refs> all_refs, RefTransactionOptions given)
      : refs(std::move(all_refs)), options(std::move(given)) {}

  void check_names();
  void expand();
  void follow_symbolic(std::size_t at);
  void add_head_log();
  void claim(std::size_t at);
  void check_neighbours();
  void lock_all();
  void choose_packed();
  void lock_packed();
  void check_packed();
  void stage_initial();
  PackedRefsEditor take_packed() const;
  PackedValue packed_value(const RefUpdate& update) const;
  void fail(std::size_t outcome, RefProblem problem);
  void fail_atomic();
  void ask_hook();
  std::string hook_lines() const;
  void tell_hook(std::string_view state) const noexcept;
  bool keeps_logs();  // whether any ref has a log or may get one; looks once
  bool starts_log(const RefEdit& edit) const;
  void write_log(const RefEdit& edit) const;
  void publish();
  void rewrite_packed();
  void log_packed();
  void look_again();
  void release_all() noexcept;
  bool is_live(const RefEdit& edit) const { return outcomes[edit.outcome()].ok(); }
  bool is_packed(const RefEdit& edit) const { return edit.packs && is_live(edit); }

  std::shared_ptr<const Refs> refs;
  RefTransactionOptions options;
  Phase phase = Phase::open;
  std::vector<RefUpdate> updates;                   // until they become edits
  std::vector<RefOutcome> outcomes;                 // one for each update
  std::deque<RefEdit> edits;                        // one for each update, then those that follow from them
  std::map<std::string_view, std::size_t> claimed;  // name → place in edits, where the name is
  std::optional<PackedRefsEditor> packed;
  std::optional<bool> kept_logs;
};

}  // namespace pfetch::repo
