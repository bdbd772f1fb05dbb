#include "repo/packed_refs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {
namespace {

using object::Oid;

const std::string one(40, '1');
const std::string two(40, '2');
const std::string header = "# pack-refs with: peeled fully-peeled sorted \n";

std::string names(const PackedRefs& refs, std::string_view prefix) {
  std::string text;
  refs.for_each(prefix, [&](const PackedRef& ref) {
    text += std::string(ref.name) + " ";
    return true;
  });
  return text;
}

std::string message_of(const std::function<void()>& act) {
  return test::error_message(act, ErrorCode::corrupt);
}

TEST(PackedRefs, AbsentFileIsEmpty) {
  const test::Scratch scratch;
  const auto refs = PackedRefs::load(scratch / "packed-refs");
  EXPECT_EQ(refs->find("refs/heads/a"), std::nullopt);
  EXPECT_FALSE(refs->stamp().there);
  scratch.write("packed-refs", header);
  EXPECT_FALSE(refs->is_current());
  EXPECT_EQ(names(*PackedRefs::load(scratch / "packed-refs"), ""), "");
}

TEST(PackedRefs, ReadsWhatGitPacked) {
  const test::Scratch scratch;
  scratch.out_of(
      "git init -q -b main r; cd r; git commit -q --allow-empty -m c; git tag -a -m t v1; git tag light;"
      "git branch a/b; git branch a-b; git branch ab; git pack-refs --all");
  const auto refs = PackedRefs::load(scratch / "r/.git/packed-refs");
  EXPECT_EQ(names(*refs, ""),
            "refs/heads/a-b refs/heads/a/b refs/heads/ab refs/heads/main refs/tags/light refs/tags/v1 ");
  EXPECT_EQ(names(*refs, "refs/heads/a/"), "refs/heads/a/b ");
  EXPECT_EQ(names(*refs, "refs/tags/v1x"), "");
  const auto tag = refs->find("refs/tags/v1");
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->id.hex(), scratch.out_of("cd r; git rev-parse v1"));
  EXPECT_EQ(tag->peeled->hex(), scratch.out_of("cd r; git rev-parse v1^{}"));
  EXPECT_TRUE(refs->find("refs/tags/light")->peel_known);
  EXPECT_EQ(refs->find("refs/tags/light")->peeled, std::nullopt);
}

// 100,000 refs, half of them with a peeled line; every search may look at about log2(100,000) lines.
TEST(PackedRefs, FindsOneOfManyByLookingAtFew) {
  const test::Scratch scratch;
  std::string text = header;
  for (int i = 0; i < 100000; ++i) {
    text += fmt::format("{} refs/tags/v{:06}\n", one, i);
    if (i % 2 == 0) text += "^" + two + "\n";
  }
  scratch.write("packed-refs", text);
  const auto refs = PackedRefs::load(scratch / "packed-refs");
  std::size_t worst = 0;
  for (const int i : {0, 1, 2, 777, 49999, 50000, 99998, 99999}) {
    std::size_t lines = 0;
    const auto found = refs->find(fmt::format("refs/tags/v{:06}", i), &lines);
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->peeled.has_value(), i % 2 == 0);
    worst = std::max(worst, lines);
  }
  std::size_t lines = 0;
  EXPECT_FALSE(refs->find("refs/tags/v050000x", &lines));
  EXPECT_FALSE(refs->find("a", &lines));
  EXPECT_FALSE(refs->find("z", &lines));
  EXPECT_LE(worst, 25u);
  EXPECT_LE(lines, 75u);
}

TEST(PackedRefs, SortsAFileThatDoesNotSaySorted) {
  const test::Scratch scratch;
  scratch.write("packed-refs",
                "# pack-refs with: peeled \n" + one + " refs/tags/z\n^" + two + "\n" + two + " refs/heads/a\n");
  const auto refs = PackedRefs::load(scratch / "packed-refs");
  EXPECT_EQ(names(*refs, ""), "refs/heads/a refs/tags/z ");
  EXPECT_TRUE(refs->find("refs/tags/z")->peeled);
  EXPECT_FALSE(refs->find("refs/heads/a")->peel_known);
  scratch.write("packed-refs", two + " refs/heads/b\n" + one + " refs/heads/a\n");
  EXPECT_EQ(names(*PackedRefs::load(scratch / "packed-refs"), "refs/"), "refs/heads/a refs/heads/b ");
}

TEST(PackedRefs, NamesDamagedLines) {
  const test::Scratch scratch;
  const std::string path = scratch / "packed-refs";
  const auto load_and_walk = [&] { names(*PackedRefs::load(path), ""); };
  const auto with = [&](const std::string& text) {
    scratch.write("packed-refs", text);
    return message_of(load_and_walk);
  };
  EXPECT_EQ(with(header + one + " refs/heads/a"), "unterminated line in " + path + ": " + one + " refs/heads/a");
  EXPECT_EQ(with("x"), "unterminated line in " + path + ": x");
  EXPECT_EQ(with("# nonsense\n"), "unexpected line in " + path + ": # nonsense");
  EXPECT_EQ(with(header + "short\n"), "unexpected line in " + path + ": short");
  EXPECT_EQ(with(header + "\n"), "unexpected line in " + path + ": ");
  EXPECT_EQ(with(header + std::string(40, 'g') + " refs/heads/a\n").substr(0, 15), "unexpected line");
  EXPECT_EQ(with(header + one + "xrefs/heads/a\n").substr(0, 15), "unexpected line");
  EXPECT_EQ(with(header + one + " \n").substr(0, 15), "unexpected line");
  EXPECT_EQ(with(header + one + " refs/heads/a\n^12\n"), "unexpected line in " + path + ": ^12");
  EXPECT_EQ(with(header + "^" + one + "\n").substr(0, 15), "unexpected line");
  EXPECT_EQ(with(header + one + " ../config\n").substr(0, 29), "packed refname is dangerous: ");
}

TEST(PackedRefs, KeepsBadButSafeNamesAsData) {
  const test::Scratch scratch;
  scratch.write("packed-refs", header + one + " refs/heads/a b\n" + one + " refs/heads/c\n");
  const auto refs = PackedRefs::load(scratch / "packed-refs");
  EXPECT_TRUE(refs->find("refs/heads/a b")->bad_name);
  EXPECT_FALSE(refs->find("refs/heads/c")->bad_name);
}

TEST(PackedRefsEditor, WritesTheBytesThatGitWrites) {
  const test::Scratch scratch;
  scratch.out_of(
      "git init -q -b main r; cd r; git commit -q --allow-empty -m c; git tag -a -m t v1; git branch z; git branch a/b;"
      "git pack-refs --all; cp .git/packed-refs before; git tag -d v1 >/dev/null; git update-ref -d refs/heads/z;"
      "git branch n; git pack-refs --all; cp .git/packed-refs after; cp before .git/packed-refs");
  const std::string path = scratch / "r/.git/packed-refs";
  auto editor = PackedRefsEditor::take(path, {});
  EXPECT_EQ(scratch.out_of("ls r/.git/packed-refs.*"), "r/.git/packed-refs.lock");
  PackedChanges changes;
  changes["refs/tags/v1"] = std::nullopt;
  changes["refs/heads/z"] = std::nullopt;
  changes["refs/heads/n"] = PackedValue{editor.current().find("refs/heads/main")->id, std::nullopt, true};
  editor.stage(changes);
  EXPECT_EQ(scratch.read("r/.git/packed-refs"), scratch.read("r/before"));
  editor.commit();
  EXPECT_EQ(scratch.read("r/.git/packed-refs"), scratch.read("r/after"));
  EXPECT_EQ(scratch.run("ls r/.git/packed-refs.*").status != 0, true);
}

TEST(PackedRefsEditor, DoesNotClaimPeeledValuesItDoesNotKnow) {
  const test::Scratch scratch;
  auto editor = PackedRefsEditor::take(scratch / "packed-refs", {});
  editor.stage({{"refs/tags/v1", PackedValue{*Oid::from_hex(one), std::nullopt, false}}});
  editor.commit();
  EXPECT_EQ(scratch.read("packed-refs"), "# pack-refs with: sorted \n" + one + " refs/tags/v1\n");
}

TEST(PackedRefsEditor, LeavesEverythingAsItWasWithoutCommit) {
  const test::Scratch scratch;
  scratch.write("packed-refs", header + one + " refs/heads/a\n");
  {
    auto editor = PackedRefsEditor::take(scratch / "packed-refs", {});
    editor.stage({{"refs/heads/a", std::nullopt}});
    EXPECT_THROW(PackedRefsEditor::take(scratch / "packed-refs", {.lock_wait_ms = 0}), Error);
  }
  EXPECT_EQ(scratch.out_of("ls"), "packed-refs");
  EXPECT_EQ(scratch.read("packed-refs"), header + one + " refs/heads/a\n");
}

TEST(PackedRefsEditor, WritesNothingWhenNothingChanges) {
  const test::Scratch scratch;
  auto editor = PackedRefsEditor::take(scratch / "packed-refs", {});
  editor.stage({{"refs/heads/a", std::nullopt}});
  editor.commit();
  EXPECT_EQ(scratch.out_of("ls"), "");
}

TEST(PackedRefsEditor, ReplacesTheTargetOfASymlink) {
  const test::Scratch scratch;
  scratch.out_of("mkdir real; touch real/file; ln -s real/file packed-refs");
  auto editor = PackedRefsEditor::take(scratch / "packed-refs", {});
  editor.stage({{"refs/heads/a", PackedValue{*Oid::from_hex(one), std::nullopt, true}}});
  editor.commit();
  EXPECT_EQ(scratch.read("real/file"), header + one + " refs/heads/a\n");
  EXPECT_EQ(scratch.out_of("readlink packed-refs"), "real/file");
}

}  // namespace
}  // namespace pfetch::repo
