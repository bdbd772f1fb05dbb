#include "session/stock.h"

#include "base/fd.h"
#include "object/peel.h"
#include "session/holdings.h"
#include "session/refs_setup.h"
#include "shallow/shallow_file.h"

namespace pfetch::session {

Stock::Stock(const repo::Repository& repository) : repository_(repository) {
  repo::RefsOptions options = refs_options(repository);
  options.peel = [this](const object::Oid& id) { return object::peeled(objects(), id); };
  options.kind_of = [this](const object::Oid& id) -> std::optional<object::Kind> {
    const auto info = objects().info(id);
    return info ? std::optional(info->kind) : std::nullopt;
  };
  refs_ = repo::Refs::open(std::move(options));
}

store::Reader& Stock::objects() {
  if (!objects_) objects_ = std::make_unique<store::Reader>(objects_directories(repository_));
  return *objects_;
}

graph::CommitGraph& Stock::graph() {
  if (history_) return history_->graph();
  graph::History::Options options;
  options.objects_directories = objects_directories(repository_);
  options.has = [this](const object::Oid& id) { return objects().contains(id); };
  options.cuts = shallow::read_shallow_file(repository_.shallow_path()).roots;
  std::string grafts;
  base::read_file_if_there(repository_.common_dir() + "/info/grafts", grafts);
  bool has_replacements = false;
  refs_->for_each("refs/replace/", [&](const repo::Ref&) {
    has_replacements = true;
    return false;
  });
  options.history_is_altered = !grafts.empty() || has_replacements;
  history_ = std::make_unique<graph::History>(objects(), std::move(options));
  return history_->graph();
}

}  // namespace pfetch::session
