// A commit in memory, and an engine that its objects are delivered to in an order of the test's choosing.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "checkout/engine.h"
#include "tests/support/fakes.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::test {

struct WorldObject {
  object::Kind kind{};
  std::string content;
  object::Oid id() const { return object_id(kind, content); }
};

// Every path below `top` (but `.git`): "dir", "link <target>", "exec <content>" or "file <content>".
inline std::map<std::string, std::string> snapshot(const std::string& top) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> found;
  for (auto at = fs::recursive_directory_iterator(top); at != fs::recursive_directory_iterator(); ++at) {
    const std::string path = at->path().lexically_relative(top).string();
    if (path == ".git") {
      at.disable_recursion_pending();
    } else if (at->is_symlink()) {
      found[path] = "link " + fs::read_symlink(at->path()).string();
    } else if (at->is_directory()) {
      found[path] = "dir";
    } else {
      std::ostringstream content;
      content << std::ifstream(at->path(), std::ios::binary).rdbuf();
      const bool runs = (at->status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      found[path] = (runs ? "exec " : "file ") + content.str();
    }
  }
  return found;
}

// Delivers objects to an engine. What has been delivered is what its source has.
class Delivery {
 public:
  explicit Delivery(const object::Oid& wanted, checkout::EngineOptions options = {}) {
    work_tree_ = top_ / "tree";
    base::make_directory(work_tree_);
    options.delivery.work_tree = work_tree_;
    options.workers.asked_for = 2;
    engine_ = std::make_unique<checkout::Engine>(
        options, wanted,
        checkout::EngineContext{source_, [this](const object::Oid& id) { return arrived_.has(id); }, cancel_});
  }

  // Any thread.
  void deliver(const WorldObject& object, bool streamed = false) {
    source_.add(object.kind, object.content);
    const object::Oid id = arrived_.add(object.kind, object.content);
    object::ResolvedObject resolved{id, object.kind, object.content.size(), {}, streamed};
    if (!streamed) resolved.bytes = base::SharedBytes::copy_of(base::as_bytes(object.content));
    engine_->accept(resolved);
  }
  // An object that was here before the pack.
  void had(const WorldObject& object) { source_.add(object.kind, object.content); }

  std::vector<std::string> finish() {
    engine_->finish_files();
    return engine_->finish();
  }
  void write_index(const std::string& path) {
    base::LockFile lock = base::LockFile::take(path);
    engine_->write_index(lock);
    lock.commit();
  }
  bool exists(const std::string& path) const { return base::path_exists(work_tree_ + "/" + path); }
  std::map<std::string, std::string> files() const { return snapshot(work_tree_); }
  const std::string& work_tree() const { return work_tree_; }
  std::string outside(const std::string& name) const { return top_ / name; }
  checkout::Engine& engine() { return *engine_; }
  const checkout::CheckoutCounters& counters() const { return engine_->counters(); }

 private:
  TemporaryDirectory top_;
  std::string work_tree_;
  MemorySource source_;   // what can be read
  MemorySource arrived_;  // what the pack has brought
  base::Cancellation cancel_;
  std::unique_ptr<checkout::Engine> engine_;
};

}  // namespace pfetch::test
