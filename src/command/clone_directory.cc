#include "command/clone_directory.h"

#include <string_view>

#include "base/error.h"
#include "transport/url.h"

namespace pfetch::command {

std::string directory_from_url(const std::string& url, bool bare) {
  std::string_view rest(url);
  // A scheme and what belongs to the host are not part of the name, but serve as one if there is nothing else.
  if (const auto scheme = rest.find("://"); scheme != std::string_view::npos) rest.remove_prefix(scheme + 3);
  if (const auto at = rest.substr(0, rest.find('/')).rfind('@'); at != std::string_view::npos)
    rest.remove_prefix(at + 1);
  const auto is_end = [](char c) { return c == '/' || c == ' ' || c == '\t' || c == '\n'; };
  while (!rest.empty() && is_end(rest.back())) rest.remove_suffix(1);
  if (rest.size() > 5 && rest.ends_with("/.git")) rest.remove_suffix(5);
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  if (rest.find('/') == std::string_view::npos) {
    // "host:1234" without a path: the port is no name.
    const auto colon = rest.rfind(':');
    if (colon != std::string_view::npos && rest.find_first_not_of("0123456789", colon + 1) == std::string_view::npos) {
      rest = rest.substr(0, colon);
    }
  }
  if (const auto start = rest.find_last_of("/:"); start != std::string_view::npos) rest.remove_prefix(start + 1);
  if (rest.ends_with(".git")) rest.remove_suffix(4);
  if (rest == ".") rest = {};
  std::string name;
  for (const char c : rest) {  // control characters and blanks become one blank, as git has it
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank) name += c;
    if (blank && !name.empty() && name.back() != ' ') name += ' ';
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  if (name.empty()) {
    throw Error(ErrorCode::usage, "could not guess a directory name from '" + transport::without_user_info(url) + "'");
  }
  return bare ? name + ".git" : name;
}

}  // namespace pfetch::command
