// The pipeline takes every legal pack, in every order, and gives the same objects.
#include "pack/ingest.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <cstdlib>
#include <random>

#include "base/fd.h"
#include "tests/support/ingesting.h"
#include "tests/support/seeds.h"

namespace pfetch::pack {
namespace {

using object::Kind;
using test::Ingested;
using test::PackBuilder;
using test::PackObject;

std::string random_text(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>("ab\n\0xyz\xff"[random() % 8]);
  return text;
}

// A forest of objects: each is new, or a change of an earlier one and then stored as a delta against it. No two are
// equal.
std::vector<PackObject> random_objects(std::mt19937& random) {
  std::vector<PackObject> objects;
  std::map<object::Oid, int> known;
  const std::size_t count = 1 + random() % 60;
  while (objects.size() < count) {
    PackObject next;
    if (!objects.empty() && random() % 3 != 0) {
      next.base = random() % objects.size();
      next.kind = objects[*next.base].kind;
      next.content = objects[*next.base].content;
      next.content.insert(random() % (next.content.size() + 1), random_text(random, 1 + random() % 300));
    } else {
      next.kind = static_cast<Kind>(1 + random() % 4);
      next.content = random_text(random, random() % (random() % 20 == 0 ? 200000 : 2000));
    }
    if (known.emplace(next.id(), 0).second) objects.push_back(std::move(next));
  }
  return objects;
}

TEST(Ingest, GivesTheSameObjectsWhateverTheirOrderInThePack) {
  for (unsigned seed = 1; seed <= test::seed_count(50); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto objects = random_objects(random);
    auto order = test::natural_order(objects.size());
    std::shuffle(order.begin(), order.end(), random);
    IngestOptions options;
    options.workers = 1 + random() % 8;
    options.base_cache_bytes = random() % 2 == 0 ? 1 : std::uint64_t{1} << (random() % 24);
    const Ingested ingested(test::lay_out(objects, order, random() % 2 == 0), options, random() % 3 * 1000);
    ASSERT_EQ(ingested.contents(), test::contents_of(objects));
    for (const auto& [id, seen] : ingested.sink.objects()) ASSERT_EQ(seen.times, 1) << id.hex();
  }
}

TEST(Ingest, GivesTheSameTableForEveryCountOfWorkersPieceAndCache) {
  std::mt19937 random(7);
  std::vector<PackObject> objects = random_objects(random);
  while (objects.size() < 30) objects = random_objects(random);
  auto order = test::natural_order(objects.size());
  std::shuffle(order.begin(), order.end(), random);
  const std::string pack = test::lay_out(objects, order);
  Ingested first(pack);
  ASSERT_EQ(first.lines().size(), objects.size());
  for (unsigned workers = 1; workers <= 8; ++workers) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{977}, std::size_t{0}}) {
      IngestOptions options;
      options.workers = workers;
      options.base_cache_bytes = workers % 2 == 0 ? 1 : 1 << 20;
      Ingested again(pack, options, piece);
      ASSERT_EQ(again.lines(), first.lines()) << workers << " workers, pieces of " << piece;
      ASSERT_EQ(again.ingest.checksum(), first.ingest.checksum());
    }
  }
}

TEST(Ingest, WritesThePackAsItCame) {
  const std::string pack = test::lay_out({{Kind::blob, "one", {}}, {Kind::blob, "one two", 0}}, {1, 0});
  Ingested ingested(pack, {}, 1);
  EXPECT_EQ(base::read_file(ingested.ingest.pack().path()), pack);
}

TEST(Ingest, TakesAnEmptyPackAndEmptyObjects) {
  EXPECT_TRUE(Ingested(PackBuilder().finish()).contents().empty());
  PackBuilder builder;
  for (const Kind kind : {Kind::blob, Kind::tree, Kind::commit}) builder.whole(kind, "");
  Ingested ingested(builder.finish());
  EXPECT_EQ(ingested.sink.objects().size(), 3U);
  EXPECT_EQ(ingested.sink.objects().at(test::object_id(Kind::blob, "")).size, 0U);
  EXPECT_EQ(ingested.ingest.pack().read(test::object_id(Kind::tree, ""))->bytes.size(), 0U);
}

TEST(Ingest, TakesAPackThatIsNotCompressedAtAllInAnyPieces) {
  // Stored blocks are longer than what they hold: libdeflate's usual bound is not enough for many small ones.
  std::string content(3000, 'x');
  std::string stream = "\x78\x01";
  for (std::size_t i = 0; i < content.size(); ++i) {
    stream += i + 1 == content.size() ? '\1' : '\0';
    stream += std::string("\x01\x00\xfe\xff", 4) + content[i];
  }
  const std::string usual = test::deflated(content);
  stream += usual.substr(usual.size() - 4);  // the Adler-32
  PackBuilder builder;
  builder.raw(3, content.size(), "", stream);
  builder.whole(Kind::blob, "next");
  for (const std::size_t piece : {1U, 100U, 0U}) {
    EXPECT_EQ(Ingested(builder.finish(), {}, piece).contents().count(test::object_id(Kind::blob, content)), 1U);
  }
}

// ------------------------------------------------------------------------------------------------ deltas

std::vector<PackObject> chain(std::size_t count) {
  std::vector<PackObject> objects = {{Kind::blob, "0", {}}};
  for (std::size_t i = 1; i < count; ++i) objects.push_back({Kind::blob, std::to_string(i), i - 1});
  return objects;
}

TEST(Ingest, FollowsAChainOfTwentyThousandDeltasInBothDirections) {
  const auto objects = chain(20000);
  auto order = test::natural_order(objects.size());
  EXPECT_EQ(Ingested(test::lay_out(objects, order)).contents().size(), objects.size());
  std::reverse(order.begin(), order.end());
  const Ingested backwards(test::lay_out(objects, order));
  EXPECT_EQ(backwards.contents(), test::contents_of(objects));
}

TEST(Ingest, FollowsADeepChainWithoutACacheAndWithoutInflatingTheWholeChainForEachLink) {
  const auto objects = chain(3000);
  auto order = test::natural_order(objects.size());
  IngestOptions options;
  options.base_cache_bytes = 1;
  options.workers = 1;
  for (int direction = 0; direction < 2; ++direction) {
    const Ingested ingested(test::lay_out(objects, order), options);
    EXPECT_EQ(ingested.contents().size(), objects.size());
    EXPECT_LE(ingested.ingest.counters().inflated_again.load(), 200'000U) << "direction " << direction;
    std::reverse(order.begin(), order.end());
  }
}

TEST(Ingest, ResolvesAThousandDeltasOfOneBase) {
  std::vector<PackObject> objects = {{Kind::tree, std::string(5000, 'b'), {}}};
  for (int i = 0; i < 1000; ++i) objects.push_back({Kind::tree, objects[0].content + std::to_string(i), 0});
  auto order = test::natural_order(objects.size());
  for (int direction = 0; direction < 2; ++direction) {
    Ingested ingested(test::lay_out(objects, order));
    EXPECT_EQ(ingested.contents(), test::contents_of(objects));
    for (const auto& [id, seen] : ingested.sink.objects()) ASSERT_EQ(seen.kind, Kind::tree);
    std::reverse(order.begin(), order.end());
  }
}

TEST(Ingest, InflatesEachEntryOnceWhenNothingIsEvicted) {
  std::mt19937 random(11);
  for (int round = 0; round < 5; ++round) {
    const auto objects = random_objects(random);
    auto order = test::natural_order(objects.size());
    std::shuffle(order.begin(), order.end(), random);
    const Ingested ingested(test::lay_out(objects, order));
    const auto& counters = ingested.ingest.counters();
    EXPECT_EQ(counters.inflated_once.load(), objects.size());
    EXPECT_EQ(counters.inflated_again.load(), 0U);
    EXPECT_EQ(counters.objects_resolved.load(), objects.size());
    EXPECT_EQ(counters.objects_claimed.load(), objects.size());
    EXPECT_EQ(counters.deltas.load(), static_cast<std::size_t>(std::count_if(objects.begin(), objects.end(),
                                                                             [](const auto& o) { return o.base; })));
  }
}

TEST(Ingest, GivesAnObjectThatIsThereTwiceOnce) {
  PackBuilder builder;
  const std::string base = "the base";
  const auto id = test::object_id(Kind::blob, base);
  builder.ref_delta(id, test::make_delta(base, "the base and more"));
  builder.whole(Kind::blob, base);
  const auto second = builder.whole(Kind::blob, base);
  builder.ofs_delta(second, test::make_delta(base, "the second base"));
  builder.ref_delta(id, test::make_delta(base, "the base and more"));  // a duplicate by way of a delta
  Ingested ingested(builder.finish());
  EXPECT_EQ(ingested.lines().size(), 5U);
  EXPECT_EQ(ingested.sink.objects().size(), 3U);
  for (const auto& [at, seen] : ingested.sink.objects()) EXPECT_EQ(seen.times, 1) << at.hex();
  IngestOptions strict;
  strict.refuse_duplicates = true;
  EXPECT_NE(test::refusal(builder.finish(), strict).message().find("appears twice"), std::string::npos);
}

TEST(Ingest, LeavesARingOfRefDeltasUnresolvedAndSaysSo) {
  const std::string one = "content one";
  const std::string two = "content two";
  PackBuilder builder;
  builder.ref_delta(test::object_id(Kind::blob, two), test::make_delta(two, one));
  builder.ref_delta(test::object_id(Kind::blob, one), test::make_delta(one, two));
  const Error error = test::refusal(builder.finish());
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_NE(error.message().find("2 unresolved deltas"), std::string::npos) << error.message();
  // One of them whole as well: the ring is open.
  builder.whole(Kind::blob, one);
  EXPECT_EQ(Ingested(builder.finish()).sink.objects().size(), 2U);
}

TEST(Ingest, NamesTheBaseThatIsMissing) {
  PackBuilder builder;
  const auto id = test::object_id(Kind::blob, "nowhere");
  const auto at = builder.ref_delta(id, test::make_delta("nowhere", "somewhere"));
  builder.ofs_delta(at, test::make_delta("somewhere", "somewhere else"));
  const Error error = test::refusal(builder.finish());
  EXPECT_NE(error.message().find(id.hex()), std::string::npos) << error.message();
  EXPECT_NE(error.message().find("2 unresolved"), std::string::npos) << error.message();
}

// ------------------------------------------------------------------------------------------------ big blobs

TEST(Ingest, StreamsABlobOverTheThresholdAndGivesItAgainFromTheFile) {
  std::mt19937 random(3);
  std::string big(3'000'000, '\0');
  for (char& c : big) c = static_cast<char>(random());
  PackBuilder builder;
  builder.whole(Kind::blob, "small");
  builder.whole(Kind::blob, big);
  builder.whole(Kind::tree, big);  // only blobs are streamed
  IngestOptions options;
  options.big_file_threshold = 100'000;
  Ingested ingested(builder.finish(), options, 10'000);
  const auto id = test::object_id(Kind::blob, big);
  const auto& seen = ingested.sink.objects().at(id);
  EXPECT_TRUE(seen.streamed);
  EXPECT_EQ(seen.size, big.size());
  EXPECT_TRUE(seen.content.empty());
  EXPECT_FALSE(ingested.sink.objects().at(test::object_id(Kind::tree, big)).streamed);
  std::string again;
  std::size_t largest = 0;
  EXPECT_TRUE(ingested.ingest.pack().stream(id, [&](base::Bytes piece) {
    again += base::as_text(piece);
    largest = std::max(largest, piece.size());
  }));
  EXPECT_TRUE(again == big);
  EXPECT_LT(largest, big.size() / 4);
  EXPECT_TRUE(ingested.ingest.pack().read(id)->bytes.text() == big);
  EXPECT_EQ(ingested.ingest.pack().info(id)->size, big.size());
}

TEST(Ingest, GivesEveryResolvedObjectAgainByItsId) {
  const auto objects = chain(200);
  IngestOptions options;
  options.base_cache_bytes = 1;
  Ingested ingested(test::lay_out(objects, test::natural_order(objects.size())), options);
  ArrivingPack& pack = ingested.ingest.pack();
  for (const PackObject& object : objects) {
    EXPECT_EQ(pack.read(object.id())->bytes.text(), object.content);
    EXPECT_EQ(pack.info(object.id())->size, object.content.size());
    EXPECT_EQ(pack.kind_of(object.id()), Kind::blob);
    std::string streamed;
    EXPECT_TRUE(pack.stream(object.id(), [&](base::Bytes piece) { streamed += base::as_text(piece); }));
    EXPECT_EQ(streamed, object.content);
  }
  const auto nowhere = test::object_id(Kind::blob, "nowhere");
  EXPECT_FALSE(pack.read(nowhere));
  EXPECT_FALSE(pack.info(nowhere));
  EXPECT_FALSE(pack.kind_of(nowhere));
  EXPECT_FALSE(pack.stream(nowhere, [](base::Bytes) {}));
}

// ------------------------------------------------------------------------------------------------ ends

TEST(Ingest, RemovesItsTemporaryPackUnlessItIsReleased) {
  test::TemporaryDirectory directory;
  const std::string pack = test::lay_out({{Kind::blob, "x", {}}}, {0});
  for (const bool sound : {true, false}) {
    base::Cancellation cancel;
    IngestOptions options;
    options.pack_directory = directory.path();
    Ingest ingest(options, cancel);
    EXPECT_EQ(directory.names().size(), 1U);
    test::StringSource source(sound ? pack : pack.substr(0, 15));
    if (sound) {
      ingest.run(source, {});
    } else {
      EXPECT_THROW(ingest.run(source, {}), Error);
    }
  }
  EXPECT_TRUE(directory.names().empty());
}

class ThrowingSink : public object::ObjectSink {
 public:
  void accept(const object::ResolvedObject&) override { throw Error(ErrorCode::refused, "not this one"); }
};

TEST(Ingest, StopsWithTheErrorOfASink) {
  const auto objects = chain(5000);
  test::TemporaryDirectory directory;
  base::Cancellation cancel;
  IngestOptions options;
  options.pack_directory = directory.path();
  options.workers = 4;
  Ingest ingest(options, cancel);
  test::StringSource source(test::lay_out(objects, test::natural_order(objects.size())), 100);
  ThrowingSink sink;
  try {
    ingest.run(source, {&sink});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "not this one");
  }
  EXPECT_TRUE(cancel.requested());
}

TEST(Ingest, DoesNothingOnceItIsCancelled) {
  test::TemporaryDirectory directory;
  base::Cancellation cancel;
  cancel.request();
  IngestOptions options;
  options.pack_directory = directory.path();
  Ingest ingest(options, cancel);
  test::StringSource source(test::lay_out({{Kind::blob, "x", {}}}, {0}));
  try {
    ingest.run(source, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST(Ingest, IndexesAFileWhereItStands) {
  test::TemporaryDirectory directory;
  const std::string pack = test::lay_out({{Kind::blob, "x", {}}, {Kind::blob, "xy", 0}}, {0, 1});
  const std::string path = directory / "some.pack";
  base::write_all(base::open_file(path, O_WRONLY | O_CREAT).get(), base::as_bytes(pack), path);
  IngestOptions options;
  options.existing_file = path;
  const Ingested ingested(pack, options);
  EXPECT_EQ(ingested.contents().size(), 2U);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"some.pack"});
}

TEST(Ingest, RefusesMoreBytesThanAllowed) {
  const std::string pack = test::lay_out({{Kind::blob, std::string(1000, 'x'), {}}}, {0});
  IngestOptions options;
  options.max_input_bytes = pack.size();
  EXPECT_EQ(test::refusal(pack, options).message(), "");
  options.max_input_bytes = pack.size() - 1;
  EXPECT_EQ(test::refusal(pack, options).code(), ErrorCode::refused);
}

}  // namespace
}  // namespace pfetch::pack
