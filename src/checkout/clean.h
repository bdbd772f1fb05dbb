// Conversion on the way from a file to a blob, without the filter, which comes first (checkout/cleaner): the encoding
// of text, then line ends, then `$Id$` (gitattributes(5), "Effects"). The reverse of checkout/filter, from the same
// decision.
//
// Where git 2.39 cannot read what it writes (UTF-16BE-BOM), or overlooks a name in core.checkRoundtripEncoding behind a
// longer one that holds it, gitattributes(5) is followed.
//
// Pure, thread safe. The whole file and the whole result are in memory at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkout/filter.h"

namespace pfetch::checkout {

struct CleanRules {
  // What is said of a file whose line ends the next checkout would change.
  enum class SafeCrlf : std::uint8_t { off, warn, refuse };

  SafeCrlf safe_crlf = SafeCrlf::warn;             // core.safecrlf
  std::string round_trip_encodings = "SHIFT-JIS";  // core.checkRoundtripEncoding: names, between them ',' or blanks
  // The blob is to be stored (`git add`). Otherwise it is only compared with one that is (`git status`, `git
  // hash-object` without -w): then no line ends are judged, and trouble with the encoding leaves that step out.
  bool to_store = true;
};

// The content of the index's blob for the same path; nullopt when there is none. Of a path in conflict that is "ours".
// Asked for only when the answer matters: a CRLF in it keeps guessed text as it is. A null function stands for nullopt,
// and is what renormalizing wants.
using IndexBlob = std::function<std::optional<std::string>()>;

// Texts name the path, and need only "error: " and so on before them.
struct Cleaned {
  bool changed = false;                // the blob is `bytes`; otherwise it is the file as it was given
  std::string bytes;                   // unspecified when nothing changed
  std::optional<std::string> refusal;  // why there is no blob; `bytes` does not count then
  std::vector<std::string> errors;     // steps that were left out
  std::vector<std::string> warnings;   // line ends that the next checkout would change

  // `file` is what was given.
  std::string_view blob(std::string_view file) const { return changed ? std::string_view(bytes) : file; }
};

// Takes `so_far`, what the filter has made of `file`, further. Throws ErrorCode::refused when the result would exceed
// `result_bytes_max`, and what `index_blob` throws.
void convert_to_repository(std::string_view path, std::string_view file, const Conversion& conversion,
                           const CleanRules& rules, const IndexBlob& index_blob, Cleaned& so_far,
                           std::uint64_t result_bytes_max = converted_bytes_max);

}  // namespace pfetch::checkout
