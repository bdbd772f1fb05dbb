#include "repo/packed_refs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/ascii.h"
#include "base/error.h"
#include "object/ref_name.h"

namespace pfetch::repo {

using object::Oid;

namespace {

constexpr std::string_view header_start = "# pack-refs with:";
constexpr std::string_view full_header = "# pack-refs with: peeled fully-peeled sorted \n";
constexpr std::string_view sorted_header = "# pack-refs with: sorted \n";

FileStamp stamp_from(const struct stat& info) {
  constexpr std::int64_t second = 1'000'000'000;
  FileStamp stamp;
  stamp.there = true;
  stamp.device = info.st_dev;
  stamp.inode = info.st_ino;
  stamp.size_bytes = static_cast<std::uint64_t>(info.st_size);
  stamp.modified_ns = info.st_mtim.tv_sec * second + info.st_mtim.tv_nsec;
  stamp.changed_ns = info.st_ctim.tv_sec * second + info.st_ctim.tv_nsec;
  return stamp;
}

std::string without_symlink(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

FileStamp FileStamp::of_path(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? stamp_from(info) : FileStamp{};
}

FileStamp FileStamp::of_fd(int fd, const std::string& path) {
  return stamp_from(base::stat_fd(fd, path));
}

std::shared_ptr<const PackedRefs> PackedRefs::load(const std::string& path) {
  const std::shared_ptr<PackedRefs> refs(new PackedRefs());
  refs->path_ = path;
  const base::UniqueFd fd = base::open_if_there(path, O_RDONLY);
  if (!fd) {
    refs->sorted_ = true;
    return refs;
  }
  refs->stamp_ = FileStamp::of_fd(fd.get(), path);
  refs->map_ = base::MappedFile(fd.get(), path);
  refs->text_ = base::as_text(refs->map_.view());
  if (!refs->text_.empty() && refs->text_.back() != '\n') {
    const auto line = refs->text_.find_last_of('\n') + 1;  // npos + 1 is 0: there is one line only
    throw Error(ErrorCode::corrupt, fmt::format("unterminated line in {}: {}", path, refs->text_.substr(line, 80)));
  }
  refs->read_header();
  if (!refs->sorted_) refs->sort_lines();
  return refs;
}

void PackedRefs::read_header() {
  if (text_.empty() || text_.front() != '#') return;
  if (!text_.starts_with(header_start)) throw_unexpected(0);
  first_ = line_end(0) + 1;
  std::string_view traits = text_.substr(header_start.size(), first_ - 1 - header_start.size());
  while (!traits.empty()) {
    const auto space = std::min(traits.find(' '), traits.size());
    const std::string_view trait = traits.substr(0, space);
    sorted_ = sorted_ || trait == "sorted";
    peeled_ = peeled_ || trait == "peeled";
    fully_peeled_ = fully_peeled_ || trait == "fully-peeled";
    traits.remove_prefix(std::min(space + 1, traits.size()));
  }
}

void PackedRefs::sort_lines() {
  for (std::size_t offset = first_; offset < text_.size();) {
    order_.push_back(offset);
    parse(offset, offset);
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [this](std::size_t a, std::size_t b) { return name_at(a) < name_at(b); });
}

void PackedRefs::throw_unexpected(std::size_t offset) const {
  const std::size_t length = std::min<std::size_t>(line_end(offset) - offset, 200);
  throw Error(ErrorCode::corrupt, fmt::format("unexpected line in {}: {}", path_, text_.substr(offset, length)));
}

// The offset of the newline that ends the line; load() saw to it that there is one.
std::size_t PackedRefs::line_end(std::size_t offset) const {
  return text_.find('\n', offset);
}

// The start of the ref that the byte at `offset` belongs to, not before `low`.
std::size_t PackedRefs::line_start(std::size_t low, std::size_t offset) const {
  for (;;) {
    while (offset > low && text_[offset - 1] != '\n') --offset;
    if (offset == low || text_[offset] != '^') return offset;
    --offset;  // a peeled line belongs to the ref above it
  }
}

std::string_view PackedRefs::name_at(std::size_t offset) const {
  const std::size_t name = offset + Oid::hex_size + 1;
  const std::size_t end = line_end(offset);
  if (end <= name) throw_unexpected(offset);
  return text_.substr(name, end - name);
}

PackedRef PackedRefs::parse(std::size_t offset, std::size_t& after) const {
  PackedRef ref;
  ref.name = name_at(offset);
  const auto id = Oid::from_hex(text_.substr(offset, Oid::hex_size));
  if (!id || !base::is_space(text_[offset + Oid::hex_size])) throw_unexpected(offset);
  ref.id = *id;
  if (!object::is_valid_ref_name(ref.name, {.one_level = true})) {
    if (!object::is_safe_ref_name(ref.name)) {
      throw Error(ErrorCode::corrupt, fmt::format("packed refname is dangerous: {} (in {})", ref.name, path_));
    }
    ref.bad_name = true;
  }
  ref.peel_known = fully_peeled_ || (peeled_ && object::is_tag_name(ref.name));
  std::size_t end = line_end(offset) + 1;
  if (end < text_.size() && text_[end] == '^') {
    const std::size_t peeled_end = line_end(end);
    ref.peeled = Oid::from_hex(text_.substr(end + 1, peeled_end - end - 1));
    if (!ref.peeled) throw_unexpected(end);
    ref.peel_known = true;
    end = peeled_end + 1;
  }
  after = end;
  return ref;
}

std::size_t PackedRefs::lower_bound(std::string_view name, std::size_t* lines_read) const {
  const auto count = [lines_read] {
    if (lines_read != nullptr) ++*lines_read;
  };
  if (!sorted_) {
    const auto place =
        std::lower_bound(order_.begin(), order_.end(), name, [&](std::size_t offset, std::string_view n) {
          count();
          return name_at(offset) < n;
        });
    return static_cast<std::size_t>(place - order_.begin());
  }
  std::size_t low = first_;
  std::size_t high = text_.size();
  while (low < high) {
    const std::size_t middle = line_start(low, low + (high - low) / 2);
    count();
    if (name_at(middle) < name) {
      low = line_end(middle) + 1;
      if (low < high && text_[low] == '^') low = line_end(low) + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::optional<PackedRef> PackedRefs::find(std::string_view name, std::size_t* lines_read) const {
  const std::size_t place = lower_bound(name, lines_read);
  if (place >= (sorted_ ? text_.size() : order_.size())) return std::nullopt;
  const std::size_t offset = sorted_ ? place : order_[place];
  if (name_at(offset) != name) return std::nullopt;
  std::size_t after = 0;
  return parse(offset, after);
}

void PackedRefs::for_each(std::string_view prefix, const std::function<bool(const PackedRef&)>& visit) const {
  for (Cursor cursor(*this, prefix); !cursor.done(); cursor.next()) {
    if (!visit(cursor.current())) return;
  }
}

PackedRefs::Cursor::Cursor(const PackedRefs& refs, std::string_view prefix)
    : refs_(refs), prefix_(prefix), place_(refs.lower_bound(prefix, nullptr)) {
  read();
}

void PackedRefs::Cursor::next() {
  place_ = after_;
  read();
}

void PackedRefs::Cursor::read() {
  done_ = place_ >= (refs_.sorted_ ? refs_.text_.size() : refs_.order_.size());
  if (done_) return;
  if (refs_.sorted_) {
    current_ = refs_.parse(place_, after_);
  } else {
    std::size_t unused = 0;
    current_ = refs_.parse(refs_.order_[place_], unused);
    after_ = place_ + 1;
  }
  done_ = !current_.name.starts_with(prefix_);
}

namespace {

// Calls visit(name, value) for what the file will hold, in the order of names.
template <typename Visit>
void merge(const PackedRefs& old, const PackedChanges& changes, const Visit& visit) {
  PackedRefs::Cursor cursor(old, "");
  auto change = changes.begin();
  while (!cursor.done() || change != changes.end()) {
    const bool take_change =
        change != changes.end() && (cursor.done() || std::string_view(change->first) <= cursor.current().name);
    if (!take_change) {
      const PackedRef& ref = cursor.current();
      visit(ref.name, PackedValue{ref.id, ref.peeled, ref.peel_known});
      cursor.next();
      continue;
    }
    while (!cursor.done() && cursor.current().name == change->first) cursor.next();
    if (change->second) visit(std::string_view(change->first), *change->second);
    ++change;
  }
}

// Collects small writes.
class LineWriter {
 public:
  LineWriter(int fd, const std::string& path) : fd_(fd), path_(path) {}
  void add(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= flush_bytes) flush();
  }
  void flush() {
    base::write_all(fd_, base::as_bytes(buffer_), path_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t flush_bytes = 64 * 1024;
  int fd_;
  const std::string& path_;
  std::string buffer_;
};

}  // namespace

PackedRefsEditor PackedRefsEditor::take(const std::string& path, const PackedRefsOptions& options) {
  PackedRefsEditor editor;
  editor.options_ = options;
  editor.path_ = without_symlink(path);
  editor.lock_ = base::LockFile::take(editor.path_, options.mode, options.lock_wait_ms);
  options.shared_mode.adjust_path(editor.lock_.lock_path());
  editor.lock_.close();
  editor.current_ = PackedRefs::load(editor.path_);
  return editor;
}

void PackedRefsEditor::stage(const PackedChanges& changes) {
  const bool any = std::any_of(changes.begin(), changes.end(), [this](const auto& change) {
    return change.second.has_value() || current_->find(change.first).has_value();
  });
  if (!any) return;
  bool all_known = true;
  merge(*current_, changes, [&](std::string_view, const PackedValue& value) { all_known &= value.peel_known; });

  const std::string staged_path = path_ + ".new";
  ::unlink(staged_path.c_str());  // we hold the lock: what is left there is from a crash
  const base::UniqueFd fd = base::open_file(staged_path, O_WRONLY | O_CREAT | O_EXCL, options_.mode);
  staged_ = base::RemoveOnFailure(staged_path, base::RemoveOnFailure::What::file);
  options_.shared_mode.adjust_path(staged_path);
  LineWriter writer(fd.get(), staged_path);
  writer.add(all_known ? full_header : sorted_header);
  merge(*current_, changes, [&](std::string_view name, const PackedValue& value) {
    writer.add(value.id.hex());
    writer.add(" ");
    writer.add(name);
    writer.add("\n");
    if (value.peeled) writer.add("^" + value.peeled->hex() + "\n");
  });
  writer.flush();
  if (options_.sync) base::sync_fd(fd.get(), staged_path);
  has_staged_ = true;
}

void PackedRefsEditor::commit_staged() {
  if (!has_staged_) return;
  base::rename_file(path_ + ".new", path_);
  staged_.dismiss();
  has_staged_ = false;
  current_ = PackedRefs::load(path_);
}

void PackedRefsEditor::commit() {
  commit_staged();
  lock_.rollback();
}

void PackedRefsEditor::rollback() noexcept {
  staged_.remove_now();
  has_staged_ = false;
  lock_.rollback();
}

}  // namespace pfetch::repo
