// CRoaring's set of 32-bit numbers under one name. Up to version 0.2 its class stands in the global namespace, later in
// `roaring`.
#pragma once

#include <roaring/roaring.hh>

namespace roaring {}

namespace pfetch::graph {

namespace roaring_of_any_version {
using namespace ::roaring;
using Class = Roaring;
}  // namespace roaring_of_any_version

using Roaring = roaring_of_any_version::Class;

}  // namespace pfetch::graph
