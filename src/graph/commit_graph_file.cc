#include "graph/commit_graph_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/fd.h"

namespace pfetch::graph {

namespace {

constexpr std::size_t layers_max = 256;  // a layer counts those below it in one byte
constexpr std::uint64_t chain_bytes_max = layers_max * (object::Oid::hex_size + 1);
constexpr std::uint32_t positions_max = 0x70000000;

// `objects/info/commit-graphs/graph-<checksum>.graph` of the first directory that has it.
CommitGraphLayer open_layer(const object::Oid& checksum, const std::string& directory,
                            std::span<const std::string> all_directories) {
  const auto path = [&](const std::string& objects) {
    return fmt::format("{}/info/commit-graphs/graph-{}.graph", objects, checksum.hex());
  };
  std::string found = path(directory);
  for (const std::string& other : all_directories) {
    if (!base::path_exists(found)) found = path(other);
  }
  CommitGraphLayer layer(found);
  if (layer.checksum() != checksum) layer.throw_corrupt("its checksum is not the one in its name");
  return layer;
}

}  // namespace

std::optional<CommitGraphFile> CommitGraphFile::open(std::span<const std::string> objects_directories,
                                                     std::vector<std::string>& warnings) {
  for (const std::string& directory : objects_directories) {
    const std::string single = directory + "/info/commit-graph";
    for (const bool chain : {false, true}) {
      CommitGraphFile graph;
      try {
        if (chain) {
          graph.add_chain(directory, objects_directories, warnings);
        } else if (base::path_exists(single)) {
          graph.add_layer(CommitGraphLayer(single));
        }
        graph.check();
        if (graph.count() != 0) return graph;
      } catch (const Error& error) {
        warnings.push_back(error.message() + "; it is not used");
      }
    }
  }
  return std::nullopt;
}

void CommitGraphFile::add_chain(const std::string& directory, std::span<const std::string> all_directories,
                                std::vector<std::string>& warnings) {
  const std::string path = directory + "/info/commit-graphs/commit-graph-chain";
  std::string list;
  if (!base::read_file_if_there(path, list, chain_bytes_max)) return;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto checksum = object::Oid::from_hex(line);
    if (!checksum) {
      throw Error(ErrorCode::corrupt, fmt::format("'{}' is corrupt: '{}' is no checksum", path, line));
    }
    try {
      add_layer(open_layer(*checksum, directory, all_directories));
    } catch (const Error& error) {
      warnings.push_back(error.message() + "; only the layers below it are used");
      return;
    }
  }
}

void CommitGraphFile::add_layer(CommitGraphLayer layer) {
  const auto is_below = [](const object::Oid& checksum, const CommitGraphLayer& below) {
    return below.checksum() == checksum;
  };
  if (!std::equal(layer.base_checksums().begin(), layer.base_checksums().end(), layers_.begin(), layers_.end(),
                  is_below)) {
    layer.throw_corrupt("it was made for other layers below it");
  }
  if (layer.count() >= positions_max - count()) layer.throw_corrupt("the chain has too many commits");
  corrected_ = corrected_ && layer.has_corrected_dates();
  first_positions_.push_back(count() + layer.count());
  layers_.push_back(std::move(layer));
}

// Generations are laid out side by side first: parents lie anywhere, and this is all that opening costs beside the
// checksum.
void CommitGraphFile::check() const {
  std::vector<std::uint64_t> generations;
  std::vector<std::uint32_t> parents;
  generations.reserve(count());
  for (const CommitGraphLayer& layer : layers_) {
    for (std::uint32_t index = 0; index < layer.count(); ++index) {
      if (layer.topological_level(index) == 0) layer.throw_corrupt("it has no generations");
      generations.push_back(generation_in(layer, index));
    }
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const CommitGraphLayer& layer = layers_[i];
    for (std::uint32_t index = 0; index < layer.count(); ++index) {
      parents.clear();
      layer.append_parents(index, parents);
      for (const std::uint32_t parent : parents) {
        if (parent >= first_positions_[i + 1]) layer.throw_corrupt("a parent lies outside it");
        if (generations[parent] >= generations[first_positions_[i] + index]) {
          layer.throw_corrupt("a generation is not above a parent's");
        }
      }
    }
  }
}

std::pair<const CommitGraphLayer&, std::uint32_t> CommitGraphFile::at(std::uint32_t position) const {
  const auto next = std::upper_bound(first_positions_.begin() + 1, first_positions_.end() - 1, position);
  const auto number = static_cast<std::size_t>(next - first_positions_.begin() - 1);
  return {layers_[number], position - first_positions_[number]};
}

std::uint64_t CommitGraphFile::generation_in(const CommitGraphLayer& layer, std::uint32_t index) const {
  return corrected_ ? layer.corrected_date(index) : layer.topological_level(index);
}

std::optional<std::uint32_t> CommitGraphFile::find(const object::Oid& id) const {
  for (std::size_t i = layers_.size(); i > 0; --i) {
    if (const auto index = layers_[i - 1].find(id)) return first_positions_[i - 1] + *index;
  }
  return std::nullopt;
}

object::Oid CommitGraphFile::id_at(std::uint32_t position) const {
  const auto [layer, index] = at(position);
  return layer.id_at(index);
}

void CommitGraphFile::read_parents(std::uint32_t position, std::vector<std::uint32_t>& parents) const {
  const auto [layer, index] = at(position);
  parents.clear();
  layer.append_parents(index, parents);
}

std::int64_t CommitGraphFile::date(std::uint32_t position) const {
  const auto [layer, index] = at(position);
  return layer.date(index);
}

std::uint64_t CommitGraphFile::generation(std::uint32_t position) const {
  const auto [layer, index] = at(position);
  return generation_in(layer, index);
}

}  // namespace pfetch::graph
