#include "repo/libgit2_hasher.h"

#include <git2.h>

#include <string>

#include "base/dynamic_library.h"
#include "base/error.h"

namespace pfetch::repo {

namespace {

static_assert(GIT_OID_RAWSZ == object::Oid::raw_size);

struct Libgit2 {
  decltype(&::git_odb_hash) odb_hash;
  decltype(&::git_error_last) last_error;

  Libgit2() {
    const base::DynamicLibrary library(PFETCH_LIBGIT2_SONAME, "pfetch.sha1 = libgit2");
    library.find("git_odb_hash", odb_hash);
    library.find("git_error_last", last_error);
    decltype(&::git_libgit2_init) initialize;
    library.find("git_libgit2_init", initialize);
    initialize();
  }
};

class Libgit2Hasher final : public object::Hasher {
 public:
  void hash(std::span<Job> jobs) const override {
    for (Job& job : jobs) {
      git_oid id{};
      const auto kind = static_cast<git_object_t>(job.kind);  // both number kinds as the pack format does
      if (git_.odb_hash(&id, job.content.data(), job.content.size(), kind) == 0) {
        job.id = object::Oid::from_raw(id.id);
        job.attack = false;
        continue;
      }
      const git_error* error = git_.last_error();
      const std::string message = error != nullptr ? error->message : "";
      if (message.find("collision") == std::string::npos) {
        throw Error(ErrorCode::io, "libgit2 could not hash an object: " + message);
      }
      object::CheckedHasher().hash({&job, 1});  // for the id, which libgit2 keeps to itself then
      job.attack = true;
    }
  }

 private:
  Libgit2 git_;
};

}  // namespace

std::unique_ptr<object::Hasher> libgit2_hasher() {
  return std::make_unique<Libgit2Hasher>();
}

std::unique_ptr<object::Hasher> configured_hasher(const Config& config) {
  const std::string choice = config.get("pfetch.sha1", "checked");
  if (choice == "checked") return std::make_unique<object::CheckedHasher>();
  if (choice == "libgit2") return libgit2_hasher();
  throw Error(ErrorCode::config, "bad value '" + choice + "' for 'pfetch.sha1': not 'checked' or 'libgit2'");
}

}  // namespace pfetch::repo
