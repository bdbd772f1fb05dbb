#include "object/tag_view.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pfetch::object {

namespace {

[[noreturn]] void throw_malformed(const Oid& id, std::string_view why) {
  throw Error(ErrorCode::corrupt, fmt::format("tag {}: {}", id.hex(), why));
}

// Takes a line "<word><value>\n" off the front of `text` and gives its value; nullopt when it is anything else.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return std::nullopt;
  const std::size_t end = text.find('\n', word.size());
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view value = text.substr(word.size(), end - word.size());
  text.remove_prefix(end + 1);
  return value;
}

}  // namespace

TagView::TagView(const Oid& id, base::Bytes bytes) : rest_(base::as_text(bytes)) {
  const auto target = take_line(rest_, "object ");
  const auto target_id = target ? Oid::from_hex(*target) : std::nullopt;
  if (!target_id) throw_malformed(id, "it does not begin with a valid object line");
  target_id_ = *target_id;
  const auto type = take_line(rest_, "type ");
  const auto kind = type ? kind_from_name(*type) : std::nullopt;
  if (!kind) throw_malformed(id, "it has no valid type line");
  target_kind_ = *kind;
  const auto name = take_line(rest_, "tag ");
  if (!name) throw_malformed(id, "it has no tag line");
  name_ = *name;
}

std::string_view TagView::tagger() const {
  std::string_view rest = rest_;
  return take_line(rest, "tagger ").value_or(std::string_view{});
}

std::string_view TagView::message() const {
  if (!rest_.empty() && rest_.front() == '\n') return rest_.substr(1);
  const std::size_t blank = rest_.find("\n\n");
  return blank == std::string_view::npos ? std::string_view{} : rest_.substr(blank + 2);
}

}  // namespace pfetch::object
