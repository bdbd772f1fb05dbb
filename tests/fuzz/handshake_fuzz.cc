// A server that says anything: greeting, refs, answers to a request. Names that come out must be valid ones.
#include "transport/handshake.h"

#include <cstdint>

#include "base/error.h"
#include "object/ref_name.h"
#include "tests/transport/fake_connection.h"
#include "transport/fetch_session.h"

namespace {

using namespace pfetch;
using namespace pfetch::transport;

class Haves : public Negotiator {
 public:
  std::optional<Oid> next() override {
    if (left_ == 0) return std::nullopt;
    Oid id;
    id.raw[0] = static_cast<std::uint8_t>(left_--);
    return id;
  }
  void ack(const Oid&) override {}
  void restart() override { left_ = 40; }

 private:
  int left_ = 40;
};

void talk(const std::string& script, std::size_t cut) {
  std::string sent;
  FetchSession session(std::make_unique<test::FakeConnection>(script, cut, sent), {});
  const RemoteRefs refs = session.refs({});
  for (const RemoteRef& ref : refs.refs) {
    if (ref.name != "HEAD" && !object::is_valid_ref_name(ref.name)) __builtin_trap();
  }
  if (!refs.head_target.empty() && !object::is_valid_ref_name(refs.head_target)) __builtin_trap();
  if (refs.refs.empty()) return;
  Haves haves;
  FetchRequest request;
  request.wants = {refs.refs[0].id};
  if (cut % 2 == 0) request.depth.depth = 1;
  if (cut % 3 == 0) request.negotiator = &haves;
  session.request(request);
  test::read_all(session.pack());
  session.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  try {
    talk(std::string(reinterpret_cast<const char*>(data) + 1, size - 1), data[0] + 1U);
  } catch (const Error&) {
    // What is not the protocol is refused.
  }
  return 0;
}
