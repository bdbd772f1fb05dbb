// A filter that is started once and talks with us about one file after the other: filter.<name>.process, in version 2
// of the protocol that gitattributes(5) describes under "Long Running Filter Process".
//
//   we    git-filter-client, version=2                   filter  git-filter-server, version=2
//   we    capability=clean, =smudge, =delay              filter  those of them that it has
//   then, for each file:
//   we    command=smudge, pathname=, ref=, treeish=, blob=, can-delay=1; the content      or command=clean, pathname=
//   it    status=success; the content; no status, or another one that counts      or status=error, =abort, =delayed
//   and for what is delayed:
//   we    command=list_available_blobs                   filter  pathname=…; status=success
//   we    command=smudge as above, without content
//
// There are no request ids, so there is one exchange at a time; what overlaps is that which a filter has delayed.
// The content that comes back is handed on as it comes and never held. Packets are bounded by base/pkt_line, lines in a
// list by `filter_lines_max`.
//
// One thread at a time. A filter that hangs up, or says what is not the protocol, is a ErrorCode::remote or ::protocol;
// it must not be used again. Everything else (cancelled, io) comes from the channel and from what content is put into.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/pkt_line.h"
#include "checkout/filter_child.h"
#include "object/oid.h"

namespace pfetch::checkout {

// A seam: the pipes to the filter.
class FilterChannel : public base::ByteSource {
 public:
  // Throws ErrorCode::remote when the filter does not listen any more.
  virtual void send(base::Bytes bytes) = 0;
  // Says that nothing follows, and waits until the filter has ended.
  virtual void finish() = 0;
};

// Starts the filter. A channel that goes away unfinished ends it by SIGTERM.
std::unique_ptr<FilterChannel> start_filter_channel(const std::string& command, const FilterPlace& place,
                                                    const base::Cancellation& cancel);

// What is being checked out, as a filter is told.
struct FilterOrigin {
  std::string ref;      // the branch; empty when HEAD is detached
  std::string treeish;  // the commit's id; empty if it is not known
};

struct SmudgeRequest {
  std::string_view path;
  object::Oid blob;
  bool can_delay = false;
};

enum class FilterStatus : std::uint8_t {
  success,
  delayed,  // the content comes later, and is asked for when the filter lists the path
  error,    // not this file
  abort,    // not this file, and no other
};

inline constexpr std::size_t filter_lines_max = 1024;  // in the greeting, and beside the paths of a list

class FilterProcess {
 public:
  // Shakes hands. The channel must outlive this.
  FilterProcess(FilterChannel& channel, FilterOrigin origin);

  bool cleans() const { return cleans_; }
  bool smudges() const { return smudges_; }
  bool delays() const { return delays_; }

  // What `put` got counts only if the status is success. A filter cannot delay what it cleans.
  FilterStatus clean(std::string_view path, std::string_view content, const std::function<void(base::Bytes)>& put);
  FilterStatus smudge(const SmudgeRequest& request, std::string_view content,
                      const std::function<void(base::Bytes)>& put);

  // Waits until some of the delayed paths are ready, and names them; an empty list says that no more will come. More
  // than `paths_max` paths, and a list that the filter itself calls a failure, are ErrorCode::protocol.
  std::vector<std::string> available(std::size_t paths_max);

 private:
  FilterStatus exchange(std::string_view content, bool can_delay, const std::function<void(base::Bytes)>& put);
  void send();
  void send_content(std::string_view content);
  std::vector<std::string> read_lines(std::size_t lines_max);
  std::string read_status(std::string before);
  void read_content(const std::function<void(base::Bytes)>& put);

  FilterChannel& channel_;
  base::PacketReader reader_;
  base::PacketWriter writer_;
  const FilterOrigin origin_;
  bool cleans_ = false;
  bool smudges_ = false;
  bool delays_ = false;
};

}  // namespace pfetch::checkout
