#include "shallow/trim.h"

namespace pfetch::shallow {

using object::Oid;

Candidates drop_absent(Candidates candidates, const AskObject& came) {
  candidates.drop_if(Side::theirs, 4, [&](const Oid& id) { return !came(id); });
  return candidates;
}

Candidates drop_not_sent(Candidates candidates, const AskObject& came) {
  candidates.drop_if(Side::ours, 5, [&](const Oid& id) { return !came(id); });
  return candidates;
}

}  // namespace pfetch::shallow
