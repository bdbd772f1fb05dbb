#include "session/work_place.h"

#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "repo/paths.h"

namespace pfetch::session {

std::string work_prefix(const repo::Repository& repository) {
  if (!repository.work_tree()) throw Error(ErrorCode::usage, "this operation must be run in a work tree");
  const std::string here = repo::real_path_or_same(repo::current_directory());
  std::string top = repo::real_path_or_same(*repository.work_tree());
  if (!top.ends_with('/')) top += '/';
  return here.starts_with(top) ? here.substr(top.size()) + "/" : "";
}

void enter_work_tree(const repo::Repository& repository) {
  if (::chdir(repository.work_tree()->c_str()) != 0) throw_errno(errno, "cannot change to", *repository.work_tree());
}

object::PathspecRules pathspec_rules(const repo::Repository& repository, const std::string& prefix) {
  const repo::Environment& environment = repository.environment();
  object::PathspecRules rules;
  rules.prefix = prefix;
  rules.literal = environment.literal_pathspecs;
  rules.glob = environment.glob_pathspecs;
  rules.noglob = environment.noglob_pathspecs;
  rules.icase = environment.icase_pathspecs;
  rules.work_tree = *repository.work_tree();
  rules.real_path = [](const std::string& path) { return repo::real_path(path); };
  return rules;
}

}  // namespace pfetch::session
