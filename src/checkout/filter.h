// Conversion on the way from a blob to a file: `$Id$`, line endings, the encoding of text, and last a filter, which is
// a program of the user's (gitattributes(5), "Effects").
//
// The decision depends on attributes and configuration only, is made once for a path, and holds for the way back, too
// (checkout/clean). `convert_to_worktree` carries out all but the filter, which is only named here;
// checkout/filter_program and checkout/filter_process run it.
//
// Pure, thread safe. The whole blob and the whole result are in memory at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "checkout/attributes.h"
#include "checkout/converted_size.h"
#include "object/oid.h"

namespace pfetch::checkout {

struct ConvertConfig {
  enum class AutoCrlf : std::uint8_t { off, on, input };
  enum class Eol : std::uint8_t { native, lf, crlf };  // native is lf on every system pfetch runs on

  AutoCrlf auto_crlf = AutoCrlf::off;  // core.autocrlf
  Eol eol = Eol::native;               // core.eol
};

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

struct Conversion {
  // Those of the file. A blob's text has LF for all but `keep`.
  enum class LineEnds : std::uint8_t {
    keep,          // no text
    lf,            // as it is stored
    lf_if_text,    // the same; what looks like text counts as text
    crlf,          // every LF gets its CR
    crlf_if_text,  // the same, but only in a blob that looks like text and holds no CR at all
  };
  LineEnds line_ends = LineEnds::keep;
  bool ident = false;    // $Id$ is expanded
  std::string encoding;  // of the file; empty: as it is stored

  bool writes_crlf() const { return line_ends == LineEnds::crlf || line_ends == LineEnds::crlf_if_text; }
  bool guesses_text() const { return line_ends == LineEnds::lf_if_text || line_ends == LineEnds::crlf_if_text; }
  // Whether the LFs of such a blob get their CR.
  bool gives_crlf(const TextStats& blob) const;
  // Nothing changes on the way to the file.
  bool changes_no_blob() const { return !writes_crlf() && !ident && encoding.empty(); }
  friend bool operator==(const Conversion&, const Conversion&) = default;
};

// Throws ErrorCode::config for a working-tree-encoding without a value.
Conversion decide_conversion(const Attributes& attributes, const ConvertConfig& config);

// A configured filter driver. A setting that is not there is nullopt, one without text is empty: an empty `process`
// still hides the other two. As in git's checkout, a driver without any command is no filter on the way to the
// worktree, even if it is required; on the way back it is.
struct FilterDriver {
  std::optional<std::string> smudge;   // filter.<name>.smudge, a command for one file
  std::optional<std::string> process;  // filter.<name>.process, a command for all files
  bool required = false;               // filter.<name>.required: a file that it cannot filter is an error
  std::optional<std::string> clean{};  // filter.<name>.clean, a command for one file
};
using FilterDrivers = std::map<std::string, FilterDriver, std::less<>>;  // by name

enum class FilterDirection : std::uint8_t {
  smudge,  // to the worktree
  clean,   // to the repository
};

struct FilterChoice {
  enum class Kind : std::uint8_t {
    none,     // no filter is named, no driver of that name is configured, or it has no command and need not have one
    program,  // started for each file
    process,  // started once
    missing,  // required, but there is no command
  };
  Kind kind = Kind::none;
  const std::string* name = nullptr;     // into the drivers
  const FilterDriver* driver = nullptr;  // into the drivers

  explicit operator bool() const { return kind != Kind::none; }
};
FilterChoice choose_filter(const Attributes& attributes, const FilterDrivers& drivers,
                           FilterDirection direction = FilterDirection::smudge);

struct Converted {
  bool changed = false;      // the file's bytes are in `result`; otherwise they are the blob's
  bool not_encoded = false;  // the encoding is unknown, or cannot hold this text: that step was left out
};
// `blob_id` is the blob's own id. `result` is unspecified when nothing changed. Throws ErrorCode::refused when the
// result would exceed `result_bytes_max`.
Converted convert_to_worktree(std::string_view blob, const object::Oid& blob_id, const Conversion& conversion,
                              std::string& result, std::uint64_t result_bytes_max = converted_bytes_max);

}  // namespace pfetch::checkout
