#include "repo/ref_transaction.h"

#include <fmt/format.h>

#include "base/error.h"
#include "repo/ref_hook.h"
#include "repo/ref_transaction_state.h"
#include "repo/reflog.h"

namespace pfetch::repo {

using object::Oid;

void RefsTransaction::create(std::string name, const Oid& new_id, std::string message) {
  update({.name = std::move(name), .new_id = new_id, .old_id = Oid{}, .message = std::move(message)});
}

void RefsTransaction::remove(std::string name, std::optional<Oid> old_id, std::string message) {
  update({.name = std::move(name), .new_id = Oid{}, .old_id = old_id, .message = std::move(message)});
}

void RefsTransaction::verify(std::string name, const Oid& old_id) {
  update({.name = std::move(name), .old_id = old_id});
}

void RefsTransaction::set_symbolic(std::string name, std::string target, std::string message) {
  update({.name = std::move(name), .new_target = std::move(target), .message = std::move(message), .no_deref = true});
}

void RefTransaction::State::fail(std::size_t outcome, RefProblem problem) {
  if (!outcomes[outcome].ok()) return;  // the first trouble is the one to report
  outcomes[outcome].verdict = problem.verdict;
  outcomes[outcome].message = std::move(problem.message);
}

void RefTransaction::State::fail_atomic() {
  if (!options.atomic) return;
  for (const RefOutcome& outcome : outcomes) {
    if (!outcome.ok()) throw Error(ErrorCode::refused, outcome.message);
  }
}

void RefTransaction::State::lock_all() {
  for (RefEdit& edit : edits) {
    if (!is_live(edit) || edit.packs) continue;
    auto problem = edit.lock(*refs);
    if (!problem) problem = edit.check_and_write(*refs);
    if (!problem) continue;
    fail(edit.outcome(), std::move(*problem));
    fail_atomic();
  }
  // What belongs to a failed update was perhaps locked before the trouble came.
  for (RefEdit& edit : edits) {
    if (!is_live(edit) && !edit.packs) edit.release(*refs);
  }
}

std::string RefTransaction::State::hook_lines() const {
  std::string lines;
  for (const RefEdit& edit : edits) {
    const RefUpdate& update = edit.update();
    if (!is_live(edit) || !update.new_target.empty()) continue;
    lines += fmt::format("{} {} {}\n", update.old_id.value_or(Oid{}).hex(), update.new_id.value_or(Oid{}).hex(),
                         update.name);
  }
  return lines;
}

void RefTransaction::State::ask_hook() {
  if (!options.run_hook || !has_reference_hook(refs->options())) return;
  if (run_reference_hook(refs->options(), "prepared", hook_lines()) == 0) return;
  tell_hook("aborted");
  throw Error(ErrorCode::refused, "ref updates aborted by hook");
}

// What the hook says now changes nothing any more.
void RefTransaction::State::tell_hook(std::string_view state) const noexcept {
  try {
    if (options.run_hook && has_reference_hook(refs->options())) {
      run_reference_hook(refs->options(), state, hook_lines());
    }
  } catch (...) {
  }
}

bool RefTransaction::State::starts_log(const RefEdit& edit) const {
  const RefsOptions& settings = refs->options();
  return edit.update().create_reflog || starts_reflog(edit.name(), settings.log_refs, settings.bare);
}

bool RefTransaction::State::keeps_logs() {
  if (!kept_logs) {
    const RefsOptions& settings = refs->options();
    kept_logs = settings.log_refs != LogRefs::unset || !settings.bare ||
                base::path_exists(settings.git_dir + "/logs") || base::path_exists(settings.common_dir + "/logs");
  }
  return *kept_logs;
}

void RefTransaction::State::write_log(const RefEdit& edit) const {
  if (options.ident.empty()) return;
  Oid old_id = edit.old_id();
  Oid new_id = edit.resulting_id();
  std::string message = edit.update().message;
  if (edit.log_only) {
    const RefEdit* real = &edits[edit.source];
    while (real->log_only) real = &edits[real->source];
    old_id = real->old_id();
    new_id = real->resulting_id();
  } else if (!edit.update().new_target.empty()) {
    // A symbolic ref that is set is logged if there is something to say, and something that it points to.
    const auto target = claimed.find(edit.update().new_target);
    const auto end = refs->resolve(edit.update().new_target);
    if (target != claimed.end() && is_live(edits[target->second])) {
      new_id = edits[target->second].resulting_id();
      if (message.empty()) message = edits[target->second].update().message;
    } else {
      new_id = end ? end->id : Oid{};
    }
    if (message.empty() || new_id.is_null()) return;
  }
  append_reflog(refs->log_of(edit.name()), reflog_line(old_id, new_id, options.ident, message), starts_log(edit),
                refs->options().shared_mode);
}

void RefTransaction::State::publish() {
  for (RefEdit& edit : edits) {
    if (!is_live(edit) || edit.deletes() || !(edit.writes() || edit.log_only)) continue;
    try {
      write_log(edit);
      if (edit.writes()) edit.publish(*refs);
    } catch (const Error& error) {
      fail(edit.outcome(),
           {RefVerdict::failed, fmt::format("cannot update the ref '{}': {}", edit.name(), error.message())});
      if (!options.atomic) continue;
      for (RefEdit& done : edits) done.put_back(*refs);
      fail_atomic();
    }
  }
}

void RefTransaction::State::release_all() noexcept {
  if (packed) packed->rollback();
  packed.reset();
  if (!options.initial) {
    for (RefEdit& edit : edits) {
      if (!edit.packs) edit.release(*refs);
    }
  }
  phase = Phase::closed;
}

RefTransaction::RefTransaction(std::shared_ptr<const Refs> refs, RefTransactionOptions options)
    : state_(std::make_unique<State>(std::move(refs), std::move(options))) {}

RefTransaction::~RefTransaction() {
  abort();
}

void RefTransaction::update(RefUpdate update) {
  if (state_->phase != State::Phase::open)
    throw Error(ErrorCode::usage, "a prepared transaction takes no more updates");
  if (!update.create_reflog && !state_->keeps_logs())
    update.message = std::string();  // not read, and there may be very many
  state_->outcomes.push_back({update.name, RefVerdict::accepted, ""});
  state_->updates.push_back(std::move(update));
}

const std::vector<RefOutcome>& RefTransaction::outcomes() const {
  return state_->outcomes;
}

const std::vector<RefOutcome>& RefTransaction::prepare() {
  State& state = *state_;
  if (state.phase != State::Phase::open) throw Error(ErrorCode::usage, "a transaction is prepared only once");
  try {
    state.check_names();
    state.fail_atomic();
    if (state.options.initial) {
      for (std::size_t i = 0; i < state.updates.size(); ++i) {
        state.edits.emplace_back(std::move(state.updates[i]), i);
        if (state.is_live(state.edits[i])) state.claim(i);
      }
      state.stage_initial();
    } else {
      state.expand();
      state.fail_atomic();
      state.check_neighbours();
      state.fail_atomic();
      state.lock_all();
      state.lock_packed();
    }
    state.ask_hook();
  } catch (...) {
    state.release_all();
    throw;
  }
  state.phase = State::Phase::prepared;
  return state.outcomes;
}

const std::vector<RefOutcome>& RefTransaction::commit() {
  State& state = *state_;
  if (state.phase != State::Phase::prepared)
    throw Error(ErrorCode::usage, "a transaction must be prepared to be committed");
  try {
    if (state.options.initial) {
      state.packed->commit_staged();
    } else {
      state.publish();
      state.rewrite_packed();
    }
  } catch (...) {
    state.release_all();
    throw;
  }
  state.release_all();
  state.tell_hook("committed");
  state.fail_atomic();
  return state.outcomes;
}

void RefTransaction::abort() noexcept {
  const bool was_prepared = state_->phase == State::Phase::prepared;
  state_->release_all();
  if (was_prepared) state_->tell_hook("aborted");
}

}  // namespace pfetch::repo
