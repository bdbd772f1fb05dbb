#include "checkout/plan.h"

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
    check_name(rules_, prefix, entry);
    check_path_count(rules_, prefix, entry.name, files_.size() + directories_.size());
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
