// Checks every object of an arriving pack against the fsck rules (transfer.fsckObjects, fetch.fsckObjects,
// `index-pack --strict`). Any thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "object/object_sink.h"
#include "object/object_source.h"
#include "repo/config.h"
#include "repo/fsck.h"

namespace pfetch::session {

// The rules that the configuration gives: `fetch.fsck.<id>`, `fetch.fsck.skipList`, and the same for other sections.
repo::FsckRules fsck_rules(const repo::Config& config, const std::string& section);
// Whether objects that a fetch brings are to be checked.
bool checks_fetched_objects(const repo::Config& config);

class FsckSink : public object::ObjectSink {
 public:
  explicit FsckSink(repo::FsckRules rules) : rules_(std::move(rules)) {}

  // Throws ErrorCode::corrupt for a finding of severity error or fatal: "object <id>: <messageId>: <text>".
  void accept(const object::ResolvedObject& resolved) override;
  // After the stream has ended: reads the blobs that trees call .gitmodules or .gitattributes from `source`, and
  // checks them.
  void finish(object::ObjectSource& source);

  // Findings of less weight, in words.
  std::vector<std::string> warnings() const { return warnings_; }

 private:
  void judge(const object::Oid& id, const std::vector<repo::FsckFinding>& findings);

  const repo::FsckRules rules_;
  std::mutex mutex_;  // guards all below
  std::vector<repo::FsckNamed> named_;
  std::vector<std::string> warnings_;
};

}  // namespace pfetch::session
