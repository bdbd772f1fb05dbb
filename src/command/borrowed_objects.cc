#include "command/borrowed_objects.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "base/process.h"
#include "repo/paths.h"
#include "session/holdings.h"

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

BorrowedObjects::BorrowedObjects(const CloneRequest& request, const repo::Repository& repository,
                                 session::Reporter& reporter) {
  for (const std::string& reference : request.references) borrow(reference, true, reporter);
  for (const std::string& reference : request.references_if_able) borrow(reference, false, reporter);
  if (any()) {
    const std::string path = repository.objects_dir() + "/info/alternates";
    base::make_directories(repository.objects_dir() + "/info");
    const base::UniqueFd fd = base::open_file(path, O_WRONLY | O_CREAT | O_APPEND);
    for (const std::string& directory : directories_) base::write_all(fd.get(), base::as_bytes(directory + "\n"), path);
    tips_ = session::borrowed_tips(directories_);
    std::sort(tips_.begin(), tips_.end());
  }
  if (any() || !repository.environment().alternates.empty()) {
    source_ = std::make_unique<store::Reader>(repository.alternates().directories);
    graph::History::Options options;
    options.objects_directories = repository.alternates().directories;
    history_ = std::make_unique<graph::History>(*source_, std::move(options));
    before_.emplace(session::Before{*source_, tips_, history_->reachability(), {}, {}});
  }
}

void BorrowedObjects::borrow(const std::string& reference, bool must, session::Reporter& reporter) {
  const auto refuse = [&](const std::string& why) {
    if (must) throw Error(ErrorCode::refused, why);
    reporter.say("info: Could not add alternate for '" + reference + "': " + why);
  };
  const auto git_dir = reference_git_dir(reference);
  if (!git_dir) {
    refuse("reference repository '" + reference + "' is not a local repository.");
  } else if (base::path_exists(*git_dir + "/shallow")) {
    refuse("reference repository '" + reference + "' is shallow");
  } else if (base::path_exists(*git_dir + "/info/grafts")) {
    refuse("reference repository '" + reference + "' is grafted");
  } else {
    directories_.push_back(repo::normalised_path(repo::absolute_path(*git_dir + "/objects")));
  }
}

void BorrowedObjects::dissociate(const repo::Repository& repository) {
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

}  // namespace pfetch::command
