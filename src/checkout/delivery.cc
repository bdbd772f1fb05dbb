#include "checkout/delivery.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/error.h"
#include "base/trace.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t link_target_max = 4095;  // bytes

// Directories that are kept open: an eighth of what the process may open, so that objects and files find their share.
std::size_t directories_kept() {
  constexpr std::size_t most = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return most;
  return std::clamp<std::size_t>(limit.rlim_cur / 8, 2, most);
}

}  // namespace

Delivery::Delivery(const DeliveryOptions& options, object::ObjectSource& source, base::Cancellation& cancel)
    : options_(options),
      source_(source),
      cancel_(cancel),
      directories_(options_.work_tree, options_.in_the_way, directories_kept()),
      files_(directories_, options_.times) {}

Delivery::Treatment Delivery::treatment_of(const FileSlot& file) const {
  const AttributeStack& attributes = *file.directory->attributes;
  if (file.mode == object::mode_symlink) return {};
  if (attributes.is_empty()) return {decide_conversion({}, options_.convert), {}};
  const std::string path = path_of(file);
  const Attributes found = attributes.query(path);
  try {
    return {decide_conversion(found, options_.convert), choose_filter(found, options_.drivers)};
  } catch (Error& error) {
    throw error.add_context(fmt::format("cannot check out '{}'", path));
  }
}

void Delivery::add_link(FileSlot& file, const base::SharedBytes& target) {
  if (target.size() > link_target_max) {
    throw Error(ErrorCode::io, fmt::format("unable to create symlink '{}': File name too long", path_of(file)));
  }
  const std::lock_guard lock(mutex_);
  links_.emplace_back(&file, target.text());
}

bool Delivery::keep_for_filter(FileSlot& file, const Treatment& treatment) {
  if (!treatment.filter) return false;
  const std::lock_guard lock(mutex_);
  filtered_.push_back(&file);
  return true;
}

base::Bytes Delivery::convert(const FileSlot& file, base::Bytes blob, const Conversion& conversion, std::string& text) {
  if (conversion.changes_no_blob()) return blob;
  const Converted converted = convert_to_worktree(base::as_text(blob), file.id(), conversion, text);
  if (converted.not_encoded) {
    const std::string path = path_of(file);
    const std::lock_guard lock(mutex_);
    encoding_errors_[path] = fmt::format("failed to encode '{}' from UTF-8 to {}", path, conversion.encoding);
  }
  return converted.changed ? base::as_bytes(text) : blob;
}

std::vector<std::string> Delivery::encoding_errors() const {
  std::vector<std::string> errors;
  const std::lock_guard lock(mutex_);
  for (const auto& [path, error] : encoding_errors_) errors.push_back(error);
  return errors;
}

void Delivery::write(FileSlot& file, base::Bytes blob, const Conversion& conversion) {
  std::string text;
  const base::Bytes content = convert(file, blob, conversion, text);
  note_written(file, files_.write(file, content), content.size());
}

void Delivery::write_streamed(FileSlot& file) {
  std::uint64_t total = 0;
  const Written written = files_.write_pieces(file, [&](const std::function<void(base::Bytes)>& put) {
    const bool there = source_.stream(file.id(), [&](base::Bytes piece) {
      cancel_.throw_if_requested();
      put(piece);
      total += piece.size();
    });
    if (!there) throw Error(ErrorCode::corrupt, fmt::format("missing blob {}", file.id().hex()));
  });
  note_written(file, written, total);
}

void Delivery::make_submodule(FileSlot& file) {
  file.written = directories_.make_submodule(*file.directory, file.name);
  if (!file.written) add_collided(file);
}

void Delivery::add_collided(FileSlot& file) {
  const std::lock_guard lock(mutex_);
  collided_.push_back(&file);
}

void Delivery::note_written(FileSlot& file, Written written, std::uint64_t bytes) {
  if (written == Written::collided) return add_collided(file);
  counters_.files_written.fetch_add(1, std::memory_order_relaxed);
  counters_.bytes_written.fetch_add(bytes, std::memory_order_relaxed);
}

std::size_t Delivery::write_links() {
  const base::TraceSpan span("symlinks");
  for (auto& [file, target] : links_) note_written(*file, files_.write_symlink(*file, target), target.size());
  return std::exchange(links_, {}).size();
}

}  // namespace pfetch::checkout
