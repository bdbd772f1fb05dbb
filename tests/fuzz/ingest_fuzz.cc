// Any bytes as a pack, with small budgets: refused, or taken with objects that are what their ids say.
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "pack/ingest.h"
#include "tests/support/fakes.h"
#include "tests/support/temporary_directory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pfetch;
  static const test::TemporaryDirectory directory;
  std::string pack(reinterpret_cast<const char*>(data), size);
  // Without a right checksum nothing behind the scanner would be reached often.
  if (size >= 32) pack = test::with_right_checksum(pack);
  pack::IngestOptions options;
  options.pack_directory = directory.path();
  options.workers = 2;
  options.base_cache_bytes = 1000;
  options.big_file_threshold = 100;
  test::MemorySource before;
  before.add(object::Kind::blob, "a base that was here before");
  options.thin_bases = &before;
  base::Cancellation cancel;
  test::RecordingSink sink;
  try {
    pack::Ingest ingest(options, cancel);
    test::StringSource source(pack, 1 + size % 100);
    ingest.run(source, {&sink});
    for (const auto& [id, seen] : sink.objects()) {
      const auto again = ingest.pack().read(id);
      if (!again || test::object_id(again->kind, again->bytes.text()) != id) std::abort();
    }
  } catch (const Error&) {
  }
  return 0;
}
