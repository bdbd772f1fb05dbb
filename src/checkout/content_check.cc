#include "checkout/content_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/sha1.h"
#include "object/hasher.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t piece_bytes = 64 << 10;

object::Oid blob_id(base::Bytes content) {
  return object::Oid::from_raw(
      base::sha1_checked(object::HashHead(object::Kind::blob, content.size()).view(), content).digest.data());
}

std::optional<object::Oid> id_of_link(int directory, const std::string& leaf) {
  std::string target(4096, '\0');
  const ssize_t size = ::readlinkat(directory, leaf.c_str(), target.data(), target.size());
  if (size < 0) return std::nullopt;
  return blob_id(base::as_bytes(std::string_view(target).substr(0, static_cast<std::size_t>(size))));
}

// In bounded memory; nullopt when the file has another size by now.
std::optional<object::Oid> id_as_it_is(int fd, std::uint64_t size, const std::string& path) {
  base::Sha1 hash;
  hash.update(object::HashHead(object::Kind::blob, size).view());
  std::vector<std::byte> piece(std::min<std::uint64_t>(piece_bytes, size + 1));
  std::uint64_t total = 0;
  for (std::size_t got; (got = base::read_some(fd, piece, path)) != 0; total += got) {
    if (total + got > size) return std::nullopt;
    hash.update({piece.data(), got});
  }
  if (total != size) return std::nullopt;
  return object::Oid::from_raw(hash.finish().digest.data());
}

}  // namespace

bool ContentCheck::same(const IndexEntry& entry, int directory, const std::string& leaf, const struct stat& found) {
  if (S_ISDIR(found.st_mode)) {
    const auto head = parts_.submodule_head(std::string(entry.path));
    return !head || *head == entry.id;
  }
  const auto id = S_ISLNK(found.st_mode) ? id_of_link(directory, leaf) : id_of_file(entry, directory, leaf, found);
  return id && *id == entry.id;
}

std::optional<object::Oid> ContentCheck::id_of_file(const IndexEntry& entry, int directory, const std::string& leaf,
                                                    const struct stat& found) {
  const base::UniqueFd fd(::openat(directory, leaf.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return std::nullopt;
  const std::string path(entry.path);
  const auto size = static_cast<std::uint64_t>(found.st_size);
  // A link that is kept as a file has its target as content, which nothing converts.
  if (object::canonical_mode(entry.mode) == object::mode_symlink) return id_as_it_is(fd.get(), size, path);
  const Attributes attributes = parts_.attributes.query(path);
  if (attributes == Attributes{} && !parts_.converts_all) return id_as_it_is(fd.get(), size, path);
  check_converted_size(size, converted_bytes_max);
  const std::string content = base::read_up_to(fd.get(), size, path);
  const auto blob_in_index = [&]() -> std::optional<std::string> {
    const auto blob = parts_.objects.read(entry.id);
    if (!blob || blob->kind != object::Kind::blob) return std::nullopt;
    return std::string(blob->bytes.text());
  };
  const Cleaned cleaned = parts_.cleaner.clean({path, content, attributes, blob_in_index});
  if (cleaned.refusal) return std::nullopt;
  return blob_id(base::as_bytes(cleaned.blob(content)));
}

}  // namespace pfetch::checkout
