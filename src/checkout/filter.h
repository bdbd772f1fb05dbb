// Conversion on the way from a blob to a file: line endings and `$Id$` (gitattributes(5), "Effects").
//
// The decision depends on attributes and configuration only, and is made once for a path; carrying it out needs the
// blob's bytes. Filter programs and working-tree encodings are not built: `unsupported` names them, so that a
// repository that asks for one is refused and never written wrong.
//
// Pure, thread safe. The whole blob and the whole result are in memory at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "checkout/attributes.h"
#include "object/oid.h"

namespace pfetch::checkout {

struct ConvertConfig {
  enum class AutoCrlf : std::uint8_t { off, on, input };
  enum class Eol : std::uint8_t { native, lf, crlf };  // native is lf on every system pfetch runs on

  AutoCrlf auto_crlf = AutoCrlf::off;  // core.autocrlf
  Eol eol = Eol::native;               // core.eol
};

struct Conversion {
  enum class LineEnds : std::uint8_t {
    keep,
    crlf,          // every LF gets its CR
    crlf_if_text,  // the same, but only in a blob that looks like text and holds no CR at all
  };
  LineEnds line_ends = LineEnds::keep;
  bool ident = false;  // $Id$ is expanded

  bool none() const { return line_ends == LineEnds::keep && !ident; }
  friend bool operator==(const Conversion&, const Conversion&) = default;
};

Conversion decide_conversion(const Attributes& attributes, const ConvertConfig& config);

// A configured filter driver: which of filter.<name>.* have a value that is not empty (or, for required, true).
struct FilterDriver {
  bool smudge = false;
  bool process = false;
  bool required = false;
};
using FilterDrivers = std::map<std::string, FilterDriver, std::less<>>;  // by name

// Names what these attributes ask for and pfetch cannot do yet (or git refuses too), for example
// "filter 'lfs' (configured as filter.lfs.process) is not supported yet". A filter without a configured driver is no
// filter, as in git.
std::optional<std::string> unsupported(const Attributes& attributes, const FilterDrivers& drivers);

// Bytes; a converted blob may grow (an LF to two bytes, a `$Id$` to 47).
inline constexpr std::uint64_t converted_bytes_max = std::uint64_t{1} << 32;

// Writes the converted blob into `result` and returns true, or returns false when it stays as it is (`result` is then
// unspecified). `blob_id` is the blob's own id. Throws ErrorCode::refused when the result would exceed
// `result_bytes_max`.
bool convert_to_worktree(std::string_view blob, const object::Oid& blob_id, Conversion conversion, std::string& result,
                         std::uint64_t result_bytes_max = converted_bytes_max);

// Git's guess at what is text. Counts are in bytes, except line ends.
struct TextStats {
  std::uint64_t lone_cr = 0;
  std::uint64_t lone_lf = 0;
  std::uint64_t crlf = 0;
  std::uint64_t nul = 0;
  std::uint64_t printable = 0;
  std::uint64_t non_printable = 0;

  bool looks_binary() const { return lone_cr > 0 || nul > 0 || printable / 128 < non_printable; }
};
TextStats gather_text_stats(std::string_view blob);

}  // namespace pfetch::checkout
