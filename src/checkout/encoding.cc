#include "checkout/encoding.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <cerrno>

#include "base/ascii.h"
#include "base/error.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10;

class Converter {
 public:
  explicit Converter(const std::string& to) : handle_(::iconv_open(to.c_str(), "UTF-8")) {}
  ~Converter() {
    if (*this) ::iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  explicit operator bool() const { return handle_ != reinterpret_cast<iconv_t>(-1); }
  iconv_t get() const { return handle_; }

 private:
  iconv_t handle_;
};

// What comes behind "UTF" and a dash that may be missing; empty for any other name.
std::string_view utf_variant(std::string_view name) {
  if (!base::same_ignoring_case(name.substr(0, 3), "utf")) return {};
  name.remove_prefix(3);
  if (name.starts_with('-')) name.remove_prefix(1);
  return name;
}

bool convert(const Converter& converter, std::string_view text, std::string& result, std::uint64_t result_bytes_max) {
  char* in = const_cast<char*>(text.data());  // iconv does not write there
  std::size_t in_left = text.size();
  for (;;) {
    const std::size_t filled = result.size();
    result.resize(filled + std::max(piece_bytes, in_left));
    char* out = result.data() + filled;
    std::size_t out_left = result.size() - filled;
    const std::size_t converted = ::iconv(converter.get(), &in, &in_left, &out, &out_left);
    const int error_number = errno;
    result.resize(result.size() - out_left);
    if (result.size() > result_bytes_max) {
      throw Error(ErrorCode::refused, fmt::format("the encoded file would be larger than {} bytes", result_bytes_max));
    }
    if (converted != static_cast<std::size_t>(-1)) return true;
    if (error_number != E2BIG) return false;
  }
}

}  // namespace

bool is_utf8_name(std::string_view encoding) {
  return utf_variant(encoding) == "8";
}

bool encode_from_utf8(std::string_view text, const std::string& encoding, std::string& result,
                      std::uint64_t result_bytes_max) {
  const std::string_view variant = utf_variant(encoding);
  std::string name = encoding;
  result.clear();
  if (base::same_ignoring_case(variant, "16LE-BOM")) {
    name = "UTF-16LE";
    result = "\xff\xfe";
  } else if (base::same_ignoring_case(variant, "16BE-BOM")) {
    name = "UTF-16BE";
    result = "\xfe\xff";
  } else if (base::same_ignoring_case(encoding, "latin-1")) {
    name = "ISO-8859-1";
  }
  const Converter converter(name);
  return converter && convert(converter, text, result, result_bytes_max);
}

}  // namespace pfetch::checkout
