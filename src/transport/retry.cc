#include "transport/retry.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <climits>

namespace pfetch::transport {

bool Retries::wait_for_another(const Error& error) {
  ++failures_;
  if (failures_ >= options_.tries_max) return false;
  std::chrono::seconds wait = options_.first_wait * (1 << std::min(failures_ - 1, 16));
  const auto* transient = dynamic_cast<const TransientError*>(&error);
  if (transient != nullptr && transient->retry_after()) wait = *transient->retry_after();
  if (wait > options_.wait_max) return false;
  if (options_.warn) {
    std::string_view reason = error.message();
    while (reason.ends_with('\n')) reason.remove_suffix(1);
    options_.warn(fmt::format("{}; trying again{} (try {} of {})", reason,
                              wait.count() > 0 ? fmt::format(" in {} s", wait.count()) : std::string(), failures_ + 1,
                              options_.tries_max));
  }
  const auto until = std::chrono::steady_clock::now() + wait;
  for (;;) {
    cancel_.throw_if_requested();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return true;
    pollfd cancelled{cancel_.fd(), POLLIN, 0};
    ::poll(&cancelled, 1, static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX)));
  }
}

}  // namespace pfetch::transport
