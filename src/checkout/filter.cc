#include "checkout/filter.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "checkout/encoding.h"
#include "checkout/ident.h"

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
  const LineEnds crlf = rule == TextRule::automatic ? LineEnds::crlf_if_text : LineEnds::crlf;
  const LineEnds lf = rule == TextRule::automatic ? LineEnds::lf_if_text : LineEnds::lf;
  if (rule == TextRule::binary) return LineEnds::keep;
  if (attributes.eol.is_value("lf")) return lf;
  if (attributes.eol.is_value("crlf")) return crlf;
  switch (rule) {
    case TextRule::text:
    case TextRule::automatic:
      return text_gets_crlf(config) ? crlf : lf;
    case TextRule::input:
      return LineEnds::lf;
    case TextRule::unspecified:
      if (config.auto_crlf == ConvertConfig::AutoCrlf::on) return LineEnds::crlf_if_text;
      if (config.auto_crlf == ConvertConfig::AutoCrlf::input) return LineEnds::lf_if_text;
      break;
    case TextRule::binary:
      break;
  }
  return LineEnds::keep;
}

// True if `blob` holds an LF without a CR before it.
bool has_lone_lf(std::string_view blob) {
  for (std::size_t at = blob.find('\n'); at != std::string_view::npos; at = blob.find('\n', at + 1)) {
    if (at == 0 || blob[at - 1] != '\r') return true;
  }
  return false;
}

bool wants_crlf(std::string_view blob, const Conversion& conversion) {
  if (!conversion.writes_crlf()) return false;
  return conversion.guesses_text() ? conversion.gives_crlf(gather_text_stats(blob)) : has_lone_lf(blob);
}

void expand_line_ends(std::string_view blob, std::string& result, std::uint64_t result_bytes_max) {
  const auto line_feeds = static_cast<std::uint64_t>(std::count(blob.begin(), blob.end(), '\n'));
  check_converted_size(blob.size() + line_feeds, result_bytes_max);
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

bool Conversion::gives_crlf(const TextStats& blob) const {
  if (!writes_crlf() || blob.lone_lf == 0) return false;
  return !guesses_text() || (blob.lone_cr == 0 && blob.crlf == 0 && !blob.looks_binary());
}

Conversion decide_conversion(const Attributes& attributes, const ConvertConfig& config) {
  Conversion conversion{decide_line_ends(attributes, config), attributes.ident.is(Kind::set), {}};
  const AttributeState& encoding = attributes.working_tree_encoding;
  if (encoding.is(Kind::set)) throw Error(ErrorCode::config, "true/false are no valid working-tree-encodings");
  if (encoding.is(Kind::value) && !is_utf8_name(encoding.value)) conversion.encoding = encoding.value;
  return conversion;
}

FilterChoice choose_filter(const Attributes& attributes, const FilterDrivers& drivers, FilterDirection direction) {
  if (!attributes.filter.is(Kind::value)) return {};
  const auto found = drivers.find(attributes.filter.value);
  if (found == drivers.end()) return {};
  const FilterDriver& driver = found->second;
  const auto chosen = [&](FilterChoice::Kind kind) { return FilterChoice{kind, &found->first, &driver}; };
  if (driver.process && !driver.process->empty()) return chosen(FilterChoice::Kind::process);
  const bool cleans = direction == FilterDirection::clean;
  const std::optional<std::string>& program = cleans ? driver.clean : driver.smudge;
  if (!driver.process && program && !program->empty()) return chosen(FilterChoice::Kind::program);
  const bool is_filter = cleans || driver.process || driver.smudge || driver.clean;
  return driver.required && is_filter ? chosen(FilterChoice::Kind::missing) : FilterChoice{};
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
  if (wants_crlf(so_far(), conversion)) {
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
