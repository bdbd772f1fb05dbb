#include "session/acquisition.h"

#include <future>

#include "base/fd.h"
#include "base/trace.h"
#include "pack/installer.h"
#include "session/durability.h"
#include "session/ingest_setup.h"

namespace pfetch::session {

namespace {

pack::IngestOptions ingest_options_of(const repo::Repository& repository, const AcquisitionOptions& options) {
  pack::IngestOptions ingest;
  configure_ingest(repository.config(), ingest);
  ingest.pack_directory = repository.objects_dir() + "/pack";
  ingest.workers = options.workers;
  if (options.before != nullptr) ingest.thin_bases = &options.before->objects;
  ingest.refuse_duplicates = options.refuse_duplicates;
  return ingest;
}

}  // namespace

Acquisition::Acquisition(const repo::Repository& repository, const AcquisitionOptions& options,
                         base::Cancellation& cancel)
    : repository_(repository),
      options_(options),
      ingest_(ingest_options_of(repository, options), cancel),
      objects_(ingest_.pack(), options.before != nullptr ? &options.before->objects : nullptr),
      connectivity_(options.boundary, [this](const object::Oid& id) { return kind_of(id); }) {
  if (checks_fetched_objects(repository.config())) {
    fsck_ = std::make_unique<FsckSink>(fsck_rules(repository.config(), "fetch"));
  }
}

void Acquisition::receive(transport::FetchSession& server, object::ObjectSink* sink) {
  std::vector<object::ObjectSink*> sinks = {&connectivity_};
  if (fsck_) sinks.push_back(fsck_.get());
  if (sink != nullptr) sinks.push_back(sink);
  ingest_.run(server.pack(), sinks);
}

void Acquisition::prove_connected(const std::vector<object::Oid>& tips, Reporter& reporter) {
  connectivity_.prove(tips, objects_, options_.before);
  if (!fsck_) return;
  fsck_->finish(objects_);
  for (const std::string& warning : fsck_->warnings()) reporter.warn(warning);
}

void Acquisition::install(const std::function<void()>& beside) {
  if (counters().objects_claimed.load() == 0) {
    if (beside) beside();
    return;
  }
  pack::InstallOptions options;
  options.pack_directory = repository_.objects_dir() + "/pack";
  options.write_rev = repository_.config().get_bool("pack.writereverseindex", true);
  options.durable = durability(repository_.config()).packs;
  std::future<void> other;
  if (beside) {
    other = std::async(std::launch::async, [&beside] {
      base::name_trace_lane("beside install");
      beside();
    });
  }
  const pack::InstalledPack installed = pack::install_pack(ingest_, options);
  for (const char* suffix : {".pack", ".idx", ".rev"}) {
    const std::string path = installed.base_path + suffix;
    if (base::path_exists(path)) repository_.shared_mode().adjust_path(path);
  }
  if (other.valid()) other.get();
}

std::vector<object::Oid> Acquisition::roots() const {
  // A shallow source tells its whole boundary; only what the pack brought is ours.
  std::vector<object::Oid> roots;
  for (const object::Oid& id : options_.boundary) {
    if (has_arrived(id)) roots.push_back(id);
  }
  return roots;
}

}  // namespace pfetch::session
