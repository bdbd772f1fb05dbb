#include "session/fsck_sink.h"

#include "base/ascii.h"
#include "base/error.h"
#include "base/fd.h"

namespace pfetch::session {

repo::FsckRules fsck_rules(const repo::Config& config, const std::string& section) {
  repo::FsckRules rules(true);
  const std::string prefix = section + ".fsck.";
  config.for_each(prefix, [&](const repo::ConfigEntry& entry) {
    const std::string id = entry.key.substr(prefix.size());
    if (base::same_ignoring_case(id, "skiplist")) {
      if (const auto path = config.get_path(entry.key)) rules.add_skip_list(base::read_file(*path), *path);
    } else {
      rules.configure(id, entry.value.value_or("true"));
    }
  });
  return rules;
}

bool checks_fetched_objects(const repo::Config& config) {
  return config.get_bool("fetch.fsckobjects", config.get_bool("transfer.fsckobjects", false));
}

void FsckSink::accept(const object::ResolvedObject& resolved) {
  if (resolved.streamed) return;  // a blob: nothing is said about its content
  std::vector<repo::FsckNamed> named;
  judge(resolved.id, rules_.check(resolved.id, resolved.kind, resolved.bytes.view(), &named));
  if (named.empty()) return;
  const std::lock_guard lock(mutex_);
  named_.insert(named_.end(), named.begin(), named.end());
}

void FsckSink::finish(object::ObjectSource& source) {
  for (const repo::FsckNamed& named : named_) {
    const auto object = source.read(named.id);
    judge(named.id, rules_.check_named(named, object ? &*object : nullptr, false));
  }
}

void FsckSink::judge(const object::Oid& id, const std::vector<repo::FsckFinding>& findings) {
  for (const repo::FsckFinding& finding : findings) {
    if (finding.is_error()) {
      throw Error(ErrorCode::corrupt, finding.message(id) + "; " + std::string(repo::fsck_packed_failure));
    }
    const std::lock_guard lock(mutex_);
    warnings_.push_back(finding.message(id));
  }
}

}  // namespace pfetch::session
