#include "repo/reflog.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {
namespace {

using object::Oid;

const Oid one = *Oid::from_hex(std::string(40, '1'));
const std::string hex_one(40, '1');
const std::string hex_zero(40, '0');

TEST(Reflog, StartsForTheKindsThatGitLogs) {
  EXPECT_TRUE(starts_reflog("HEAD", LogRefs::unset, false));
  EXPECT_TRUE(starts_reflog("refs/heads/a", LogRefs::normal, true));
  EXPECT_TRUE(starts_reflog("refs/notes/a", LogRefs::unset, false));
  EXPECT_FALSE(starts_reflog("refs/tags/a", LogRefs::normal, false));
  EXPECT_TRUE(starts_reflog("refs/tags/a", LogRefs::always, true));
  EXPECT_FALSE(starts_reflog("refs/heads/a", LogRefs::unset, true));
  EXPECT_FALSE(starts_reflog("refs/heads/a", LogRefs::none, false));
}

TEST(Reflog, MessagesAreOneLine) {
  EXPECT_EQ(reflog_message("  a  b\n\tc \n"), "a b c");
  EXPECT_EQ(reflog_message(" \n "), "");
  EXPECT_EQ(reflog_line(Oid{}, one, "C <c@x> 1 +0000", ""), hex_zero + " " + hex_one + " C <c@x> 1 +0000\n");
  EXPECT_EQ(reflog_line(Oid{}, one, "C <c@x> 1 +0000", "a\nb"), hex_zero + " " + hex_one + " C <c@x> 1 +0000\ta b\n");
}

TEST(Reflog, AppendsOnlyToWhatIsThereUnlessToldToCreate) {
  const test::Scratch scratch;
  const std::string path = scratch / "logs/refs/heads/a";
  EXPECT_FALSE(append_reflog(path, "x\n", false, {}));
  EXPECT_TRUE(append_reflog(path, "x\n", true, {}));
  EXPECT_TRUE(append_reflog(path, "y\n", false, {}));
  EXPECT_EQ(scratch.read("logs/refs/heads/a"), "x\ny\n");
  EXPECT_THROW(append_reflog(path + "/below", "x\n", true, {}), Error);
  EXPECT_THROW(append_reflog(scratch / "logs/refs", "x\n", true, {}), Error);
  remove_reflog(path, scratch / "logs");
  EXPECT_EQ(scratch.out_of("find logs"), "logs");
  remove_reflog(path, scratch / "logs");
}

TEST(Reflog, TakesThePlaceOfEmptyDirectories) {
  const test::Scratch scratch;
  scratch.out_of("mkdir -p logs/a/b");
  EXPECT_FALSE(append_reflog(scratch / "logs/a", "x\n", false, {}));
  EXPECT_TRUE(append_reflog(scratch / "logs/a", "x\n", true, {}));
}

TEST(Reflog, ReadsWhatGitWrote) {
  const test::Scratch scratch;
  scratch.out_of(
      "git init -q -b main r; cd r; git commit -q --allow-empty -m first; git commit -q --allow-empty -m second");
  std::string seen;
  for_each_reflog_entry(scratch / "r/.git/logs/HEAD", [&](const ReflogEntry& entry) {
    seen = entry.new_id.hex() + " " + std::string(entry.message) + "\n" + seen;
    EXPECT_EQ(entry.ident, "C <c@x>");
    EXPECT_EQ(entry.seconds, 1600000000);
    EXPECT_EQ(entry.zone, "+0000");
    return true;
  });
  EXPECT_EQ(seen, scratch.out_of("cd r; git reflog --format='%H %gs'") + "\n");
}

TEST(Reflog, SkipsLinesThatAreNoEntries) {
  const test::Scratch scratch;
  scratch.write("log",
                "garbage\n\n" + hex_zero + " " + hex_one + "\n" + hex_zero + " " + hex_one + " C <c@x> 1 +0000\tm");
  int count = 0;
  for_each_reflog_entry(scratch / "log", [&](const ReflogEntry& entry) {
    EXPECT_EQ(entry.message, "m");
    return ++count > 0;
  });
  EXPECT_EQ(count, 1);
  for_each_reflog_entry(scratch / "absent", [&](const ReflogEntry&) { return ++count > 0; });
  for_each_reflog_entry(scratch.path(), [&](const ReflogEntry&) { return ++count > 0; });
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace pfetch::repo
