// Two equal repositories, one changed by our transactions and one by git, and what is compared.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "repo/ref_transaction.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

using object::Oid;

inline constexpr const char* ident = "C <c@x> 1600000000 +0000";
inline const Oid null_id{};

// Two equal repositories: "r" is changed by us, "g" by git. c1..c3 are commits, main is at c3.
class RefTransactionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scratch.out_of(
        "git init -q -b main r; cd r; for i in 1 2 3; do git commit -q --allow-empty -m c$i; done; git tag -a -m t v1;"
        "git branch old; git branch deep/er/one; git pack-refs --all; git branch loose; cd ..; cp -r r g");
    for (int i = 1; i <= 3; ++i) {
      c[i] = *Oid::from_hex(scratch.out_of("cd r; git rev-parse main~" + std::to_string(3 - i)));
    }
    tree = *Oid::from_hex(scratch.out_of("cd r; git rev-parse main^{tree}"));
    refs = Refs::open(options());
  }
  RefsOptions options() const { return {.git_dir = scratch / "r/.git", .lock_wait_ms = 0, .packed_lock_wait_ms = 0}; }
  RefTransaction transaction(bool atomic = true) const { return {refs, {.atomic = atomic, .ident = ident}}; }

  // Names, bytes of refs, packed-refs, HEAD and logs.
  std::string state_of(const std::string& where) const {
    return scratch.out_of("cd " + where +
                          "/.git; find . -name '*.lock'; find refs logs | sort; for f in HEAD packed-refs "
                          "$(find refs logs -type f | sort); do echo \"== $f\"; cat $f; done");
  }
  void expect_same_as_git() const {
    EXPECT_EQ(state_of("r"), state_of("g"));
    EXPECT_EQ(scratch.run("cd r; git fsck --no-dangling").out, scratch.run("cd g; git fsck --no-dangling").out);
  }
  std::string hex(int i) const { return c[i].hex(); }
  // The message with which `act` is refused.
  template <typename Act>
  std::string refusal(const Act& act) const {
    const std::string before = state_of("r");
    const std::string said = test::error_message(act);
    if (said != "accepted") {
      EXPECT_EQ(state_of("r"), before);
    }
    return said;
  }
  std::string refused_update(RefUpdate update) const {
    return refusal([&] {
      auto change = transaction();
      change.update(std::move(update));
      change.prepare();
    });
  }

  test::Scratch scratch;
  std::shared_ptr<Refs> refs;
  Oid c[4];
  Oid tree;
};

}  // namespace pfetch::repo
