// Objects that another side sends, until they belong to the repository: received, resolved and judged in one pass,
// proven connected, installed as a pack or, when they are few, as loose objects.
//
// One object per pack. Not thread safe; each step runs its own threads and has ended them when it returns. What was
// not installed is gone when this object goes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "pack/ingest.h"
#include "repo/repository.h"
#include "session/combined_source.h"
#include "session/connectivity.h"
#include "session/fsck_sink.h"
#include "session/reporter.h"
#include "transport/fetch_session.h"

namespace pfetch::session {

struct AcquisitionOptions {
  std::vector<object::Oid> boundary;  // commits whose parents are not asked for
  const Before* before = nullptr;     // what is here already; null: nothing
  unsigned workers = 0;               // 0: one for each logical core
  bool refuse_duplicates = false;
  // A pack that claims fewer objects is unpacked into loose ones (fetch.unpackLimit); 0: every pack is kept.
  std::uint32_t unpack_limit = 0;
  // Text of a .keep file beside a kept pack, so that no repack takes it away before refs hold its objects.
  std::optional<std::string> keep_message;
};

// Where the objects are now.
struct Installed {
  std::string pack;            // "…/pack-<checksum>" without a suffix; empty: none was kept
  std::size_t unpacked = 0;    // loose objects written
  base::RemoveOnFailure keep;  // the .keep, which goes with it: to be dropped when the refs are published
};

class Acquisition {
 public:
  // Creates the temporary pack. `repository` and `cancel` must outlive this.
  Acquisition(const repo::Repository& repository, const AcquisitionOptions& options, base::Cancellation& cancel);

  // Everything that has arrived or was here before; also while it arrives.
  object::ObjectSource& objects() { return objects_; }
  // Whether the pack has brought this object; cheap, any thread.
  bool has_arrived(const object::Oid& id) const { return kind_of(id).has_value(); }
  // The kind of an object that the pack has brought; as cheap.
  std::optional<object::Kind> kind_of(const object::Oid& id) const { return ingest_.pack().kind_of(id); }

  // Takes the whole pack of a server that has been asked for one. `sink` may be null; it is called from many threads.
  void receive(transport::FetchSession& server, object::ObjectSink* sink);
  // Something beside the pack needs this object: a commit that is no longer at the boundary names its parents.
  void expect(const object::Oid& id, object::Kind kind, const object::Oid& by) { connectivity_.expect(id, kind, by); }
  // Throws ErrorCode::corrupt unless every object that is named is there, the `tips` among them. Objects are checked to
  // the end where the configuration says so.
  void prove_connected(const std::vector<object::Oid>& tips, Reporter& reporter);
  // An empty pack is not installed. `beside`, if given, is run on another thread meanwhile; its error is thrown.
  Installed install(const std::function<void()>& beside);

  // Of the boundary, what the pack has brought: the roots that this repository has now.
  std::vector<object::Oid> roots() const;
  const pack::IngestCounters& counters() const { return ingest_.counters(); }

 private:
  Installed keep_pack();
  Installed unpack();

  const repo::Repository& repository_;
  const AcquisitionOptions options_;
  base::Cancellation& cancel_;
  pack::Ingest ingest_;
  CombinedSource objects_;
  Connectivity connectivity_;
  std::unique_ptr<FsckSink> fsck_;  // null: objects are not checked
};

}  // namespace pfetch::session
