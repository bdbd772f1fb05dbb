#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace pfetch {

Error& Error::add_context(std::string_view context) {
  message_.insert(0, ": ");
  message_.insert(0, context);
  return *this;
}

void throw_errno(int error_number, std::string_view what, std::string_view path) {
  ErrorCode code = ErrorCode::io;
  if (error_number == ENOENT) code = ErrorCode::not_found;
  if (error_number == EEXIST) code = ErrorCode::exists;
  std::string message(what);
  message.append(" '").append(path).append("': ");
  message.append(std::generic_category().message(error_number));
  throw Error(code, std::move(message));
}

}  // namespace pfetch
