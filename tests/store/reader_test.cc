#include "store/reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <random>
#include <thread>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/git_fixture.h"

namespace pfetch::store {
namespace {

const object::Oid nowhere = object::Oid::from_hex("0123456789012345678901234567890123456789").value();

std::string streamed(Reader& reader, const object::Oid& id) {
  std::string content;
  EXPECT_TRUE(reader.stream(id, [&](base::Bytes piece) {
    EXPECT_FALSE(piece.empty());
    content += base::as_text(piece);
  }));
  return content;
}

// Reads every object in the three ways and compares with git.
void expect_same_as_git(const GitFixture& repository, Reader& reader) {
  const auto objects = repository.all_objects();
  ASSERT_FALSE(objects.empty());
  for (const auto& [id, known] : objects) {
    const auto info = reader.info(id);
    ASSERT_TRUE(info) << id.hex();
    EXPECT_EQ(info->kind, known.kind) << id.hex();
    EXPECT_EQ(info->size, known.content.size()) << id.hex();
    const auto object = reader.read(id);
    ASSERT_TRUE(object) << id.hex();
    EXPECT_EQ(object->kind, known.kind);
    EXPECT_EQ(object->bytes.text(), known.content) << id.hex();
    EXPECT_EQ(streamed(reader, id), known.content) << id.hex();
    EXPECT_TRUE(reader.contains(id, true));
  }
  EXPECT_FALSE(reader.info(nowhere));
  EXPECT_FALSE(reader.read(nowhere));
  EXPECT_FALSE(reader.stream(nowhere, [](base::Bytes) {}));
  EXPECT_FALSE(reader.contains(nowhere));
}

std::string corrupt_message(const std::function<void()>& work) {
  return test::error_message(work, ErrorCode::corrupt);
}

std::string be32(std::uint32_t value) {
  std::string bytes(4, '\0');
  base::store_be32(bytes.data(), value);
  return bytes;
}

TEST(Reader, KnowsTheEmptyTreeThoughItIsNotStored) {
  const GitFixture git;
  Reader reader({git.objects()});
  const object::Oid empty_tree = object::Oid::from_hex("4b825dc642cb6eb9a060e54bf8d69288fbee4904").value();
  EXPECT_TRUE(reader.contains(empty_tree));
  EXPECT_FALSE(reader.stores(empty_tree));
  git.git("hash-object -t tree -w /dev/null");
  EXPECT_TRUE(reader.stores(empty_tree));
}

TEST(Reader, ReadsLooseObjects) {
  GitFixture repository;
  repository.make_history(3);
  repository.run(
      "git -c transfer.unpackLimit=1 gc -q; mv .git/objects/pack .git/saved; mkdir .git/objects/pack;"
      "for p in .git/saved/*.pack; do git unpack-objects -q < $p; done");
  repository.git("tag -a -m message v1 main");
  Reader reader({repository.objects()});
  expect_same_as_git(repository, reader);
}

TEST(Reader, ReadsPacksOfBothIndexVersions) {
  for (const std::string version : {"1", "2", "2,0x40"}) {
    GitFixture repository;
    repository.make_history(40);
    repository.git("repack -q -adf");
    for (const std::string& pack : repository.files(".git/objects/pack/*.pack")) {
      repository.run("rm -f " + pack.substr(0, pack.size() - 5) + ".idx && git index-pack --index-version=" + version +
                     " " + pack);
    }
    Reader reader({repository.objects()});
    expect_same_as_git(repository, reader);
  }
}

TEST(Reader, FollowsChainsOfThousandsOfDeltasWithASmallCache) {
  GitFixture repository;
  repository.make_history(2200, "--depth=4000");
  const std::string longest =
      repository.run("git verify-pack -v .git/objects/pack/*.idx | awk 'NF==7 && $6+0>m {m=$6+0} END {print m}'");
  EXPECT_GT(std::stoi(longest), 2000);
  ReaderOptions options;
  options.delta_base_cache_bytes = 64 << 10;
  Reader small({repository.objects()}, options);
  const auto objects = repository.all_objects();
  int count = 0;
  for (const auto& [id, known] : objects) {
    if (++count % 37 != 0) continue;
    EXPECT_EQ(small.read(id)->bytes.text(), known.content);
    EXPECT_EQ(small.info(id)->kind, known.kind);
  }
  Reader large({repository.objects()});
  for (const auto& [id, known] : objects) ASSERT_EQ(large.read(id)->bytes.text(), known.content);
}

TEST(Reader, FollowsRefDeltas) {
  GitFixture repository;
  repository.make_history(60);
  repository.git("-c repack.useDeltaBaseOffset=false repack -q -adf");
  Reader reader({repository.objects()});
  expect_same_as_git(repository, reader);
}

TEST(Reader, ReadsThroughAMultiPackIndex) {
  GitFixture repository;
  repository.make_history(30);
  repository.git("repack -q");
  repository.run("git commit-tree -m a 'main^{tree}' | git pack-objects -q .git/objects/pack/pack");
  repository.run(
      "git commit-tree -m b 'main^{tree}' | git pack-objects -q .git/objects/pack/pack && git prune-packed -q");
  repository.git("multi-pack-index write");
  repository.run(
      "git commit-tree -m later 'main^{tree}' | git pack-objects -q .git/objects/pack/pack && git prune-packed -q");
  ASSERT_GE(repository.files(".git/objects/pack/*.pack").size(), 4U);
  Reader reader({repository.objects()});
  expect_same_as_git(repository, reader);
}

TEST(Reader, ADamagedMultiPackIndexIsPassedOver) {
  GitFixture repository;
  repository.make_history(5);
  repository.git("repack -q -ad");
  repository.git("multi-pack-index write");
  const std::string path = repository.objects() + "/pack/multi-pack-index";
  GitFixture::overwrite(path, GitFixture::slurp(path).substr(0, 200));
  Reader reader({repository.objects()});
  EXPECT_TRUE(reader.read(object::Oid::from_hex(repository.git_line("rev-parse main")).value()));
}

TEST(Reader, LooksIntoAlternates) {
  GitFixture source;
  source.make_history(10);
  source.git("repack -q -ad");
  GitFixture repository;
  repository.write(".git/objects/info/alternates", source.objects() + "\n");
  repository.write("own", "own\n");
  repository.git("add own");
  Reader without({repository.objects()});
  const auto tip = object::Oid::from_hex(source.git_line("rev-parse main")).value();
  EXPECT_FALSE(without.read(tip));
  Reader reader({repository.objects(), repository.path() + "/absent", source.objects()});
  expect_same_as_git(repository, reader);
}

TEST(Reader, FindsWhatCameAfterItWasMade) {
  GitFixture repository;
  Reader reader({repository.objects()});
  const auto blob = object::Oid::from_hex(repository.run("echo new | git hash-object --stdin")).value_or(nowhere);
  EXPECT_FALSE(reader.read(blob));
  repository.write("file", "packed later\n");
  const auto id = object::Oid::from_hex(repository.git_line("hash-object -w file")).value();
  repository.run("echo " + id.hex() + " | git pack-objects -q .git/objects/pack/pack && git prune-packed -q");
  EXPECT_FALSE(reader.contains(id, true)) << "a quick look does not list again";
  EXPECT_TRUE(reader.contains(id));
  EXPECT_EQ(reader.read(id)->bytes.text(), "packed later\n");
}

TEST(Reader, FindsObjectsAgainWhenTheirPackVanished) {
  GitFixture repository;
  repository.make_history(10);
  repository.git("repack -q -ad");
  const auto objects = repository.all_objects();
  Reader reader({repository.objects()});
  ASSERT_TRUE(reader.contains(objects.begin()->first));  // its index is mapped now, its pack is not
  repository.run("git unpack-objects -q < $(ls .git/objects/pack/*.pack) || true");
  repository.git("repack -q -adf --depth=1");
  repository.git("multi-pack-index write");
  for (const auto& [id, known] : objects) ASSERT_EQ(reader.read(id)->bytes.text(), known.content);
}

TEST(Reader, TheEmptyTreeIsAlwaysThere) {
  GitFixture repository;
  Reader reader({repository.objects()});
  const auto id = object::Oid::from_hex("4b825dc642cb6eb9a060e54bf8d69288fbee4904").value();
  EXPECT_TRUE(reader.contains(id));
  EXPECT_EQ(reader.info(id)->kind, object::Kind::tree);
  EXPECT_EQ(reader.read(id)->bytes.size(), 0U);
  EXPECT_TRUE(reader.stream(id, [](base::Bytes) { FAIL(); }));
}

TEST(Reader, StreamsLargeObjectsInSmallPieces) {
  GitFixture repository;
  repository.run("head -c 20000000 /dev/zero > zeros && git hash-object -w zeros");
  const auto id = object::Oid::from_hex(repository.git_line("hash-object zeros")).value();
  for (const bool packed : {false, true}) {
    if (packed)
      repository.run("echo " + id.hex() + " | git pack-objects -q .git/objects/pack/pack && git prune-packed -q");
    Reader reader({repository.objects()});
    std::size_t largest = 0;
    std::size_t total = 0;
    ASSERT_TRUE(reader.stream(id, [&](base::Bytes piece) {
      largest = std::max(largest, piece.size());
      total += piece.size();
    }));
    EXPECT_EQ(total, 20000000U);
    EXPECT_LE(largest, 65536U);
  }
}

TEST(Reader, WhatTheStreamsReceiverThrowsComesOutUnchanged) {
  GitFixture repository;
  repository.write("file", "content\n");
  const auto id = object::Oid::from_hex(repository.git_line("hash-object -w file")).value();
  Reader reader({repository.objects()});
  const auto refuse = [](base::Bytes) { throw Error(ErrorCode::corrupt, "mine"); };
  EXPECT_EQ(corrupt_message([&] { reader.stream(id, refuse); }), "mine");
}

TEST(Reader, ManyThreadsReadTheSame) {
  GitFixture repository;
  repository.make_history(150);
  repository.git("repack -q -adf --depth=200");
  const auto objects = repository.all_objects();
  ReaderOptions options;
  options.delta_base_cache_bytes = 256 << 10;
  Reader reader({repository.objects()}, options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::vector<object::Oid> ids;
      for (const auto& each : objects) ids.push_back(each.first);
      std::shuffle(ids.begin(), ids.end(), std::mt19937(seed));
      for (const object::Oid& id : ids) {
        const auto object = reader.read(id);
        if (!object || object->bytes.text() != objects.at(id).content) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Reader, NamesTheLooseObjectThatIsCorrupt) {
  GitFixture repository;
  repository.write("file", std::string(100000, 'x') + "end");
  const auto id = object::Oid::from_hex(repository.git_line("hash-object -w file")).value();
  const std::string path = loose_object_path(repository.objects(), id);
  const std::string good = GitFixture::slurp(path);
  const std::string name = "loose object " + id.hex() + " (stored in " + path + ") is corrupt: ";
  Reader reader({repository.objects()});
  GitFixture::overwrite(path, good + "x");
  EXPECT_EQ(corrupt_message([&] { reader.read(id); }), name + "there is garbage at its end");
  GitFixture::overwrite(path, good.substr(0, good.size() - 1));
  EXPECT_EQ(corrupt_message([&] { reader.read(id); }), name + "it cannot be inflated");
  GitFixture::overwrite(path, "");
  EXPECT_EQ(corrupt_message([&] { reader.info(id); }), name + "it cannot be inflated");
}

// Flips bits all over a file; reading refuses, or goes on. (A delta that now names a wrong base of the same size is
// something only a hash can tell, and the reader, as git's, does not compute any.)
void flip_bits(GitFixture& repository, const std::string& path, int rounds) {
  const auto objects = repository.all_objects();
  const std::string good = GitFixture::slurp(path);
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1U << random() % 8);
    GitFixture::overwrite(path, bad);
    Reader reader({repository.objects()});
    for (const auto& [id, known] : objects) {
      try {
        reader.info(id);
        reader.read(id);
        reader.stream(id, [](base::Bytes) {});
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ErrorCode::corrupt || error.code() == ErrorCode::refused) << error.message();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
  GitFixture::overwrite(path, good);
}

TEST(Reader, ADamagedPackIsRefusedNeverACrash) {
  GitFixture repository;
  repository.make_history(12);
  repository.git("repack -q -adf");
  flip_bits(repository, repository.files(".git/objects/pack/*.pack").at(0), 300);
}

TEST(Reader, NamesThePackedObjectThatIsCorrupt) {
  GitFixture repository;
  repository.write("file", std::string(1000, 'x'));
  const auto id = object::Oid::from_hex(repository.git_line("hash-object -w file")).value();
  repository.run("echo " + id.hex() + " | git pack-objects -q .git/objects/pack/pack && git prune-packed -q");
  const std::string path = repository.files(".git/objects/pack/*.pack").at(0);
  std::string bad = GitFixture::slurp(path);
  bad[20] ^= 0x55;
  GitFixture::overwrite(path, bad);
  Reader reader({repository.objects()});
  const std::string name = "packed object " + id.hex() + " (stored in " + path + ") is corrupt: entry at offset 12: ";
  EXPECT_EQ(corrupt_message([&] { reader.read(id); }).substr(0, name.size()), name);
  EXPECT_EQ(corrupt_message([&] { reader.stream(id, [](base::Bytes) {}); }).substr(0, name.size()), name);
}

TEST(Reader, AGoodCopyElsewhereServesForADamagedOne) {
  GitFixture repository;
  repository.write("file", std::string(1000, 'x'));
  const auto id = object::Oid::from_hex(repository.git_line("hash-object -w file")).value();
  repository.run("echo " + id.hex() + " | git pack-objects -q .git/objects/pack/pack");
  const std::string path = repository.files(".git/objects/pack/*.pack").at(0);
  std::string bad = GitFixture::slurp(path);
  bad[20] ^= 0x55;
  GitFixture::overwrite(path, bad);
  Reader reader({repository.objects()});
  EXPECT_EQ(reader.read(id)->bytes.text(), std::string(1000, 'x'));
}

TEST(Reader, ARingOfRefDeltasIsDamage) {
  GitFixture repository;
  // Two ref-deltas on each other, with an index that says so; git would not make this, so it is put together here.
  object::Oid a;
  object::Oid b;
  a.raw.fill(0x11);
  b.raw.fill(0x22);
  const std::string delta = "\x05\x05\x05hello";
  std::string deflated(64, 0);
  uLongf size = deflated.size();
  ASSERT_EQ(::compress(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(delta.data()),
                       delta.size()),
            Z_OK);
  deflated.resize(size);
  const auto entry = [&](const object::Oid& on) {
    return std::string(1, static_cast<char>(7U << 4 | delta.size())) + std::string(base::as_text(on.bytes())) +
           deflated;
  };
  const std::string checksum(object::Oid::raw_size, '\0');  // neither file's checksum is computed by the reader
  GitFixture::overwrite(repository.objects() + "/pack/pack-ring.pack",
                        "PACK" + be32(2) + be32(2) + entry(b) + entry(a) + checksum);
  std::string index = "\377tOc" + be32(2);
  for (unsigned first = 0; first < 256; ++first) index += be32((first >= 0x11 ? 1U : 0U) + (first >= 0x22 ? 1U : 0U));
  index.append(base::as_text(a.bytes())).append(base::as_text(b.bytes())).append(be32(0)).append(be32(0));
  index += be32(12) + be32(12 + static_cast<std::uint32_t>(entry(b).size())) + checksum + checksum;
  GitFixture::overwrite(repository.objects() + "/pack/pack-ring.idx", index);
  Reader reader({repository.objects()});
  EXPECT_NE(corrupt_message([&] { reader.read(a); }).find("never ends"), std::string::npos);
  EXPECT_NE(corrupt_message([&] { reader.info(a); }).find("never ends"), std::string::npos);
}

}  // namespace
}  // namespace pfetch::store
