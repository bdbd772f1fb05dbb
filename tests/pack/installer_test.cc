// Indexes are git's, byte by byte; a pack appears whole or not at all; thin packs are completed.
#include "pack/installer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "base/fd.h"
#include "base/process.h"
#include "tests/support/ingesting.h"

namespace pfetch::pack {
namespace {

using object::Kind;
using test::Ingested;
using test::PackBuilder;
using test::PackObject;
using test::TemporaryDirectory;

std::vector<PackObject> some_objects(std::size_t count = 400) {
  std::vector<PackObject> objects;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string content = "object number " + std::to_string(i) + std::string(i % 97, 'x');
    if (i % 3 == 0) {
      objects.push_back({Kind::blob, content, {}});
    } else {
      objects.push_back({Kind::blob, content, i - 1});
    }
  }
  return objects;
}

void write_file(const std::string& path, const std::string& content) {
  const base::UniqueFd fd = base::open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  base::write_all(fd.get(), base::as_bytes(content), path);
}

int run_git(const std::vector<std::string>& arguments, const std::string& directory) {
  base::ProcessOptions options;
  options.argv = {"git"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.directory = directory;
  options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"},
                         {"GIT_CONFIG_NOSYSTEM", "1"},
                         {"HOME", directory},
                         {"GIT_CEILING_DIRECTORIES", "/"},
                         {"GIT_DIR", std::nullopt}};
  options.out = options.err = base::ProcessOptions::Stream::null;
  return base::Process::start(options).wait();
}

InstalledPack install(Ingested& ingested, InstallOptions options = {}) {
  if (options.pack_directory.empty()) options.pack_directory = ingested.directory.path();
  options.durable = false;
  return install_pack(ingested.ingest, options);
}

std::vector<std::string> names_of(const InstalledPack& pack, const std::vector<std::string>& endings) {
  std::vector<std::string> names;
  for (const std::string& ending : endings) names.push_back("pack-" + pack.checksum + ending);
  return names;
}

TEST(Installer, WritesTheIndexesThatGitWrites) {
  const auto objects = some_objects();
  auto order = test::natural_order(objects.size());
  std::mt19937 random(5);
  for (const std::uint32_t small_offset_max : {0x7fffffffU, 0x40U, 0U}) {
    std::shuffle(order.begin(), order.end(), random);
    const std::string bytes = test::lay_out(objects, order);
    TemporaryDirectory git;
    write_file(git / "theirs.pack", bytes);
    ASSERT_EQ(
        run_git({"index-pack", "--rev-index", "--index-version=2," + std::to_string(small_offset_max), "theirs.pack"},
                git.path()),
        0);
    Ingested ingested(bytes);
    InstallOptions options;
    options.idx.small_offset_max = small_offset_max;
    const InstalledPack installed = install(ingested, options);
    EXPECT_EQ(ingested.directory.names(), names_of(installed, {".idx", ".pack", ".rev"}));
    EXPECT_TRUE(base::same_bytes(installed.base_path + ".pack", git / "theirs.pack"));
    EXPECT_TRUE(base::same_bytes(installed.base_path + ".idx", git / "theirs.idx")) << small_offset_max;
    EXPECT_TRUE(base::same_bytes(installed.base_path + ".rev", git / "theirs.rev")) << small_offset_max;
  }
}

TEST(Installer, MakesFilesThatNobodyWritesAndThoseInTheGroupMayRead) {
  Ingested ingested(test::lay_out(some_objects(3), {0, 1, 2}));
  InstallOptions options;
  options.keep_message = "why";
  const InstalledPack installed = install(ingested, options);
  for (const char* ending : {".pack", ".idx", ".rev"}) {
    struct stat info {};
    ASSERT_EQ(::stat((installed.base_path + ending).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0444U & ~base::current_umask()) << ending;
  }
  EXPECT_EQ(base::read_file(installed.base_path + ".keep"), "why\n");
}

TEST(Installer, LeavesOutTheReverseIndexWhenTold) {
  Ingested ingested(test::lay_out(some_objects(3), {0, 1, 2}));
  InstallOptions options;
  options.write_rev = false;
  const InstalledPack installed = install(ingested, options);
  EXPECT_EQ(ingested.directory.names(), names_of(installed, {".idx", ".pack"}));
}

TEST(Installer, TakesThePackThatIsThereAlready) {
  const std::string bytes = test::lay_out(some_objects(5), {0, 1, 2, 3, 4});
  TemporaryDirectory directory;
  IngestOptions where;
  where.pack_directory = directory.path();
  InstallOptions options;
  options.pack_directory = directory.path();
  options.keep_message = "";
  ino_t inode = 0;
  for (int time = 0; time < 2; ++time) {
    Ingested ingested(bytes, where);
    const InstalledPack installed = install(ingested, options);
    struct stat info {};
    ASSERT_EQ(::stat((installed.base_path + ".pack").c_str(), &info), 0);
    if (time == 1) {
      EXPECT_EQ(info.st_ino, inode);  // the one that others have open stays
    }
    inode = info.st_ino;
  }
  EXPECT_EQ(directory.names().size(), 4U);
}

TEST(Installer, RefusesAPackOfTheSameNameWithOtherBytes) {
  const std::string bytes = test::lay_out(some_objects(5), {0, 1, 2, 3, 4});
  Ingested ingested(bytes);
  const std::string base_path =
      ingested.directory / ("pack-" + object::Oid::from_raw(ingested.ingest.checksum().data()).hex());
  write_file(base_path + ".pack", "other");
  write_file(base_path + ".idx", "other");
  InstallOptions options;
  options.keep_message = "";
  EXPECT_THROW(install(ingested, options), Error);
  EXPECT_EQ(base::read_file(base_path + ".pack"), "other");
  EXPECT_FALSE(base::path_exists(base_path + ".keep"));
}

TEST(Installer, LeavesNothingWhenItFails) {
  TemporaryDirectory directory;
  {
    IngestOptions where;
    where.pack_directory = directory.path();
    Ingested ingested(test::lay_out(some_objects(5), {0, 1, 2, 3, 4}), where);
    InstallOptions options;
    options.pack_directory = directory.path();
    options.keep_message = "keep";
    // The index cannot take its place: a directory that is not empty has it.
    const std::string base_path =
        directory / ("pack-" + object::Oid::from_raw(ingested.ingest.checksum().data()).hex());
    options.idx_path = directory / "taken.idx";
    base::make_directories(directory / "taken.idx/inside");
    EXPECT_THROW(install(ingested, options), Error);
    options.idx_path = directory / "no/such/place.idx";
    EXPECT_THROW(install(ingested, options), Error);
  }
  EXPECT_EQ(directory.names(), std::vector<std::string>{"taken.idx"});
}

TEST(Installer, IndexesAPackInPlace) {
  TemporaryDirectory directory;
  const std::string bytes = test::lay_out(some_objects(9), test::natural_order(9));
  write_file(directory / "some.pack", bytes);
  IngestOptions where;
  where.existing_file = directory / "some.pack";
  Ingested ingested(bytes, where);
  InstallOptions options;
  options.base_path = directory / "some";
  options.durable = false;
  install_index(ingested.ingest, options);
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"some.idx", "some.pack", "some.rev"}));
  EXPECT_EQ(run_git({"verify-pack", "some.idx"}, directory.path()), 0);
}

// ------------------------------------------------------------------------------------------------ thin packs

TEST(ThinCompleter, AppendsEachMissingBaseOnceAndGitAgrees) {
  test::MemorySource before;
  const std::string base_one(3000, 'o');
  const std::string base_two = std::string(100, 't') + base_one;
  const auto one = before.add(Kind::blob, base_one);
  const auto two = before.add(Kind::blob, base_two);
  before.add(Kind::blob, "unrelated");
  PackBuilder builder;
  builder.ref_delta(one, test::make_delta(base_one, base_one + "1"));
  const auto at = builder.ref_delta(two, test::make_delta(base_two, base_two + "2"));
  builder.ref_delta(one, test::make_delta(base_one, base_one + "3"));
  builder.ofs_delta(at, test::make_delta(base_two + "2", base_two + "22"));
  builder.whole(Kind::blob, "whole");
  builder.ref_delta(test::object_id(Kind::blob, base_one + "1"), test::make_delta(base_one + "1", base_one + "4"));

  EXPECT_EQ(test::refusal(builder.finish()).code(), ErrorCode::corrupt);
  for (unsigned workers = 1; workers <= 4; ++workers) {
    IngestOptions options;
    options.thin_bases = &before;
    options.workers = workers;
    Ingested ingested(builder.finish(), options);
    EXPECT_EQ(ingested.ingest.appended(), 2U);
    EXPECT_EQ(ingested.lines().size(), 8U);
    for (const std::string& content :
         {base_one + "1", base_two + "2", base_one + "3", base_two + "22", base_one + "4"}) {
      EXPECT_EQ(ingested.contents().at(test::object_id(Kind::blob, content)), content);
    }
    EXPECT_EQ(ingested.ingest.pack().read(two)->bytes.text(), base_two);
    const InstalledPack installed = install(ingested);
    const std::string copy = ingested.directory / "copy.pack";
    write_file(copy, base::read_file(installed.base_path + ".pack"));
    ASSERT_EQ(run_git({"index-pack", copy}, ingested.directory.path()), 0);
    EXPECT_TRUE(base::same_bytes(installed.base_path + ".idx", ingested.directory / "copy.idx"));
  }
}

TEST(ThinCompleter, OpensARingWithAnObjectThatWasHereBefore) {
  test::MemorySource before;
  before.add(Kind::blob, "content one");
  PackBuilder builder;
  builder.ref_delta(test::object_id(Kind::blob, "content two"), test::make_delta("content two", "content one"));
  builder.ref_delta(test::object_id(Kind::blob, "content one"), test::make_delta("content one", "content two"));
  IngestOptions options;
  options.thin_bases = &before;
  EXPECT_EQ(Ingested(builder.finish(), options).sink.objects().size(), 2U);
}

TEST(ThinCompleter, BlamesALocalObjectThatIsDamaged) {
  test::MemorySource before;
  const auto id = test::object_id(Kind::blob, "as it was");
  before.put(id, Kind::blob, "as it is!");
  PackBuilder builder;
  builder.ref_delta(id, test::make_delta("as it was", "as it was sent"));
  IngestOptions options;
  options.thin_bases = &before;
  EXPECT_EQ(test::refusal(builder.finish(), options).message(), "local object " + id.hex() + " is corrupt");
}

TEST(ThinCompleter, LeavesAlonePacksThatAreWholeAndRefusesWhatIsNowhere) {
  test::MemorySource before;
  before.add(Kind::blob, "here");
  IngestOptions options;
  options.thin_bases = &before;
  Ingested whole(test::lay_out(some_objects(5), {0, 1, 2, 3, 4}), options);
  EXPECT_EQ(whole.ingest.appended(), 0U);
  PackBuilder builder;
  builder.ref_delta(test::object_id(Kind::blob, "here"), test::make_delta("here", "there"));
  const auto nowhere = test::object_id(Kind::blob, "nowhere");
  builder.ref_delta(nowhere, test::make_delta("nowhere", "somewhere"));
  const Error error = test::refusal(builder.finish(), options);
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_NE(error.message().find(nowhere.hex()), std::string::npos) << error.message();
}

}  // namespace
}  // namespace pfetch::pack
