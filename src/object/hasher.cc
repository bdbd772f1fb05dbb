#include "object/hasher.h"

#include <fmt/format.h>

#include <vector>

#include "base/sha1.h"

namespace pfetch::object {

HashHead::HashHead(Kind kind, std::uint64_t content_bytes) {
  const auto end = fmt::format_to_n(text_.data(), text_.size() - 1, "{} {}", kind_name(kind), content_bytes);
  size_ = end.size + 1;  // the NUL is there already
}

void CheckedHasher::hash(std::span<Job> jobs) const {
  if (jobs.size() == 1) {
    Job& job = jobs.front();
    const auto result = base::sha1_checked(HashHead(job.kind, job.content.size()).view(), job.content);
    job.id = Oid::from_raw(result.digest.data());
    job.attack = result.attack;
    return;
  }
  std::vector<HashHead> heads;
  std::vector<base::Sha1Job> messages;
  heads.reserve(jobs.size());
  messages.reserve(jobs.size());
  for (const Job& job : jobs) {
    heads.emplace_back(job.kind, job.content.size());
    messages.push_back({heads.back().view(), job.content, {}, false});
  }
  base::sha1_many(messages);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].id = Oid::from_raw(messages[i].digest.data());
    jobs[i].attack = messages[i].attack;
  }
}

}  // namespace pfetch::object
