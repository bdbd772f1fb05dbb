#include "command/clone_publish.h"

#include "object/peel.h"
#include "repo/ref_transaction.h"
#include "session/refs_setup.h"
#include "shallow/shallow_file.h"

namespace pfetch::command {

namespace {

std::string clone_message(const CloneSettings& settings) {
  return "clone: from " + transport::without_user_info(settings.source_url);
}

void write_boundary(const repo::Repository& repository, const std::vector<object::Oid>& roots) {
  if (roots.empty()) return;
  shallow::ShallowLock lock =
      shallow::ShallowLock::take(repository.common_dir() + "/shallow", 0, repository.shared_mode());
  lock.commit_merged({.add = roots, .remove = {}});
}

}  // namespace

void publish_refs(const CloneSettings& settings, const CloneRefs& refs, const repo::Repository& repository,
                  session::Acquisition& acquisition) {
  object::ObjectSource& objects = acquisition.objects();
  repo::RefsOptions options = session::refs_options(repository);
  options.peel = [&objects](const object::Oid& id) { return object::peeled(objects, id); };
  const auto store = repo::Refs::open(options);
  const std::string ident = session::committer_line(repository.config());
  repo::RefTransaction initial(store, {.atomic = true, .initial = true, .ident = ident});
  for (const MappedRef& ref : refs.mapped) initial.create(ref.local_name, ref.id, "");
  // Tags that came along are packed with the others, but where every ref is to have a log they get one, as with git.
  const bool logs_tags = options.log_refs == repo::LogRefs::always;
  repo::RefTransaction logged(store, {.atomic = true, .ident = ident});
  for (const MappedRef& ref : refs.followed) {
    if (objects.info(ref.id)) (logs_tags ? logged : initial).create(ref.local_name, ref.id, clone_message(settings));
  }
  initial.prepare();
  write_boundary(repository, acquisition.roots());
  initial.commit();
  if (logged.outcomes().empty()) return;
  logged.prepare();
  logged.commit();
}

void publish_head(const CloneSettings& settings, const CloneRefs& refs, const std::optional<object::Oid>& head,
                  const repo::Repository& repository) {
  const auto store = repo::Refs::open(session::refs_options(repository));
  const std::string message = clone_message(settings);
  const auto apply = [&](repo::RefUpdate update) {
    session::update_refs(store, repository.config(), {std::move(update)});
  };
  const CloneRequest& request = settings.request;
  if (!refs.origin_head.empty()) {
    apply({.name = "refs/remotes/" + request.origin + "/HEAD", .new_target = refs.origin_head, .message = message});
  }
  if (!refs.head_branch.empty()) {
    apply({.name = "HEAD", .new_target = refs.head_branch});
    if (head && !request.bare) apply({.name = "HEAD", .new_id = head, .message = message});
  } else if (head) {
    apply({.name = "HEAD", .new_id = head, .message = message, .no_deref = true});
  }
}

}  // namespace pfetch::command
