#include "checkout/index_reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/fd.h"
#include "checkout/cache_tree.h"
#include "checkout/index_entries.h"
#include "checkout/split_index.h"

namespace pfetch::checkout {
namespace {

constexpr std::size_t extension_header_bytes = 8;  // four letters and the size of the content

// Contents of extensions that can be read only when all entries are known, those of a shared index too.
struct Extensions {
  std::optional<base::Bytes> tree;
  std::optional<base::Bytes> fsmonitor;
  std::optional<base::Bytes> link;
};

bool is_optional(std::string_view signature) {
  return signature[0] >= 'A' && signature[0] <= 'Z';
}

void take_extension(std::string_view signature, base::Bytes content, Extensions& waiting, Index& index) {
  if (signature == "TREE") {
    waiting.tree = content;
  } else if (signature == "REUC") {
    index.resolve_undo = base::as_text(content);
  } else if (signature == "UNTR") {
    index.untracked_cache = base::as_text(content);
  } else if (signature == "FSMN") {
    waiting.fsmonitor = content;
  } else if (signature == "link") {
    waiting.link = content;
  } else if (signature == "sdir") {
    index.sparse = true;
  } else if (!is_optional(signature)) {
    std::string name(signature);
    for (char& letter : name) letter = letter > ' ' && letter <= '~' ? letter : '?';
    throw Error(ErrorCode::unsupported, fmt::format("it uses the extension '{}', which is not known", name));
  }
}

Extensions take_extensions(base::Bytes rest, Index& index) {
  Extensions waiting;
  while (!rest.empty()) {
    if (rest.size() < extension_header_bytes) throw Error(ErrorCode::corrupt, "it is cut short in an extension");
    const std::string_view signature = base::as_text(rest.first(4));
    const std::uint32_t size = base::load_be32(rest.data() + 4);
    rest = rest.subspan(extension_header_bytes);
    if (size > rest.size()) throw Error(ErrorCode::corrupt, "it is cut short in an extension");
    take_extension(signature, rest.first(size), waiting, index);
    rest = rest.subspan(size);
  }
  return waiting;
}

void read_shared(base::Bytes content, const SharedIndexBytes& shared, Index& index) {
  const SplitIndexLink link = parse_split_index_link(content);
  IndexFileParts parts;
  if (!link.shared.is_null()) {
    index.shared_index = link.shared;
    parts = decode_index_file(shared(link.shared), index.paths);
    if (parts.checksum != link.shared) throw Error(ErrorCode::corrupt, "its shared index has another checksum");
  }
  index.entries = merge_split_index(link, std::move(index.entries), std::move(parts.entries));
}

void take_cache_tree(base::Bytes content, Index& index) {
  const std::string_view kept = index.paths.keep(base::as_text(content));  // the nodes' names point into it
  auto nodes = parse_cache_tree(base::as_bytes(kept));
  if (nodes && cache_tree_fits(*nodes, index.entries)) index.cache_tree = std::move(*nodes);
}

}  // namespace

Index parse_index(base::Bytes file, const SharedIndexBytes& shared) {
  Index index;
  index.paths = PathStore(file.size());
  IndexFileParts parts = decode_index_file(file, index.paths);
  index.version = parts.version;
  index.entries = std::move(parts.entries);
  const Extensions waiting = take_extensions(parts.extensions, index);
  if (waiting.link) read_shared(*waiting.link, shared, index);
  check_index_entries(index.entries, index.sparse);
  if (waiting.tree) take_cache_tree(*waiting.tree, index);
  if (waiting.fsmonitor) index.fsmonitor = apply_fsmonitor(*waiting.fsmonitor, index.entries);
  return index;
}

Index read_index(const std::string& path, const std::string& git_dir) {
  const base::UniqueFd fd = base::open_if_there(path, O_RDONLY);
  if (!fd) return Index();
  const base::MappedFile file(fd.get(), path);
  base::MappedFile shared;
  try {
    Index index = parse_index(file.view(), [&](const object::Oid& checksum) {
      shared = base::MappedFile(git_dir + "/sharedindex." + checksum.hex());
      return shared.view();
    });
    index.file = index_stat(base::stat_fd(fd.get(), path));
    return index;
  } catch (Error& error) {
    throw error.add_context(fmt::format("index '{}'", path));
  }
}

}  // namespace pfetch::checkout
