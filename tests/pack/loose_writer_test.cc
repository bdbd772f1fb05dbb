// Unpacking beside git: what is written is read by git; nothing is replaced, nothing is left over.
#include "pack/loose_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/loose.h"
#include "tests/support/ingesting.h"
#include "tests/support/scratch.h"

namespace pfetch::pack {
namespace {

using object::Kind;
using test::Ingested;
using test::PackObject;

// A tag of a commit of a tree of blobs, in the order in which servers send them, some as deltas.
std::vector<PackObject> history(std::size_t blobs = 20) {
  std::vector<PackObject> objects;
  std::string tree;
  for (std::size_t i = 0; i < blobs; ++i) {
    const std::string content = "blob number " + std::to_string(1000 + i) + std::string(i * 50, 'x');
    objects.push_back({Kind::blob, content, i % 3 == 1 ? std::optional(i - 1) : std::nullopt});
    tree += test::tree_entry("100644", "f" + std::to_string(1000 + i), objects.back().id());
  }
  objects.push_back({Kind::tree, tree, {}});
  objects.push_back({Kind::commit, test::commit_text(objects.back().id()), {}});
  const std::string tag = "object " + objects.back().id().hex() + "\ntype commit\ntag t\ntagger A <a@x> 1 +0000\n\nm\n";
  objects.push_back({Kind::tag, tag, {}});
  return objects;
}

// 3 MB, of which deflating leaves a third or so.
std::string long_content() {
  std::string content;
  for (unsigned i = 0; content.size() < 3'000'000; ++i) content += std::to_string(i * 7919 % 10007);
  return content;
}

std::string packed(const std::vector<PackObject>& objects) {
  std::vector<std::size_t> order(objects.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  return test::lay_out(objects, order);
}

class LooseWriter : public ::testing::Test {
 protected:
  LooseWriter() { git_.out_of("git init -q --bare repo"); }

  LooseWriteOptions options() const {
    LooseWriteOptions options;
    options.objects_directory = objects();
    options.workers = 3;
    return options;
  }
  std::string objects() const { return git_ / "repo/objects"; }
  std::string path_of(const object::Oid& id) const { return store::loose_object_path(objects(), id); }
  std::string directory_of(const object::Oid& id) const { return path_of(id).substr(0, path_of(id).rfind('/')); }
  std::string content(const PackObject& object) const {
    return git_.bytes_of("git -C repo cat-file " + std::string(object::kind_name(object.kind)) + " " +
                         object.id().hex());
  }
  std::string left_over() const { return git_.out_of("find repo/objects -name 'tmp_*'"); }

  test::Scratch git_;
};

TEST_F(LooseWriter, WritesEveryObjectAsGitReadsIt) {
  const auto objects = history();
  Ingested ingested(packed(objects));
  const LooseWritten result = write_loose(ingested.ingest, options(), ingested.cancel);
  EXPECT_EQ(result.written, objects.size());
  EXPECT_EQ(result.skipped, 0U);
  for (const PackObject& object : objects) {
    EXPECT_EQ(content(object), object.content);
    struct stat info {};
    ASSERT_EQ(::stat(path_of(object.id()).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0444U & ~base::current_umask());
    EXPECT_EQ(info.st_nlink, 1U);
  }
  EXPECT_EQ(git_.out_of("git -C repo fsck --strict --no-dangling 2>/dev/null"), "");
  EXPECT_EQ(git_.out_of("git -C repo count-objects | cut -d' ' -f1"), std::to_string(objects.size()));
  EXPECT_EQ(left_over(), "");
}

TEST_F(LooseWriter, WritesTheSameBytesAsGit) {
  const auto objects = history(3);
  Ingested ingested(packed(objects));
  write_loose(ingested.ingest, options(), ingested.cancel);
  git_.write("pack", packed(objects));
  git_.out_of("git init -q --bare theirs && git -C theirs unpack-objects -q < pack");
  EXPECT_EQ(git_.out_of("cd repo/objects && find . -type f | sort | xargs sha1sum"),
            git_.out_of("cd theirs/objects && find . -type f | sort | xargs sha1sum"));
}

TEST_F(LooseWriter, ObeysTheLevelAndSharing) {
  const std::vector<PackObject> objects = {{Kind::blob, std::string(10000, 'x'), {}}};
  Ingested ingested(packed(objects));
  LooseWriteOptions stored = options();
  stored.level = 0;
  stored.durable = true;
  stored.shared_mode = repo::SharedMode::parse("0660");
  write_loose(ingested.ingest, stored, ingested.cancel);
  struct stat info {};
  ASSERT_EQ(::stat(path_of(objects[0].id()).c_str(), &info), 0);
  EXPECT_GT(info.st_size, 10000);
  EXPECT_EQ(info.st_mode & 0777, 0440U);
  ASSERT_EQ(::stat(directory_of(objects[0].id()).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 02770U);
}

TEST_F(LooseWriter, SkipsWhatIsHereAndReplacesNothing) {
  const auto objects = history();
  const std::string loose = path_of(objects[0].id());
  git_.write(loose.substr(git_.path().size() + 1), "another's");
  git_.out_of("touch -d 2001-01-01 " + loose);
  Ingested ingested(packed(objects));
  LooseWriteOptions some = options();
  some.exists = [&](const object::Oid& id) { return id == objects[1].id(); };
  const LooseWritten result = write_loose(ingested.ingest, some, ingested.cancel);
  EXPECT_EQ(result.written, objects.size() - 2);
  EXPECT_EQ(result.skipped, 2U);
  EXPECT_EQ(base::read_file(loose), "another's");
  EXPECT_FALSE(base::path_exists(path_of(objects[1].id())));
  // A loose object that may have been forgotten is young again.
  EXPECT_EQ(git_.out_of("find " + loose + " -mtime -1"), loose);
}

TEST_F(LooseWriter, LeavesWhatAnotherWroteInTheMeantime) {
  const std::vector<PackObject> objects = {{Kind::blob, "content", {}}};
  const std::string loose = path_of(objects[0].id());
  Ingested ingested(packed(objects));
  LooseWriteOptions raced = options();
  raced.exists = [&](const object::Oid&) {
    git_.write(loose.substr(git_.path().size() + 1), "another's");
    return false;
  };
  write_loose(ingested.ingest, raced, ingested.cancel);
  EXPECT_EQ(base::read_file(loose), "another's");
  EXPECT_EQ(left_over(), "");
}

TEST_F(LooseWriter, WritesOnceWhatAPackBringsTwice) {
  test::PackBuilder builder;
  builder.whole(Kind::blob, "twice");
  builder.whole(Kind::blob, "twice");
  Ingested ingested(builder.finish());
  EXPECT_EQ(write_loose(ingested.ingest, options(), ingested.cancel).written, 1U);
}

TEST_F(LooseWriter, StreamsWhatIsOverTheThreshold) {
  const std::vector<PackObject> objects = {{Kind::blob, long_content(), {}}};
  IngestOptions small;
  small.big_file_threshold = 1'000'000;
  Ingested ingested(packed(objects), small);
  ASSERT_TRUE(ingested.sink.objects().at(objects[0].id()).streamed);
  write_loose(ingested.ingest, options(), ingested.cancel);
  EXPECT_EQ(content(objects[0]), objects[0].content);
}

TEST_F(LooseWriter, PassesOverTheBasesOfAThinPack) {
  test::MemorySource here;
  const object::Oid base = here.add(Kind::blob, "the base of it");
  test::PackBuilder builder;
  builder.ref_delta(base, test::make_delta("the base of it", "the base of them"));
  IngestOptions thin;
  thin.thin_bases = &here;
  Ingested ingested(builder.finish(), thin);
  ASSERT_EQ(ingested.ingest.appended(), 1U);
  EXPECT_EQ(write_loose(ingested.ingest, options(), ingested.cancel).written, 1U);
  EXPECT_FALSE(base::path_exists(path_of(base)));
  EXPECT_TRUE(base::path_exists(path_of(test::object_id(Kind::blob, "the base of them"))));
}

// Whatever it is that stops it: no object is there without those that it names.
TEST_F(LooseWriter, AFailureLeavesNoTemporaryFileAndNothingThatNamesWhatIsMissing) {
  const auto objects = history();
  const object::Oid tree = objects[objects.size() - 3].id();
  git_.write(directory_of(tree).substr(git_.path().size() + 1), "in the way");
  Ingested ingested(packed(objects));
  EXPECT_THROW(write_loose(ingested.ingest, options(), ingested.cancel), Error);
  EXPECT_FALSE(base::path_exists(path_of(objects[objects.size() - 2].id())));
  EXPECT_FALSE(base::path_exists(path_of(objects[objects.size() - 1].id())));
  EXPECT_TRUE(base::path_exists(path_of(objects[0].id())));
  EXPECT_EQ(left_over(), "");
}

TEST_F(LooseWriter, AFailureInTheMiddleOfAnObjectLeavesNoTemporaryFile) {
  const std::vector<PackObject> objects = {{Kind::blob, long_content(), {}}};
  IngestOptions small;
  small.big_file_threshold = 1'000'000;
  Ingested ingested(packed(objects), small);
  ASSERT_EQ(::truncate(ingested.ingest.pack().path().c_str(), 200'000), 0);
  bool has_begun = false;
  LooseWriteOptions watched = options();
  watched.exists = [&](const object::Oid&) {
    has_begun = true;
    return false;
  };
  EXPECT_THROW(write_loose(ingested.ingest, watched, ingested.cancel), Error);
  EXPECT_TRUE(has_begun);
  EXPECT_FALSE(base::path_exists(path_of(objects[0].id())));
  EXPECT_EQ(left_over(), "");
}

TEST_F(LooseWriter, StopsWhenCancelled) {
  const auto objects = history();
  Ingested ingested(packed(objects));
  LooseWriteOptions watched = options();
  watched.workers = 1;
  std::size_t asked = 0;
  watched.exists = [&](const object::Oid&) {
    if (++asked == 5) ingested.cancel.request();
    return false;
  };
  try {
    write_loose(ingested.ingest, watched, ingested.cancel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_EQ(asked, 5U);
  EXPECT_EQ(left_over(), "");
}

}  // namespace
}  // namespace pfetch::pack
