#include "session/progress.h"

namespace pfetch::session {

void Progress::set_stage(const char* stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
}

void Progress::watch(const pack::IngestCounters* ingest, const checkout::CheckoutCounters* checkout) {
  const std::lock_guard lock(mutex_);
  last_ = current();
  ingest_ = ingest;
  checkout_ = checkout;
}

ProgressFigures Progress::figures() const {
  const std::lock_guard lock(mutex_);
  return current();
}

ProgressFigures Progress::current() const {
  ProgressFigures figures = last_;
  figures.receiving = ingest_ != nullptr;
  figures.stage = stage_;
  if (ingest_ != nullptr) {
    figures.known = true;
    figures.bytes_received = ingest_->bytes_received.load(std::memory_order_relaxed);
    figures.objects_claimed = ingest_->objects_claimed.load(std::memory_order_relaxed);
    figures.objects_scanned = ingest_->objects_scanned.load(std::memory_order_relaxed);
    figures.objects_resolved = ingest_->objects_resolved.load(std::memory_order_relaxed);
  }
  if (checkout_ != nullptr) {
    figures.writing = true;
    figures.updating = ingest_ == nullptr && !figures.known;
    figures.files_planned = checkout_->files_planned.load(std::memory_order_relaxed);
    figures.files_written = checkout_->files_written.load(std::memory_order_relaxed);
    figures.bytes_written = checkout_->bytes_written.load(std::memory_order_relaxed);
    figures.files_to_filter = checkout_->files_to_filter.load(std::memory_order_relaxed);
    figures.files_filtered = checkout_->files_filtered.load(std::memory_order_relaxed);
  }
  return figures;
}

void StageClock::begin(const char* name) {
  end();
  progress_.set_stage(name);
  started_ = Clock::now();
  running_ = true;
  stages_.push_back({name, 0});
}

void StageClock::end() {
  if (!running_) return;
  stages_.back().seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  running_ = false;
}

double StageClock::total_seconds() const {
  return std::chrono::duration<double>(Clock::now() - first_).count();
}

}  // namespace pfetch::session
