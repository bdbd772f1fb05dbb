#include "store/loose.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace pfetch::store {

namespace {

constexpr std::size_t header_bytes_max = 32;  // "commit " and 19 digits are 27, with the NUL
constexpr std::size_t first_read_bytes = 4096;
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

[[noreturn]] void throw_bad(const char* why) {
  throw Error(ErrorCode::corrupt, why);
}

}  // namespace

std::string loose_object_path(const std::string& objects_directory, const object::Oid& id) {
  const std::string hex = id.hex();
  std::string path;
  path.reserve(objects_directory.size() + hex.size() + 2);
  path.append(objects_directory).append(1, '/').append(hex, 0, 2).append(1, '/').append(hex, 2);
  return path;
}

void find_loose_prefix(const std::string& objects_directory, const object::OidPrefix& prefix, std::size_t limit,
                       std::vector<object::Oid>& into) {
  if (prefix.digits < 2) return;
  const std::string folder = prefix.first.hex().substr(0, 2);
  std::vector<std::string> names;
  base::list_names(objects_directory + "/" + folder, names);
  for (const std::string& name : names) {
    if (limit == 0) return;
    const auto id = object::Oid::from_hex(folder + name);
    if (!id || !prefix.matches(*id)) continue;
    into.push_back(*id);
    --limit;
  }
}

std::optional<LooseObject> LooseObject::open(const std::string& path, InflateTools& tools) {
  const base::UniqueFd fd = base::open_if_there(path, O_RDONLY);
  if (!fd) return std::nullopt;
  LooseObject loose(base::MappedFile(fd.get(), path), tools);
  loose.read_header();
  return loose;
}

void LooseObject::read_header() {
  tools_->sure.reset();
  head_.resize(first_read_bytes);
  std::size_t filled = 0;
  while (filled < head_.size()) {
    const std::size_t more = inflate_more(std::span(head_).subspan(filled));
    if (more == 0) break;
    filled += more;
  }
  const std::string_view text = base::as_text(base::Bytes(head_).first(filled));
  const std::size_t end = text.substr(0, header_bytes_max).find('\0');
  const std::size_t space = text.substr(0, end).find(' ');
  if (end == std::string_view::npos || space == std::string_view::npos) throw_bad("its header cannot be read");
  const auto kind = object::kind_from_name(text.substr(0, space));
  if (!kind) throw_bad("its header names a type that does not exist");
  info_.kind = *kind;
  const std::string_view digits = text.substr(space + 1, end - space - 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), info_.size);
  const bool padded = digits.size() > 1 && digits.front() == '0';
  if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size() || padded || info_.size >> 63 != 0) {
    throw_bad("its header has a bad size");
  }
  if (info_.size / base::inflate_ratio_max > file_.view().size()) {
    throw_bad("it claims to be larger than what is stored can inflate to");
  }
  head_.resize(filled);
  head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(end + 1));
  if (head_.size() > info_.size) throw_bad("it is longer than its header says");
}

std::size_t LooseObject::inflate_more(std::span<std::byte> into) {
  if (ended_) return 0;
  for (;;) {
    const auto step = tools_->sure.step(file_.view().subspan(taken_), into);
    taken_ += step.taken;
    if (step.status == base::Inflater::Status::done) {
      ended_ = true;
      if (taken_ != file_.view().size()) throw_bad("there is garbage at its end");
      return step.produced;
    }
    const bool stuck = step.taken == 0 && step.produced == 0;
    if (step.status == base::Inflater::Status::damaged || stuck) throw_bad("it cannot be inflated");
    if (step.produced != 0) return step.produced;
  }
}

object::Object LooseObject::read() {
  const auto buffer = allocate_untouched(info_.size);
  std::copy(head_.begin(), head_.end(), buffer.get());
  std::size_t filled = head_.size();
  while (filled < info_.size) {
    const std::size_t more = inflate_more({buffer.get() + filled, info_.size - filled});
    if (more == 0) throw_bad("it is shorter than its header says");
    filled += more;
  }
  std::byte beyond{};
  if (inflate_more({&beyond, 1}) != 0) throw_bad("it is longer than its header says");
  return {info_.kind, base::SharedBytes(buffer, info_.size)};
}

void LooseObject::stream(const std::function<void(base::Bytes)>& piece) {
  std::uint64_t left = info_.size - head_.size();
  if (!head_.empty()) piece(head_);
  std::vector<std::byte> buffer(piece_bytes);
  while (const std::size_t more = inflate_more(buffer)) {
    if (more > left) throw_bad("it is longer than its header says");
    left -= more;
    piece(base::Bytes(buffer).first(more));
  }
  if (left != 0) throw_bad("it is shorter than its header says");
}

}  // namespace pfetch::store
