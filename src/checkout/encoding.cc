#include "checkout/encoding.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <mutex>

#include "base/ascii.h"
#include "checkout/converted_size.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10;
constexpr std::string_view utf16_le_mark = "\xff\xfe";
constexpr std::string_view utf16_be_mark = "\xfe\xff";
constexpr std::string_view utf32_le_mark{"\xff\xfe\0\0", 4};
constexpr std::string_view utf32_be_mark{"\0\0\xfe\xff", 4};

class Converter {
 public:
  Converter(const char* to, const char* from) {
    const std::lock_guard lock(loading());
    handle_ = ::iconv_open(to, from);
  }
  ~Converter() {
    const std::lock_guard lock(loading());
    if (*this) ::iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  explicit operator bool() const { return handle_ != reinterpret_cast<iconv_t>(-1); }
  iconv_t get() const { return handle_; }

 private:
  // Both may load or unload a library, one at a time: by a lock of the C library that no sanitizer sees, so by this
  // too.
  static std::mutex& loading() {
    static std::mutex mutex;
    return mutex;
  }

  iconv_t handle_;
};

// What comes behind "UTF" and a dash that may be missing; empty for any other name.
std::string_view utf_variant(std::string_view name) {
  if (!base::same_ignoring_case(name.substr(0, 3), "utf")) return {};
  name.remove_prefix(3);
  if (name.starts_with('-')) name.remove_prefix(1);
  return name;
}

bool is_one_of(std::string_view variant, std::initializer_list<std::string_view> variants) {
  return std::any_of(variants.begin(), variants.end(),
                     [&](std::string_view each) { return base::same_ignoring_case(variant, each); });
}

// The name that iconv knows for what git calls `encoding`, but for those with a mark.
const char* plain_name(const std::string& encoding) {
  return base::same_ignoring_case(encoding, "latin-1") ? "ISO-8859-1" : encoding.c_str();
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
    check_converted_size(result.size(), result_bytes_max);
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
  const char* name = plain_name(encoding);
  result.clear();
  if (is_one_of(variant, {"16LE-BOM"})) {
    name = "UTF-16LE";
    result = utf16_le_mark;
  } else if (is_one_of(variant, {"16BE-BOM"})) {
    name = "UTF-16BE";
    result = utf16_be_mark;
  }
  const Converter converter(name, "UTF-8");
  return converter && convert(converter, text, result, result_bytes_max);
}

bool decode_to_utf8(std::string_view file, const std::string& encoding, std::string& result,
                    std::uint64_t result_bytes_max) {
  const bool has_mark = is_one_of(utf_variant(encoding), {"16LE-BOM", "16BE-BOM"});
  const Converter converter("UTF-8", has_mark ? "UTF-16" : plain_name(encoding));
  result.clear();
  return converter && convert(converter, file, result, result_bytes_max);
}

ByteOrderMark check_byte_order_mark(std::string_view file, std::string_view encoding) {
  const std::string_view variant = utf_variant(encoding);
  const bool marked_16 = file.starts_with(utf16_le_mark) || file.starts_with(utf16_be_mark);
  const bool marked_32 = file.starts_with(utf32_le_mark) || file.starts_with(utf32_be_mark);
  if (is_one_of(variant, {"16LE", "16BE"}) && marked_16) return ByteOrderMark::prohibited;
  if (is_one_of(variant, {"32LE", "32BE"}) && marked_32) return ByteOrderMark::prohibited;
  if (is_one_of(variant, {"16"}) && !marked_16) return ByteOrderMark::missing;
  if (is_one_of(variant, {"32"}) && !marked_32) return ByteOrderMark::missing;
  return ByteOrderMark::right;
}

}  // namespace pfetch::checkout
