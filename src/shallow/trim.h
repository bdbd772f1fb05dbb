// The eight steps, 4 and 5: which of the sender's roots the pack brought.
//
// `came` says whether an object was among those that the pack (step 3) brought, kept with an index or unpacked: the ids
// are known either way. Pure functions over data; any thread.
#pragma once

#include "shallow/partition.h"

namespace pfetch::shallow {

// Step 4: drops from theirs what still does not exist. The pack did not need it.
Candidates drop_absent(Candidates candidates, const AskObject& came);

// Step 5: drops from ours what did not come: the sender did not cut there, it built on what we have.
Candidates drop_not_sent(Candidates candidates, const AskObject& came);

}  // namespace pfetch::shallow
