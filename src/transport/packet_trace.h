// GIT_TRACE_PACKET: the conversation written down, one line for each packet, in Git's layout (git(1)).
//
// "1", "2" and "true" write to stderr, a digit up to 9 to that descriptor, an absolute path is appended to; "", "0" and
// "false" are off. A pack shows as one line "PACK ...". The trace owns what it opened and must outlive its hook; one
// thread at a time. It never throws: a trace that cannot be written must not stop the work.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/pkt_line.h"

namespace pfetch::transport {

class PacketTrace {
 public:
  // `program` stands before each packet ("clone"). Null when tracing is off; then `warning`, if given, says why a value
  // could not be used.
  static std::unique_ptr<PacketTrace> open(std::string_view value, std::string program, std::string* warning = nullptr);

  base::PacketHook hook();
  // The line for one packet, without the time.
  static std::string describe(std::string_view program, bool sent, base::PacketKind kind, std::string_view payload);

 private:
  PacketTrace(int fd, base::UniqueFd owned, std::string program)
      : fd_(fd), owned_(std::move(owned)), program_(std::move(program)) {}

  int fd_;
  base::UniqueFd owned_;
  std::string program_;
};

}  // namespace pfetch::transport
