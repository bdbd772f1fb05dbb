// What index and worktree of a repository are looked at and changed with, made from its configuration.
//
// One thread makes and uses it; `contents` and the attribute lookups it gives are thread safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkout/content_check.h"
#include "checkout/engine.h"
#include "checkout/racy.h"
#include "session/worktree_switch.h"

namespace pfetch::session {

class WorktreeTools {
 public:
  // Reports what is wrong with attribute files. `context` must outlive it. Throws ErrorCode::unsupported for a sparse
  // worktree, ErrorCode::refused without a worktree.
  explicit WorktreeTools(const SwitchContext& context);

  int top() const { return top_.get(); }
  const std::string& work_tree() const { return options_.delivery.work_tree; }
  const checkout::StatRules& stat_rules() const { return stat_rules_; }
  const checkout::PlanRules& plan_rules() const { return options_.rules; }
  const checkout::DeliveryOptions& delivery() const { return options_.delivery; }
  checkout::ContentCheck& contents() { return *contents_; }
  checkout::FilterPlace filter_place() const;
  // core.ignoreCase: two paths may be one place here.
  bool folds_case() const { return options_.attributes.casefold; }

  // For files that come to the worktree: a `.gitattributes` is that of the index to be, and where it has none the one
  // that stands in the worktree. `blob_at`: what the index to be has at a path.
  using BlobAt = std::function<std::optional<object::Oid>(const std::string& path)>;
  std::unique_ptr<checkout::AttributeLookup> arriving_attributes(BlobAt blob_at);
  // For files as they are, and what `also` names: a `.gitattributes` is the one that stands in the worktree, and where
  // there is none that of the index, `blob_at`.
  std::unique_ptr<checkout::AttributeLookup> attributes_of_worktree(std::vector<std::string> also, BlobAt blob_at);

 private:
  std::optional<std::string> read_attribute_file(const std::string& path) const;
  std::optional<std::string> read_attribute_blob(const BlobAt& blob_at, const std::string& path) const;

  const SwitchContext& context_;
  checkout::EngineOptions options_;
  base::UniqueFd top_;
  checkout::StatRules stat_rules_;
  std::unique_ptr<checkout::AttributeLookup> present_attributes_;
  std::unique_ptr<checkout::Cleaner> cleaner_;
  std::unique_ptr<checkout::ContentCheck> contents_;
};

}  // namespace pfetch::session
