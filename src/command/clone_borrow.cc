// Objects that a clone borrows from repositories on this machine: --reference and --dissociate.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "base/process.h"
#include "command/clone_session.h"
#include "repo/alternates.h"
#include "repo/refs.h"

namespace pfetch::command {

namespace {

// The git directory of what --reference names: a work tree, a bare repository, or a file that points to one.
std::optional<std::string> reference_git_dir(const std::string& path) {
  for (const char* suffix : {"/.git", ""}) {
    const std::string candidate = path + suffix;
    if (base::is_directory(candidate + "/objects") && base::path_exists(candidate + "/HEAD")) return candidate;
  }
  std::string text;
  if (base::read_file_if_there(path + "/.git", text, 1 << 16) && text.starts_with("gitdir: ")) {
    std::string git_dir = text.substr(8, text.find('\n') - 8);
    if (!git_dir.starts_with('/')) git_dir = path + "/" + git_dir;
    if (base::is_directory(git_dir + "/objects")) return git_dir;
  }
  return std::nullopt;
}

}  // namespace

void CloneSession::borrow_objects() {
  for (const std::string& reference : request_.references) borrow(reference, true);
  for (const std::string& reference : request_.references_if_able) borrow(reference, false);
  const repo::Repository& repository = fresh_->repository();
  if (borrowed_.empty() && environment_.alternates.empty()) return;
  if (!borrowed_.empty()) {
    const std::string path = repository.objects_dir() + "/info/alternates";
    base::make_directories(repository.objects_dir() + "/info");
    const base::UniqueFd fd = base::open_file(path, O_WRONLY | O_CREAT | O_APPEND);
    for (const std::string& directory : borrowed_) base::write_all(fd.get(), base::as_bytes(directory + "\n"), path);
  }
  borrowed_objects_ = std::make_unique<store::Reader>(repository.alternates().directories);
}

void CloneSession::borrow(const std::string& reference, bool must) {
  const auto refuse = [&](const std::string& why) {
    if (must) throw Error(ErrorCode::refused, why);
    context_.reporter.say("info: Could not add alternate for '" + reference + "': " + why);
  };
  const auto git_dir = reference_git_dir(reference);
  if (!git_dir) {
    refuse("reference repository '" + reference + "' is not a local repository.");
  } else if (base::path_exists(*git_dir + "/shallow")) {
    refuse("reference repository '" + reference + "' is shallow");
  } else if (base::path_exists(*git_dir + "/info/grafts")) {
    refuse("reference repository '" + reference + "' is grafted");
  } else {
    borrowed_.push_back(repo::normalised_path(base::absolute_path(*git_dir + "/objects")));
  }
}

void CloneSession::dissociate() {
  if (borrowed_.empty()) return;
  clock_.begin("dissociate");
  const repo::Repository& repository = fresh_->repository();
  // Maintenance of the repository, and so git's: it copies what is borrowed into a pack of our own.
  base::ProcessOptions repack;
  repack.argv = {"git", "--git-dir=" + repository.git_dir(), "repack", "-a", "-d", "-q"};
  repack.out = base::ProcessOptions::Stream::to_stderr;
  for (const std::string& name : repo::Environment::repository_variables()) {
    repack.environment.emplace_back(name, std::nullopt);
  }
  if (base::Process::start(repack).wait() != 0) throw Error(ErrorCode::io, "cannot repack to clean up");
  const std::string alternates = repository.objects_dir() + "/info/alternates";
  if (::unlink(alternates.c_str()) != 0) throw_errno(errno, "cannot unlink temporary alternates file", alternates);
}

std::vector<object::Oid> CloneSession::borrowed_tips() const {
  std::vector<object::Oid> tips;
  for (const std::string& objects : borrowed_) {
    repo::RefsOptions options;
    options.git_dir = objects.substr(0, objects.size() - std::string_view("/objects").size());
    repo::Refs::open(options)->for_each("refs/", [&](const repo::Ref& ref) {
      if (!ref.is_broken() && !ref.id.is_null()) tips.push_back(ref.id);
      return true;
    });
  }
  return tips;
}

}  // namespace pfetch::command
