#include "checkout/index_extensions.h"

#include "base/error.h"
#include "checkout/index_layout.h"
#include "graph/ewah.h"
#include "object/oid.h"

namespace pfetch::checkout {
namespace {

constexpr std::size_t time_bytes = 8;
constexpr std::size_t stat_bytes = 9 * 4;

std::string be32(std::uint64_t value) {
  std::string bytes(4, '\0');
  base::store_be32(bytes.data(), static_cast<std::uint32_t>(value));
  return bytes;
}

// The version and the token at the front of `rest`, which is moved behind them.
std::optional<FileSystemMonitor> take_monitor(base::Bytes& rest) {
  if (rest.size() < 4) return std::nullopt;
  FileSystemMonitor monitor;
  monitor.version = base::load_be32(rest.data());
  const std::string_view text = base::as_text(rest).substr(4);
  const std::size_t size = monitor.version == 1 ? time_bytes : text.find('\0');
  if (monitor.version < 1 || monitor.version > 2 || size > text.size()) return std::nullopt;
  monitor.since = text.substr(0, size);
  rest = rest.subspan(4 + size + (monitor.version == 1 ? 0 : 1));
  return monitor;
}

// The bitmap that ends an FSMN extension, of `count` bits.
graph::FlatBits read_dirty_bits(base::Bytes content, std::size_t count) {
  if (content.size() < 4) throw Error(ErrorCode::corrupt, "a bitmap is cut short");
  const std::uint32_t size = base::load_be32(content.data());
  content = content.subspan(4);
  const base::Bytes words = graph::take_ewah_words(content);
  if (size != 12 + words.size() || !content.empty()) throw Error(ErrorCode::corrupt, "a bitmap has a wrong size");
  graph::FlatBits dirty(static_cast<std::uint32_t>(count));
  dirty.flip(words);
  return dirty;
}

}  // namespace

std::optional<FileSystemMonitor> apply_fsmonitor(base::Bytes content, std::span<IndexEntry> entries) {
  for (IndexEntry& entry : entries) entry.fsmonitor_valid = false;
  const auto monitor = take_monitor(content);
  if (!monitor) return std::nullopt;
  try {
    const graph::FlatBits dirty = read_dirty_bits(content, entries.size());
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      const bool is_gitlink = object::canonical_mode(entries[i].mode) == object::mode_gitlink;
      entries[i].fsmonitor_valid = !dirty[i] && !is_gitlink;
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return monitor;
}

std::string fsmonitor_content(const FileSystemMonitor& monitor, std::span<const IndexEntry> entries) {
  auto count = static_cast<std::uint32_t>(entries.size());
  while (count > 0 && entries[count - 1].fsmonitor_valid) --count;  // git ends the bitmap with its last set bit
  graph::FlatBits dirty(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!entries[i].fsmonitor_valid) dirty.set(i);
  }
  const std::string bitmap = dirty.to_ewah();
  std::string content = be32(monitor.version);
  content += monitor.since;
  if (monitor.version != 1) content += '\0';
  content += be32(bitmap.size());
  content += bitmap;
  return content;
}

std::string emptied_untracked_cache(base::Bytes content) {
  // The environment, the stat data and ids of two exclude files, flags, the name of exclude files in directories; then
  // the number of directories.
  try {
    base::Bytes rest = content;
    const std::uint32_t environment_size = take_varint(rest);
    constexpr std::size_t fixed = 2 * stat_bytes + 4 + 2 * object::Oid::raw_size;
    if (environment_size > rest.size() || fixed > rest.size() - environment_size) return {};
    const std::string_view text = base::as_text(content);
    const std::size_t before_name = content.size() - rest.size() + environment_size + fixed;
    const std::size_t name_end = text.find('\0', before_name);
    if (name_end == std::string_view::npos) return {};
    std::string emptied(text.substr(0, name_end + 1));
    emptied += '\0';  // no directories
    return emptied;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace pfetch::checkout
