#include "checkout/clean.h"

#include <fmt/format.h>

#include <utility>

#include "base/ascii.h"
#include "checkout/encoding.h"
#include "checkout/ident.h"

namespace pfetch::checkout {

namespace {

// Whether `names` has `encoding`, in any case of letters.
bool lists_encoding(std::string_view names, std::string_view encoding) {
  const auto separates = [](char c) { return c == ',' || base::is_space(c); };
  for (std::size_t from = 0; from < names.size();) {
    std::size_t to = from;
    while (to < names.size() && !separates(names[to])) ++to;
    if (base::same_ignoring_case(names.substr(from, to - from), encoding)) return true;
    from = to + 1;
  }
  return false;
}

bool has_text_with_crlf(const IndexBlob& index_blob) {
  if (!index_blob) return false;
  const std::optional<std::string> blob = index_blob();
  if (!blob || blob->find('\r') == std::string::npos) return false;
  const TextStats stats = gather_text_stats(*blob);
  return stats.crlf > 0 && !stats.looks_binary();
}

// What is wrong with a file in `encoding`; empty: nothing.
std::string mark_trouble(std::string_view path, std::string_view file, const std::string& encoding) {
  switch (check_byte_order_mark(file, encoding)) {
    case ByteOrderMark::prohibited:
      return fmt::format("'{}' must not begin with a byte order mark when its working-tree-encoding is {}", path,
                         encoding);
    case ByteOrderMark::missing:
      return fmt::format("'{}' must begin with a byte order mark when its working-tree-encoding is {}", path, encoding);
    case ByteOrderMark::right:
      break;
  }
  return {};
}

// A file on its way; each step looks at what the one before has left.
class Cleaning {
 public:
  Cleaning(std::string_view path, std::string_view file, const CleanRules& rules, Cleaned& cleaned)
      : path_(path), file_(file), rules_(rules), cleaned_(cleaned) {}

  void decode(const std::string& encoding, std::uint64_t result_bytes_max) {
    if (encoding.empty() || text().empty()) return;
    std::string trouble = mark_trouble(path_, text(), encoding);
    if (trouble.empty() && !decode_to_utf8(text(), encoding, next_, result_bytes_max)) {
      trouble = fmt::format("failed to encode '{}' from {} to UTF-8", path_, encoding);
    }
    if (trouble.empty() && rules_.to_store && !survives(encoding)) {
      trouble = fmt::format("'{}' is not the same when it is encoded from {} to UTF-8 and back", path_, encoding);
    }
    if (trouble.empty()) {
      take_next();
    } else if (rules_.to_store) {
      cleaned_.refusal = std::move(trouble);
    } else {
      cleaned_.errors.push_back(std::move(trouble));
    }
  }

  void convert_line_ends(const Conversion& conversion, const IndexBlob& index_blob) {
    if (conversion.line_ends == Conversion::LineEnds::keep || text().empty()) return;
    const TextStats stats = gather_text_stats(text());
    const bool guesses = conversion.guesses_text();
    if (guesses && stats.looks_binary()) return;
    const bool gets_lf = stats.crlf > 0 && !(guesses && has_text_with_crlf(index_blob));
    if (rules_.to_store) judge_line_ends(stats, gets_lf, conversion);
    if (gets_lf && !cleaned_.refusal) reduce_line_ends();
  }

  void collapse_idents() {
    if (checkout::collapse_idents(text(), next_)) take_next();
  }

 private:
  std::string_view text() const { return cleaned_.blob(file_); }

  void take_next() {
    cleaned_.bytes.swap(next_);
    cleaned_.changed = true;
  }

  // `next_` is the text that was decoded.
  bool survives(const std::string& encoding) const {
    if (!lists_encoding(rules_.round_trip_encodings, encoding)) return true;
    std::string again;
    return encode_from_utf8(next_, encoding, again, converted_bytes_max) && again == text();
  }

  // Would storing this and checking it out change the line ends?
  void judge_line_ends(const TextStats& file, bool gets_lf, const Conversion& conversion) {
    TextStats after = file;
    if (gets_lf) after.lone_lf += std::exchange(after.crlf, 0);
    if (conversion.gives_crlf(after)) after.crlf += std::exchange(after.lone_lf, 0);
    const char* change = nullptr;
    if (file.crlf > 0 && after.crlf == 0) {
      change = "CRLF will be replaced by LF";
    } else if (file.lone_lf > 0 && after.lone_lf == 0) {
      change = "LF will be replaced by CRLF";
    }
    if (change == nullptr || rules_.safe_crlf == CleanRules::SafeCrlf::off) return;
    std::string words = fmt::format("in '{}', {} by the next checkout", path_, change);
    if (rules_.safe_crlf == CleanRules::SafeCrlf::refuse) {
      cleaned_.refusal = words + ", which core.safecrlf forbids";
    } else {
      cleaned_.warnings.push_back(std::move(words));
    }
  }

  void reduce_line_ends() {
    const std::string_view from = text();
    next_.clear();
    next_.reserve(from.size());
    std::size_t begin = 0;
    for (std::size_t at = from.find("\r\n"); at != std::string_view::npos; at = from.find("\r\n", at + 2)) {
      next_.append(from, begin, at - begin);
      begin = at + 1;
    }
    next_.append(from, begin);
    take_next();
  }

  const std::string_view path_;
  const std::string_view file_;
  const CleanRules& rules_;
  Cleaned& cleaned_;
  std::string next_;
};

}  // namespace

void convert_to_repository(std::string_view path, std::string_view file, const Conversion& conversion,
                           const CleanRules& rules, const IndexBlob& index_blob, Cleaned& so_far,
                           std::uint64_t result_bytes_max) {
  Cleaning cleaning(path, file, rules, so_far);
  cleaning.decode(conversion.encoding, result_bytes_max);
  if (!so_far.refusal) cleaning.convert_line_ends(conversion, index_blob);
  if (!so_far.refusal && conversion.ident) cleaning.collapse_idents();
}

}  // namespace pfetch::checkout
