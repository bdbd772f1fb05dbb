// Between the rooms of fsck: collects findings about one object under a set of rules. Not thread safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "repo/fsck.h"

namespace pfetch::repo {

class FsckReport {
 public:
  FsckReport(const FsckRules& rules, const object::Oid& id) : rules_(rules), silent_(rules.skips(id)) {}

  // Returns whether it is an error, at which a commit or tag is not read further.
  bool add(FsckId id, std::string text) {
    const FsckSeverity severity = rules_.severity(id);
    if (silent_ || severity == FsckSeverity::ignore) return false;
    findings_.push_back({id, severity, std::move(text)});
    return findings_.back().is_error();
  }
  const FsckRules& rules() const { return rules_; }
  std::vector<FsckFinding> take() { return std::move(findings_); }

 private:
  const FsckRules& rules_;
  bool silent_;
  std::vector<FsckFinding> findings_;
};

void check_tree(base::Bytes bytes, const object::Oid& id, FsckReport& report, std::vector<FsckNamed>* named);
void check_commit(std::string_view text, FsckReport& report);
void check_tag(std::string_view text, FsckReport& report);
void check_gitmodules(std::string_view text, FsckReport& report);
void check_gitattributes(std::string_view text, FsckReport& report);

}  // namespace pfetch::repo
