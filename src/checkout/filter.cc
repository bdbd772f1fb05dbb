#include "checkout/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "checkout/encoding.h"

namespace pfetch::checkout {
namespace {

using Kind = AttributeState::Kind;

// What `text`, or else the older `crlf`, says.
enum class TextRule : std::uint8_t { unspecified, binary, text, input, automatic };

TextRule text_rule(const AttributeState& state) {
  if (state.is(Kind::set)) return TextRule::text;
  if (state.is(Kind::unset)) return TextRule::binary;
  if (state.is_value("input")) return TextRule::input;
  if (state.is_value("auto")) return TextRule::automatic;
  return TextRule::unspecified;
}

// The line ending that text gets when no `eol` attribute says it.
bool text_gets_crlf(const ConvertConfig& config) {
  if (config.auto_crlf == ConvertConfig::AutoCrlf::on) return true;
  if (config.auto_crlf == ConvertConfig::AutoCrlf::input) return false;
  return config.eol == ConvertConfig::Eol::crlf;
}

Conversion::LineEnds decide_line_ends(const Attributes& attributes, const ConvertConfig& config) {
  using LineEnds = Conversion::LineEnds;
  TextRule rule = text_rule(attributes.text);
  if (rule == TextRule::unspecified) rule = text_rule(attributes.crlf);
  if (rule == TextRule::binary) return LineEnds::keep;
  const LineEnds crlf = rule == TextRule::automatic ? LineEnds::crlf_if_text : LineEnds::crlf;
  if (attributes.eol.is_value("lf")) return LineEnds::keep;
  if (attributes.eol.is_value("crlf")) return crlf;
  switch (rule) {
    case TextRule::text:
    case TextRule::automatic:
      return text_gets_crlf(config) ? crlf : LineEnds::keep;
    case TextRule::unspecified:
      return config.auto_crlf == ConvertConfig::AutoCrlf::on ? LineEnds::crlf_if_text : LineEnds::keep;
    case TextRule::input:
    case TextRule::binary:
      break;
  }
  return LineEnds::keep;
}

void check_size(std::uint64_t size, std::uint64_t size_max) {
  if (size <= size_max) return;
  throw Error(ErrorCode::refused, fmt::format("the converted file would be larger than {} bytes", size_max));
}

// True if `blob` holds an LF without a CR before it.
bool has_lone_lf(std::string_view blob) {
  for (std::size_t at = blob.find('\n'); at != std::string_view::npos; at = blob.find('\n', at + 1)) {
    if (at == 0 || blob[at - 1] != '\r') return true;
  }
  return false;
}

bool wants_crlf(std::string_view blob, Conversion::LineEnds line_ends) {
  if (line_ends == Conversion::LineEnds::keep) return false;
  if (line_ends == Conversion::LineEnds::crlf) return has_lone_lf(blob);
  const TextStats stats = gather_text_stats(blob);
  return stats.lone_lf > 0 && stats.lone_cr == 0 && stats.crlf == 0 && !stats.looks_binary();
}

void expand_line_ends(std::string_view blob, std::string& result, std::uint64_t result_bytes_max) {
  const auto line_feeds = static_cast<std::uint64_t>(std::count(blob.begin(), blob.end(), '\n'));
  check_size(blob.size() + line_feeds, result_bytes_max);
  result.clear();
  result.reserve(blob.size() + line_feeds);
  std::size_t from = 0;
  for (std::size_t at = blob.find('\n'); at != std::string_view::npos; at = blob.find('\n', at + 1)) {
    if (at > 0 && blob[at - 1] == '\r') continue;
    result.append(blob, from, at - from).append("\r\n");
    from = at + 1;
  }
  result.append(blob, from);
}

// `at` stands behind a '$'. The size of `Id$` or of an expansion `Id: ...$` that git would have written; 0 for anything
// else: an expansion that holds a line end or inner spaces belongs to another version control system and is kept.
std::size_t ident_size(std::string_view blob, std::size_t at) {
  constexpr std::string_view keyword = "Id";
  if (blob.size() - at <= keyword.size() || blob.compare(at, keyword.size(), keyword) != 0) return 0;
  if (blob[at + 2] == '$') return 3;
  if (blob[at + 2] != ':') return 0;
  const std::size_t dollar = blob.find('$', at + 3);
  if (dollar == std::string_view::npos) return 0;
  const std::string_view expansion = blob.substr(at + 3, dollar - (at + 3));
  if (expansion.find('\n') != std::string_view::npos) return 0;
  const std::size_t space = expansion.find(' ', 1);  // the first byte is the space that git writes
  if (space != std::string_view::npos && space + 1 < expansion.size()) return 0;
  return dollar + 1 - at;
}

bool expand_idents(std::string_view blob, const object::Oid& blob_id, std::string& result,
                   std::uint64_t result_bytes_max) {
  const std::string expansion = "Id: " + blob_id.hex() + " $";
  std::size_t from = 0;
  bool expanded = false;
  result.clear();
  for (std::size_t dollar = blob.find('$'); dollar != std::string_view::npos;) {
    const std::size_t behind = dollar + 1;
    const std::size_t size = ident_size(blob, behind);
    if (size > 0) {
      result.append(blob, from, behind - from).append(expansion);
      check_size(result.size(), result_bytes_max);
      expanded = true;
      from = behind + size;
    }
    dollar = blob.find('$', behind + size);
  }
  if (!expanded) return false;
  result.append(blob, from);
  check_size(result.size(), result_bytes_max);
  return true;
}

enum class ByteClass : std::uint8_t { printable, non_printable, nul, cr, lf };

constexpr std::array<ByteClass, 256> byte_classes = [] {
  std::array<ByteClass, 256> table{};
  for (unsigned c = 0; c < 32; ++c) table[c] = ByteClass::non_printable;
  for (const char c : {'\b', '\t', '\033', '\f'}) table[static_cast<unsigned char>(c)] = ByteClass::printable;
  table[0] = ByteClass::nul;
  table['\r'] = ByteClass::cr;
  table['\n'] = ByteClass::lf;
  table[127] = ByteClass::non_printable;
  return table;
}();

}  // namespace

TextStats gather_text_stats(std::string_view blob) {
  std::array<std::uint64_t, 5> counts{};
  for (const char c : blob) ++counts[static_cast<std::size_t>(byte_classes[static_cast<unsigned char>(c)])];
  const auto count = [&](ByteClass of) { return counts[static_cast<std::size_t>(of)]; };
  TextStats stats;
  if (count(ByteClass::cr) > 0) {
    for (std::size_t at = blob.find("\r\n"); at != std::string_view::npos; at = blob.find("\r\n", at + 2)) ++stats.crlf;
  }
  stats.lone_cr = count(ByteClass::cr) - stats.crlf;
  stats.lone_lf = count(ByteClass::lf) - stats.crlf;
  stats.nul = count(ByteClass::nul);
  stats.printable = count(ByteClass::printable);
  stats.non_printable = count(ByteClass::non_printable) + stats.nul;
  // The end-of-file mark of old systems is no sign of a binary.
  if (!blob.empty() && blob.back() == '\032') --stats.non_printable;
  return stats;
}

Conversion decide_conversion(const Attributes& attributes, const ConvertConfig& config) {
  Conversion conversion{decide_line_ends(attributes, config), attributes.ident.is(Kind::set), {}};
  const AttributeState& encoding = attributes.working_tree_encoding;
  if (encoding.is(Kind::set)) throw Error(ErrorCode::config, "true/false are no valid working-tree-encodings");
  if (encoding.is(Kind::value) && !is_utf8_name(encoding.value)) conversion.encoding = encoding.value;
  return conversion;
}

FilterChoice choose_filter(const Attributes& attributes, const FilterDrivers& drivers) {
  if (!attributes.filter.is(Kind::value)) return {};
  const auto found = drivers.find(attributes.filter.value);
  if (found == drivers.end()) return {};
  const FilterDriver& driver = found->second;
  const auto chosen = [&](FilterChoice::Kind kind) { return FilterChoice{kind, &found->first, &driver}; };
  if (driver.process && !driver.process->empty()) return chosen(FilterChoice::Kind::process);
  if (!driver.process && driver.smudge && !driver.smudge->empty()) return chosen(FilterChoice::Kind::program);
  const bool any_command = driver.process || driver.smudge || driver.cleans;
  return driver.required && any_command ? chosen(FilterChoice::Kind::missing) : FilterChoice{};
}

Converted convert_to_worktree(std::string_view blob, const object::Oid& blob_id, const Conversion& conversion,
                              std::string& result, std::uint64_t result_bytes_max) {
  Converted converted;
  std::string next;
  const auto so_far = [&] { return converted.changed ? std::string_view(result) : blob; };
  const auto take_next = [&] {
    result.swap(next);
    converted.changed = true;
  };
  if (conversion.ident && expand_idents(blob, blob_id, next, result_bytes_max)) take_next();
  if (wants_crlf(so_far(), conversion.line_ends)) {
    expand_line_ends(so_far(), next, result_bytes_max);
    take_next();
  }
  if (!conversion.encoding.empty() && !so_far().empty()) {
    converted.not_encoded = !encode_from_utf8(so_far(), conversion.encoding, next, result_bytes_max);
    if (!converted.not_encoded) take_next();
  }
  return converted;
}

}  // namespace pfetch::checkout
