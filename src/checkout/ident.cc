#include "checkout/ident.h"

#include "checkout/converted_size.h"

namespace pfetch::checkout {

namespace {

// `at` stands behind a '$'. The size of `Id: ...$` there; 0 for anything else.
std::size_t expansion_size(std::string_view text, std::size_t at) {
  constexpr std::string_view opening = "Id:";
  if (text.compare(at, opening.size(), opening) != 0) return 0;
  const std::size_t behind = at + opening.size();
  const std::size_t end = text.find_first_of("$\n", behind);
  return end == std::string_view::npos || text[end] == '\n' ? 0 : end + 1 - at;
}

// The same for `Id$`, and for an expansion that git would have written: one that holds inner spaces belongs to another
// version control system and is kept.
std::size_t keyword_size(std::string_view text, std::size_t at) {
  constexpr std::string_view keyword = "Id$";
  if (text.compare(at, keyword.size(), keyword) == 0) return keyword.size();
  const std::size_t size = expansion_size(text, at);
  if (size == 0) return 0;
  const std::string_view expansion = text.substr(at + keyword.size(), size - keyword.size() - 1);
  const std::size_t space = expansion.find(' ', 1);  // the first byte is the space that git writes
  return space != std::string_view::npos && space + 1 < expansion.size() ? 0 : size;
}

// Puts `replacement` for all that `size_at` gives a size to, behind a '$'.
bool replace_idents(std::string_view text, std::size_t (*size_at)(std::string_view, std::size_t),
                    std::string_view replacement, std::string& result, std::uint64_t result_bytes_max) {
  std::size_t from = 0;
  bool replaced = false;
  result.clear();
  for (std::size_t dollar = text.find('$'); dollar != std::string_view::npos;) {
    const std::size_t behind = dollar + 1;
    const std::size_t size = size_at(text, behind);
    if (size > 0) {
      result.append(text, from, behind - from).append(replacement);
      check_converted_size(result.size(), result_bytes_max);
      replaced = true;
      from = behind + size;
    }
    dollar = text.find('$', behind + size);
  }
  if (!replaced) return false;
  result.append(text, from);
  check_converted_size(result.size(), result_bytes_max);
  return true;
}

}  // namespace

bool expand_idents(std::string_view blob, const object::Oid& blob_id, std::string& result,
                   std::uint64_t result_bytes_max) {
  return replace_idents(blob, keyword_size, "Id: " + blob_id.hex() + " $", result, result_bytes_max);
}

bool collapse_idents(std::string_view file, std::string& result) {
  return replace_idents(file, expansion_size, "Id$", result, file.size());
}

}  // namespace pfetch::checkout
