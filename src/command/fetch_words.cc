#include "command/fetch_words.h"

#include "transport/url.h"

namespace pfetch::command {

std::string reflog_words(const std::vector<std::string>& arguments) {
  std::string words = "fetch";
  for (const std::string& argument : arguments) words += " " + transport::without_user_info(argument);
  return words;
}

}  // namespace pfetch::command
