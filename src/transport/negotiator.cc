#include "transport/negotiator.h"

#include "transport/negotiator_consecutive.h"
#include "transport/negotiator_noop.h"
#include "transport/negotiator_skipping.h"

namespace pfetch::transport {

std::optional<NegotiationAlgorithm> negotiation_algorithm_from_name(std::string_view name) {
  if (name == "consecutive" || name == "default") return NegotiationAlgorithm::consecutive;
  if (name == "skipping") return NegotiationAlgorithm::skipping;
  if (name == "noop") return NegotiationAlgorithm::noop;
  return std::nullopt;
}

std::unique_ptr<Negotiator> make_negotiator(NegotiationAlgorithm algorithm, object::ObjectSource& source,
                                            NegotiatorOptions options) {
  switch (algorithm) {
    case NegotiationAlgorithm::skipping:
      return std::make_unique<SkippingNegotiator>(source, std::move(options));
    case NegotiationAlgorithm::noop:
      return std::make_unique<NoopNegotiator>();
    case NegotiationAlgorithm::consecutive:
      break;
  }
  return std::make_unique<ConsecutiveNegotiator>(source, std::move(options));
}

}  // namespace pfetch::transport
