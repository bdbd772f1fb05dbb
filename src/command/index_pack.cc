#include "command/index_pack.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

#include "base/byte_source.h"
#include "base/error.h"
#include "base/fd.h"
#include "pack/ingest.h"
#include "pack/installer.h"
#include "repo/repository.h"
#include "session/combined_source.h"
#include "session/fsck_sink.h"
#include "session/ingest_setup.h"
#include "store/reader.h"

namespace pfetch::command {

namespace {

// "x.pack" → "x"; throws when the name ends otherwise.
std::string without_pack(const std::string& path) {
  if (path.size() <= 5 || !path.ends_with(".pack")) {
    throw Error(ErrorCode::refused, "packfile name '" + path + "' does not end with '.pack'");
  }
  return path.substr(0, path.size() - 5);
}

std::optional<repo::Repository> find_repository(const IndexPackRequest& request, const CommandContext& context) {
  try {
    return repo::Repository::discover(context.environment);
  } catch (const Error& error) {
    if (!request.from_stdin) return std::nullopt;  // a pack file can be indexed anywhere
    if (error.code() == ErrorCode::not_found) throw Error(ErrorCode::not_found, "--stdin requires a git repository");
    throw;
  }
}

repo::FsckRules rules_of(const IndexPackRequest& request) {
  repo::FsckRules rules(true);
  std::string_view rest = request.fsck_severities;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(", |"));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) {
      if (!word.empty()) throw Error(ErrorCode::refused, "Missing '=' in '" + std::string(word) + "'");
    } else if (!rules.configure(word.substr(0, equals), word.substr(equals + 1))) {
      throw Error(ErrorCode::refused, "Unhandled message id: " + std::string(word.substr(0, equals)));
    }
  }
  return rules;
}

pack::IngestOptions ingest_options_of(const IndexPackRequest& request,
                                      const std::optional<repo::Repository>& repository, const repo::Config& config) {
  pack::IngestOptions options;
  if (request.from_stdin) {
    options.pack_directory = repository ? repository->objects_dir() + "/pack" : ".";
  } else {
    options.existing_file = request.pack_file;
  }
  session::configure_ingest(config, options);
  options.workers = request.threads;
  options.max_input_bytes = request.max_input_bytes;
  options.refuse_duplicates = request.strict;
  return options;
}

pack::InstallOptions install_options_of(const IndexPackRequest& request, const std::string& pack_directory) {
  pack::InstallOptions install;
  install.write_rev = request.write_rev;
  install.keep_message = request.keep_message;
  install.idx.small_offset_max = request.small_offset_max;
  install.idx_path = request.output;
  install.pack_directory = pack_directory;
  if (!request.pack_file.empty()) install.base_path = without_pack(request.pack_file);
  return install;
}

// The bytes of a descriptor, with waits that a Cancellation ends, or the end of the pack: whoever writes into a pipe
// may keep it open after the pack.
class FdSource : public base::ByteSource {
 public:
  FdSource(int fd, const base::Cancellation& cancel) : fd_(fd), cancel_(cancel), ended_(::eventfd(0, EFD_CLOEXEC)) {
    if (!ended_) throw_errno(errno, "could not create", "eventfd");
  }

  std::size_t read(std::span<std::byte> into) override {
    for (;;) {
      pollfd polled[3] = {{fd_, POLLIN, 0}, {cancel_.fd(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
      if (::poll(polled, 3, -1) < 0 && errno != EINTR) throw_errno(errno, "could not wait for", "the pack");
      cancel_.throw_if_requested();
      if (polled[0].revents != 0) return base::read_some(fd_, into, "the pack");
      if (polled[2].revents != 0) return 0;
    }
  }

  // Any thread. What is there already is still read.
  void end() { ::eventfd_write(ended_.get(), 1); }

 private:
  int fd_;
  const base::Cancellation& cancel_;
  base::UniqueFd ended_;
};

std::unique_ptr<store::Reader> objects_of(const repo::Repository& repository) {
  std::vector<std::string> directories = {repository.objects_dir()};
  for (const std::string& directory : repository.alternates().directories) directories.push_back(directory);
  return std::make_unique<store::Reader>(std::move(directories));
}

}  // namespace

IndexPackOutcome index_pack(const IndexPackRequest& request, int input, const CommandContext& context) {
  session::StageClock clock(context.progress);
  clock.begin("index");
  if (request.fix_thin && !request.from_stdin) {
    throw Error(ErrorCode::refused, "the option '--fix-thin' requires '--stdin'");
  }
  const auto repository = find_repository(request, context);
  const repo::Config config = repository ? repository->config() : repo::Config::load(context.environment);
  pack::IngestOptions options = ingest_options_of(request, repository, config);
  const pack::InstallOptions install = install_options_of(request, options.pack_directory);
  const auto here = repository ? objects_of(*repository) : nullptr;
  if (request.fix_thin) options.thin_bases = here.get();

  base::UniqueFd file;
  if (!request.from_stdin) file = base::open_file(request.pack_file, O_RDONLY);
  FdSource source(file ? file.get() : input, context.cancel);
  options.on_end = [&source] { source.end(); };
  pack::Ingest ingest(options, context.cancel);
  std::unique_ptr<session::FsckSink> fsck;
  std::vector<object::ObjectSink*> sinks;
  if (request.strict || request.check_objects) {
    fsck = std::make_unique<session::FsckSink>(rules_of(request));
    sinks.push_back(fsck.get());
  }
  session::ProgressWatch watch(context.progress);
  watch.on(ingest.counters(), nullptr);
  ingest.run(source, sinks);
  if (fsck) {
    session::CombinedSource objects(ingest.pack(), here.get());
    fsck->finish(objects);
    for (const std::string& warning : fsck->warnings()) context.reporter.warn(warning);
  }
  if (request.from_stdin) {
    pack::install_pack(ingest, install);
  } else {
    pack::install_index(ingest, install);
  }
  clock.end();

  IndexPackOutcome outcome;
  outcome.checksum = object::Oid::from_raw(ingest.checksum().data()).hex();
  outcome.kept = request.keep_message.has_value();
  outcome.objects = ingest.counters().objects_resolved.load();
  outcome.deltas = ingest.counters().deltas.load();
  outcome.inflated_once = ingest.counters().inflated_once.load();
  outcome.inflated_again = ingest.counters().inflated_again.load();
  outcome.seconds = clock.total_seconds();
  return outcome;
}

}  // namespace pfetch::command
