#include <gtest/gtest.h>

#include "repo/ref_transaction.h"
#include "tests/repo/ref_transaction_fixture.h"

namespace pfetch::repo {
namespace {

class HookTest : public RefTransactionTest {
 protected:
  void SetUp() override {
    RefTransactionTest::SetUp();
    for (const char* where : {"r", "g"}) {
      scratch.write(std::string(where) + "/.git/hooks/reference-transaction",
                    "#!/bin/sh\n{ echo \"[$1]\"; cat; } >> " + scratch / where + "/said\n");
    }
    scratch.out_of("chmod +x r/.git/hooks/reference-transaction g/.git/hooks/reference-transaction");
    RefsOptions hooked = options();
    hooked.hooks_dir = scratch / "r/.git/hooks";
    hooked.hook_directory = scratch / "r";
    refs = Refs::open(hooked);
  }
};

TEST_F(HookTest, HearsWhatItHearsFromGit) {
  auto change = transaction();
  change.update({.name = "HEAD", .new_id = c[1], .old_id = c[3]});
  change.create("refs/heads/n", c[1], "");
  change.update({.name = "refs/heads/old", .new_id = c[1]});
  change.prepare();
  change.commit();
  auto branch = transaction();
  branch.update({.name = "refs/heads/main", .new_id = c[2]});
  branch.create("refs/heads/m", c[1], "");
  branch.prepare();
  branch.commit();
  scratch.out_of("cd g; printf 'update HEAD " + hex(1) + " " + hex(3) + "\ncreate refs/heads/n " + hex(1) +
                 "\nupdate refs/heads/old " + hex(1) + "\n' | git update-ref --stdin; printf 'update refs/heads/main " +
                 hex(2) + "\ncreate refs/heads/m " + hex(1) + "\n' | git update-ref --stdin");
  EXPECT_EQ(scratch.read("r/said"), scratch.read("g/said"));
}

TEST_F(HookTest, MayRefuse) {
  scratch.write("r/.git/hooks/reference-transaction",
                "#!/bin/sh\necho $1 >> " + scratch / "said" + "\ntest $1 != prepared\n");
  const std::string message = refusal([&] {
    auto change = transaction();
    change.create("refs/heads/n", c[1], "");
    change.remove("refs/tags/v1", std::nullopt);
    change.prepare();
  });
  EXPECT_EQ(message, "ref updates aborted by hook");
  EXPECT_EQ(scratch.read("said"), "prepared\naborted\n");
}

TEST_F(HookTest, IsToldOfAnAbort) {
  {
    auto change = transaction();
    change.create("refs/heads/n", c[1], "");
    change.prepare();
  }
  EXPECT_NE(scratch.read("r/said").find("[aborted]\n" + null_id.hex() + " " + hex(1) + " refs/heads/n\n"),
            std::string::npos);
}

// 3,000 lines are more than a pipe holds: without care a hook that reads nothing kills us with SIGPIPE.
TEST_F(HookTest, NeedNotReadItsInput) {
  scratch.write("r/.git/hooks/reference-transaction", "#!/bin/sh\nexec <&-\n");
  auto change = transaction();
  for (int i = 0; i < 3000; ++i) change.verify("refs/heads/old" + std::string(i % 2, 'x') + std::to_string(i), null_id);
  EXPECT_NO_THROW(change.prepare());
}

}  // namespace
}  // namespace pfetch::repo
