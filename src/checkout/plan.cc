#include "checkout/plan.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pfetch::checkout {

namespace {

std::string joined(const std::string& directory, std::string_view name) {
  std::string path = directory;
  if (!path.empty()) path += '/';
  path.append(name);
  return path;
}

}  // namespace

std::string Directory::path() const {
  if (parent == nullptr) return {};
  return joined(parent->path(), name);  // as deep as a path is long: bounded by path_bytes_max
}

std::string path_of(const FileSlot& file) {
  return joined(file.directory->path(), file.name);
}

Plan::Growth Plan::grow(Directory& directory, const object::Oid& id, base::SharedBytes tree) {
  Growth growth;
  directory.grown = true;
  directory.tree_id = id;
  directory.tree_bytes = std::move(tree);
  const std::string prefix = directory.path();
  object::TreeEntry before;
  for (const object::TreeEntry& entry : object::TreeView(id, directory.tree_bytes.view())) {
    if (auto reason = object::refuse_entry(entry.name, entry.mode, rules_.path_rules)) {
      throw Error(ErrorCode::refused, "invalid path '" + joined(prefix, entry.name) + "': " + *reason);
    }
    if (prefix.size() + 1 + entry.name.size() > object::path_bytes_max) {
      throw Error(ErrorCode::refused, "invalid path '" + joined(prefix, entry.name).substr(0, 200) +
                                          "…': it is longer than the system allows");
    }
    if (rules_.paths_max != 0 && files_.size() + directories_.size() >= rules_.paths_max) {
      throw Error(ErrorCode::refused, fmt::format("the tree has more than {} paths, '{}' among them; if that is meant, "
                                                  "set pfetch.maxPaths to a larger number, or to 0 for no bound",
                                                  rules_.paths_max, joined(prefix, entry.name)));
    }
    if (entry.name.find('/') != std::string_view::npos ||
        object::compare_tree_names(before.name, before.is_tree(), entry.name, entry.is_tree()) >= 0) {
      in_index_order_ = false;
    }
    before = entry;
    if (entry.is_tree()) {
      Directory& below = directories_.emplace_back();
      below.parent = &directory;
      below.name = entry.name;
      below.tree_id = entry.id();
      directory.items.push_back({nullptr, &below});
      growth.directories.push_back(&below);
      continue;
    }
    FileSlot& file = files_.emplace_back();
    file.directory = &directory;
    file.name = entry.name;
    file.raw_id = entry.raw_id;
    file.mode = object::canonical_mode(entry.mode);
    directory.items.push_back({&file, nullptr});
    if (entry.is_gitlink()) {
      growth.submodules.push_back(&file);
    } else {
      growth.files.push_back(&file);
      if (entry.is_file() && entry.name == ".gitattributes") growth.attribute_file = &file;
    }
  }
  return growth;
}

}  // namespace pfetch::checkout
