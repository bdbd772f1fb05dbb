#include "command/negotiation.h"

#include "base/error.h"
#include "object/wildmatch.h"

namespace pfetch::command {

namespace {

using object::Oid;

void add_matching(const std::string& glob, const session::Holdings& here, session::Reporter& reporter,
                  std::vector<Oid>& tips) {
  const std::string pattern = glob.starts_with("refs/") ? glob : "refs/" + glob;
  const std::size_t before = tips.size();
  for (const repo::Ref& ref : here.refs()) {
    if (object::wildmatch(pattern, ref.name)) tips.push_back(ref.id);
  }
  if (tips.size() == before) {
    reporter.warn("ignoring --negotiation-tip=" + glob + " because it does not match any refs");
  }
}

Oid tip_of(const std::string& name, session::Holdings& here) {
  if (const auto id = Oid::from_hex(name)) {
    if (here.objects().contains(*id)) return *id;
    throw Error(ErrorCode::not_found, "the object " + name + " does not exist");
  }
  if (const auto ref = here.ref_store()->find_short(name); ref && !ref->id.is_null()) return ref->id;
  throw Error(ErrorCode::not_found, name + " is not a valid object");
}

std::vector<Oid> negotiation_tips(const FetchArguments& arguments, session::Holdings& here,
                                  session::Reporter& reporter) {
  if (arguments.negotiation_tips.empty()) return here.tips();
  std::vector<Oid> tips;
  for (const std::string& text : arguments.negotiation_tips) {
    if (object::has_wildcard(text)) {
      add_matching(text, here, reporter, tips);
    } else {
      tips.push_back(tip_of(text, here));
    }
  }
  return tips;
}

}  // namespace

std::unique_ptr<transport::Negotiator> make_negotiator(const FetchArguments& arguments, session::Holdings& here,
                                                       const std::vector<FetchedRef>& refs,
                                                       session::Reporter& reporter) {
  const std::string name = here.repository().config().get("fetch.negotiationalgorithm", "consecutive");
  const auto algorithm = transport::negotiation_algorithm_from_name(name);
  if (!algorithm) throw Error(ErrorCode::config, "unknown fetch negotiation algorithm '" + name + "'");
  transport::NegotiatorOptions options;
  options.tips = negotiation_tips(arguments, here, reporter);
  options.cuts = here.boundary().roots;
  if (!arguments.has_depth()) {
    for (const FetchedRef& ref : refs) {
      if (here.is_tip(ref.id)) options.known_common.push_back(ref.id);
    }
  }
  return transport::make_negotiator(*algorithm, here.objects(), std::move(options));
}

}  // namespace pfetch::command
