#include "object/commit_view.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"

namespace pfetch::object {

namespace {

constexpr std::string_view tree_word = "tree ";
constexpr std::string_view parent_word = "parent ";
constexpr std::size_t tree_line_size = tree_word.size() + Oid::hex_size + 1;
constexpr std::size_t parent_line_size = parent_word.size() + Oid::hex_size + 1;

[[noreturn]] void throw_malformed(const Oid& id, std::string_view why) {
  throw Error(ErrorCode::corrupt, fmt::format("commit {}: {}", id.hex(), why));
}

// The id of a line "<word><hex>\n" at the front of `text`; nullopt when it is anything else.
std::optional<Oid> id_line(std::string_view text, std::string_view word) {
  const std::size_t end = word.size() + Oid::hex_size;
  if (text.size() <= end || text.substr(0, word.size()) != word || text[end] != '\n') return std::nullopt;
  return Oid::from_hex(text.substr(word.size(), Oid::hex_size));
}

// What follows `word` on the first line of `text`, which must begin with it; empty otherwise.
std::string_view line_after(std::string_view text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return {};
  text.remove_prefix(word.size());
  return text.substr(0, text.find('\n'));
}

std::string_view skip_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
}

}  // namespace

CommitView::CommitView(const Oid& id, base::Bytes bytes) : bytes_(base::as_text(bytes)) {
  const auto tree = id_line(bytes_, tree_word);
  if (!tree) throw_malformed(id, "it does not begin with a valid tree line");
  tree_id_ = *tree;
  std::string_view rest = bytes_.substr(tree_line_size);
  while (rest.substr(0, parent_word.size()) == parent_word) {
    if (!id_line(rest, parent_word)) throw_malformed(id, "it has a bad parent line");
    ++parent_count_;
    rest.remove_prefix(parent_line_size);
  }
}

Oid CommitView::parent_id(std::size_t index) const {
  const std::size_t at = tree_line_size + index * parent_line_size + parent_word.size();
  return Oid::from_hex(bytes_.substr(at, Oid::hex_size)).value();
}

std::string_view CommitView::author() const {
  return line_after(bytes_.substr(tree_line_size + parent_count_ * parent_line_size), "author ");
}

std::string_view CommitView::committer() const {
  const std::string_view rest = bytes_.substr(tree_line_size + parent_count_ * parent_line_size);
  if (rest.substr(0, 7) != "author ") return {};
  return line_after(skip_line(rest), "committer ");
}

std::int64_t CommitView::committer_date() const {
  return date_of_identity(committer());
}

std::string_view CommitView::message() const {
  const std::size_t blank = bytes_.find("\n\n", tree_line_size - 1);
  return blank == std::string_view::npos ? std::string_view{} : bytes_.substr(blank + 2);
}

std::int64_t date_of_identity(std::string_view identity) {
  const std::size_t mail_end = identity.rfind('>');
  if (mail_end == std::string_view::npos) return 0;
  std::string_view rest = identity.substr(mail_end + 1);
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t value = 0;
  for (const char c : rest) {
    if (c < '0' || c > '9') break;
    if (value > (largest - (c - '0')) / 10) return largest;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace pfetch::object
