// Inflaters to borrow: making one costs an allocation of tens of kilobytes, and none may be used by two threads at
// once. The pool holds as many as were ever in use at the same time. Thread safe.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/inflate.h"

namespace pfetch::store {

struct InflateTools {
  base::FastInflater fast;
  base::Inflater sure;
  std::vector<std::byte> scratch;  // deltas are inflated here; use at most 1 MB of it, it is kept
};

class InflatePool {
 public:
  // Gives its tools back to the pool, which must outlive it, when it ends.
  class Loan {
   public:
    explicit Loan(InflatePool& pool) : pool_(pool), tools_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(tools_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    InflateTools& operator*() const { return *tools_; }
    InflateTools* operator->() const { return tools_.get(); }

   private:
    InflatePool& pool_;
    std::unique_ptr<InflateTools> tools_;
  };

 private:
  std::unique_ptr<InflateTools> take();
  void give_back(std::unique_ptr<InflateTools> tools) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<InflateTools>> idle_;  // guarded by mutex_
};

// A buffer of `size` bytes that nobody has touched: the kernel gives memory only as it is filled, so a size that was
// merely claimed costs none. Throws ErrorCode::refused, naming the size, when there is not even the address space.
std::shared_ptr<std::byte[]> allocate_untouched(std::uint64_t size);

}  // namespace pfetch::store
