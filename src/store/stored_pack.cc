#include "store/stored_pack.h"

#include "base/error.h"

namespace pfetch::store {

namespace {

// Makes `owner` if it is not there yet; false when its file is gone. To be called with the mutex held.
template <typename Thing, typename... Arguments>
bool open_once(std::unique_ptr<const Thing>& owner, std::atomic<const Thing*>& ready, Arguments&&... arguments) {
  if (owner) return true;
  try {
    owner = std::make_unique<const Thing>(std::forward<Arguments>(arguments)...);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) return false;
    throw;
  }
  ready.store(owner.get(), std::memory_order_release);
  return true;
}

}  // namespace

const PackIndex* StoredPack::index() {
  if (const PackIndex* ready = index_ready_.load(std::memory_order_acquire)) return ready;
  const std::scoped_lock lock(mutex_);
  return open_once(index_, index_ready_, stem_ + ".idx") ? index_.get() : nullptr;
}

const PackFile* StoredPack::file() {
  if (const PackFile* ready = file_ready_.load(std::memory_order_acquire)) return ready;
  const PackIndex* const opened = index();
  if (opened == nullptr) return nullptr;
  const std::scoped_lock lock(mutex_);
  return open_once(file_, file_ready_, pack_path(), *opened, context_) ? file_.get() : nullptr;
}

}  // namespace pfetch::store
