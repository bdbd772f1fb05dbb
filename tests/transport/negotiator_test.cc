#include "transport/negotiator.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace pfetch::transport {
namespace {

// A history in memory; ids are made from one letter.
class FakeSource : public object::ObjectSource {
 public:
  static Oid id(char letter) { return *Oid::from_hex(std::string(40, letter)); }

  void commit(char letter, const std::string& parents, int date) {
    std::string text = "tree " + id('0').hex() + "\n";
    for (const char parent : parents) text += "parent " + id(parent).hex() + "\n";
    text += "author A > B <a@b> 999999 +0000\ncommitter A > B <a@b> " + std::to_string(date) + " +0000\n\nm\n";
    objects_[id(letter)] = {object::Kind::commit, text};
  }
  void tag(char letter, char target) {
    objects_[id(letter)] = {object::Kind::tag, "object " + id(target).hex() + "\ntype commit\ntag t\n"};
  }
  void damage(char letter) { objects_[id(letter)] = {object::Kind::commit, "no commit"}; }
  void blob(char letter) { objects_[id(letter)] = {object::Kind::blob, "x"}; }

  std::optional<object::ObjectInfo> info(const Oid& wanted) override {
    const auto at = objects_.find(wanted);
    if (at == objects_.end()) return std::nullopt;
    return object::ObjectInfo{at->second.first, at->second.second.size()};
  }
  std::optional<object::Object> read(const Oid& wanted) override {
    ++reads;
    was_read.insert(wanted.hex()[0]);
    const auto at = objects_.find(wanted);
    if (at == objects_.end()) return std::nullopt;
    return object::Object{at->second.first, base::SharedBytes::copy_of(base::as_bytes(at->second.second))};
  }
  bool stream(const Oid&, const std::function<void(base::Bytes)>&) override { return false; }

  int reads = 0;
  std::set<char> was_read;

 private:
  std::map<Oid, std::pair<object::Kind, std::string>> objects_;
};

std::vector<Oid> ids(const std::string& letters) {
  std::vector<Oid> all;
  for (const char letter : letters) all.push_back(FakeSource::id(letter));
  return all;
}

std::string rest(Negotiator& negotiator) {
  std::string letters;
  while (const auto id = negotiator.next()) letters += id->hex()[0];
  return letters;
}

std::unique_ptr<Negotiator> consecutive(object::ObjectSource& source, NegotiatorOptions options) {
  return make_negotiator(NegotiationAlgorithm::consecutive, source, std::move(options));
}

std::unique_ptr<Negotiator> consecutive(object::ObjectSource& source, const std::string& tips) {
  NegotiatorOptions options;
  options.tips = ids(tips);
  return consecutive(source, std::move(options));
}

TEST(ConsecutiveNegotiator, ProposesNewestFirstAndEachOnce) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "1", 30);
  source.commit('4', "23", 40);
  const auto negotiator = consecutive(source, "424");
  EXPECT_EQ(rest(*negotiator), "4321");
  EXPECT_EQ(negotiator->commits_read(), 4U);
}

TEST(ConsecutiveNegotiator, LeavesOutWhatLiesBehindACommonCommit) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  source.commit('a', "", 5);
  source.commit('b', "a", 35);
  const auto negotiator = consecutive(source, "3b");
  EXPECT_EQ(negotiator->next(), FakeSource::id('b'));
  EXPECT_EQ(negotiator->next(), FakeSource::id('3'));
  negotiator->ack(FakeSource::id('3'));
  EXPECT_EQ(rest(*negotiator), "a");
}

TEST(ConsecutiveNegotiator, ALateAcknowledgmentReachesWhatIsAlreadyQueued) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  const auto negotiator = consecutive(source, "3");
  negotiator->next();
  negotiator->next();
  negotiator->ack(FakeSource::id('3'));
  EXPECT_EQ(rest(*negotiator), "");
}

TEST(ConsecutiveNegotiator, PeelsTagsAndPassesOverOtherObjects) {
  FakeSource source;
  source.commit('1', "9", 10);  // its parent is behind a boundary
  source.tag('b', '1');
  source.tag('c', 'b');
  source.blob('d');
  source.tag('e', 'd');
  source.tag('f', 'f');  // cannot be made, must not hang
  EXPECT_EQ(rest(*consecutive(source, "cdef8")), "1");
  EXPECT_FALSE(source.was_read.contains('d'));
}

TEST(ConsecutiveNegotiator, ReadsNoMoreThanItMay) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  NegotiatorOptions options;
  options.tips = ids("3");
  options.commits_max = 2;
  EXPECT_EQ(rest(*consecutive(source, std::move(options))), "32");
  EXPECT_EQ(source.reads, 2);
}

TEST(ConsecutiveNegotiator, ADamagedCommitIsAProposalWithoutParents) {
  FakeSource source;
  source.commit('1', "", 10);
  source.damage('2');
  EXPECT_EQ(rest(*consecutive(source, "12")), "12");
}

TEST(ConsecutiveNegotiator, ACutHasNoParentsAlsoWhereOneIsStored) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  NegotiatorOptions options;
  options.tips = ids("3");
  options.cuts = ids("2");
  EXPECT_EQ(rest(*consecutive(source, std::move(options))), "32");
  EXPECT_FALSE(source.was_read.contains('1'));
}

TEST(ConsecutiveNegotiator, BeginsAnewWithoutReadingAgain) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  source.commit('a', "", 5);
  NegotiatorOptions options;
  options.tips = ids("3");
  options.known_common = ids("a");
  const auto negotiator = consecutive(source, std::move(options));
  negotiator->next();
  negotiator->next();
  negotiator->ack(FakeSource::id('2'));
  EXPECT_EQ(rest(*negotiator), "a");
  negotiator->restart();
  EXPECT_EQ(rest(*negotiator), "321a");
  EXPECT_EQ(source.reads, 3);
  EXPECT_EQ(negotiator->commits_read(), 3U);
}

TEST(KnownCommon, NothingIsReadWhenEveryTipIsKnown) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.tag('b', '1');
  NegotiatorOptions options;
  options.tips = ids("12b");
  options.known_common = ids("2b1");
  const auto negotiator = consecutive(source, std::move(options));
  EXPECT_EQ(source.reads, 0);
  EXPECT_EQ(rest(*negotiator), "2b1");  // in the order given
  EXPECT_EQ(source.reads, 0);
  EXPECT_EQ(negotiator->commits_read(), 0U);
}

TEST(KnownCommon, NothingBehindAKnownTipIsProposedOnceTheWalkMeetsIt) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  source.commit('4', "3", 40);
  NegotiatorOptions options;
  options.tips = ids("4");
  options.known_common = ids("2");
  EXPECT_EQ(rest(*consecutive(source, std::move(options))), "432");
}

// A history of numbered commits, each with the one before as its parent, read by number.
class LongHistory : public object::ObjectSource {
 public:
  static Oid id(std::uint32_t number) {
    Oid id;
    base::store_be32(id.raw.data(), number * 2654435761U);  // spread as real ids are
    base::store_be32(id.raw.data() + 4, number);
    return id;
  }
  // A tag of the commit of that number.
  static Oid tag(std::uint32_t number) { return id(tags + number); }
  static constexpr std::uint32_t tags = 10'000'000;
  static std::uint32_t number(const Oid& id) { return base::load_be32(id.raw.data() + 4); }

  // Commits 1 … `count`; the first of each `root_every` has no parent.
  explicit LongHistory(std::uint32_t count, std::uint32_t root_every = 0) : count_(count), root_every_(root_every) {}

  std::optional<object::ObjectInfo> info(const Oid& wanted) override {
    ++infos;
    if (number(wanted) > tags) return object::ObjectInfo{object::Kind::tag, 1};
    if (number(wanted) == 0 || number(wanted) > count_) return std::nullopt;
    return object::ObjectInfo{object::Kind::commit, 1};
  }
  std::optional<object::Object> read(const Oid& wanted) override {
    ++reads;
    const std::uint32_t n = number(wanted);
    if (n > tags) {
      const std::string tag = "object " + id(n - tags).hex() + "\ntype commit\ntag t\n";
      return object::Object{object::Kind::tag, base::SharedBytes::copy_of(base::as_bytes(tag))};
    }
    if (n == 0 || n > count_) return std::nullopt;
    std::string text = "tree " + Oid().hex() + "\n";
    if (root_every_ == 0 || n % root_every_ != 1) text += "parent " + id(n - 1).hex() + "\n";
    text += "author A <a> 1 +0000\ncommitter A <a> " + std::to_string(n) + " +0000\n\n";
    return object::Object{object::Kind::commit, base::SharedBytes::copy_of(base::as_bytes(text))};
  }
  bool stream(const Oid&, const std::function<void(base::Bytes)>&) override { return false; }

  std::size_t reads = 0, infos = 0;

 private:
  const std::uint32_t count_, root_every_;
};

std::vector<std::uint32_t> numbers(Negotiator& negotiator, std::size_t count = SIZE_MAX) {
  std::vector<std::uint32_t> all;
  while (all.size() < count) {
    const auto id = negotiator.next();
    if (!id) break;
    all.push_back(LongHistory::number(*id));
  }
  return all;
}

TEST(KnownCommon, TheFirstRoundIsFilledWithoutReadingThem) {
  LongHistory source(90000, 90);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(90000), LongHistory::id(1)};
  for (std::uint32_t n = 90; n <= 89910; n += 90) options.known_common.push_back(LongHistory::id(n));
  const std::size_t known = options.known_common.size();
  options.tips.insert(options.tips.end(), options.known_common.begin(), options.known_common.end());
  const auto negotiator = consecutive(source, std::move(options));
  std::vector<std::uint32_t> newest;
  for (std::uint32_t i = 0; i < first_round_haves; ++i) newest.push_back(90000 - i);
  EXPECT_EQ(numbers(*negotiator, first_round_haves), newest);
  EXPECT_EQ(negotiator->commits_read(), 2 + first_round_haves);  // with the oldest tip, and the one that is next
  // From now on all of them are known by their dates.
  EXPECT_EQ(numbers(*negotiator, 1), std::vector<std::uint32_t>{90000 - first_round_haves});
  EXPECT_EQ(negotiator->commits_read(), 3 + first_round_haves + known);
}

TEST(KnownCommon, ThoseToldUnreadAreNotToldAgainByDate) {
  LongHistory source(3000, 100);
  NegotiatorOptions options;
  for (std::uint32_t n = 100; n <= 3000; n += 100) options.known_common.push_back(LongHistory::id(n));
  const auto negotiator = consecutive(source, std::move(options));
  std::vector<std::uint32_t> expected;
  for (std::uint32_t n = 100; n <= 1600; n += 100) expected.push_back(n);
  EXPECT_EQ(numbers(*negotiator, first_round_haves), expected);
  EXPECT_EQ(source.reads, 0U);
  expected.clear();
  for (std::uint32_t n = 3000; n > 1600; n -= 100) expected.push_back(n);
  EXPECT_EQ(numbers(*negotiator), expected);
}

TEST(KnownCommon, WhatWasProposedBeforeTheyWereReadEndsThere) {
  LongHistory source(100);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(100)};
  options.known_common = {LongHistory::id(200), LongHistory::id(90)};
  const auto negotiator = consecutive(source, std::move(options));
  EXPECT_EQ(numbers(*negotiator), (std::vector<std::uint32_t>{100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 200}));
}

TEST(KnownCommon, ATagStandsForItsCommitOnceItIsRead) {
  LongHistory source(3000, 100);
  NegotiatorOptions options;
  for (std::uint32_t n = 100; n <= 2000; n += 100) options.known_common.push_back(LongHistory::tag(n));
  const auto negotiator = consecutive(source, std::move(options));
  EXPECT_EQ(numbers(*negotiator, first_round_haves).back(), LongHistory::tags + 1600);
  EXPECT_EQ(numbers(*negotiator), (std::vector<std::uint32_t>{2000, 1900, 1800, 1700}));
}

TEST(KnownCommon, ATagOfWhatWasProposedEndsTheWalkThere) {
  LongHistory source(100);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(100)};
  options.known_common = {LongHistory::tag(90)};
  const auto negotiator = consecutive(source, std::move(options));
  EXPECT_EQ(numbers(*negotiator).back(), 100 - first_round_haves + 1);
}

TEST(Negotiators, AMillionCommitsBehindManyTipsAreEachReadOnce) {
  constexpr std::uint32_t count = 1'000'000;
  for (const auto algorithm : {NegotiationAlgorithm::consecutive, NegotiationAlgorithm::skipping}) {
    LongHistory source(count);
    NegotiatorOptions options;
    for (std::uint32_t i = 0; i < 86'000; ++i) options.tips.push_back(LongHistory::id(count - i * 11));
    const auto negotiator = make_negotiator(algorithm, source, std::move(options));
    const std::size_t proposals = numbers(*negotiator).size();
    EXPECT_EQ(source.reads, count + 1U);  // and once for the parent of the first, which is not there
    EXPECT_EQ(negotiator->commits_read(), count);
    EXPECT_EQ(source.infos, 86'000U);
    if (algorithm == NegotiationAlgorithm::consecutive) {
      EXPECT_EQ(proposals, count);
    } else {
      EXPECT_LT(proposals, 86'000U + 1000U);
    }
  }
}

TEST(SkippingNegotiator, SkipsEverLargerDistancesDownToTheRoot) {
  LongHistory source(40, 41);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(40)};
  const auto negotiator = make_negotiator(NegotiationAlgorithm::skipping, source, std::move(options));
  EXPECT_EQ(numbers(*negotiator), (std::vector<std::uint32_t>{40, 38, 35, 30, 22, 10, 1}));
}

TEST(SkippingNegotiator, AnAcknowledgmentEndsTheWalkThere) {
  LongHistory source(4000, 4001);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(4000)};
  const auto negotiator = make_negotiator(NegotiationAlgorithm::skipping, source, std::move(options));
  EXPECT_EQ(numbers(*negotiator, 4), (std::vector<std::uint32_t>{4000, 3998, 3995, 3990}));
  negotiator->ack(LongHistory::id(3995));
  EXPECT_EQ(numbers(*negotiator), std::vector<std::uint32_t>());
  EXPECT_LE(source.reads, 15U);
}

TEST(SkippingNegotiator, TakesTheLargerDistanceWhereWaysMeetAndTellsKnownTips) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  source.commit('4', "3", 40);
  source.commit('5', "4", 50);
  source.commit('a', "4", 45);
  NegotiatorOptions options;
  options.tips = ids("5a");
  EXPECT_EQ(rest(*make_negotiator(NegotiationAlgorithm::skipping, source, options)), "5a31");
  options.known_common = ids("4");
  EXPECT_EQ(rest(*make_negotiator(NegotiationAlgorithm::skipping, source, options)), "5a4");
}

TEST(SkippingNegotiator, BeginsAnewWithTheSameProposals) {
  LongHistory source(40, 41);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(40)};
  const auto negotiator = make_negotiator(NegotiationAlgorithm::skipping, source, std::move(options));
  const auto first = numbers(*negotiator);
  negotiator->restart();
  EXPECT_EQ(numbers(*negotiator), first);
  EXPECT_EQ(source.reads, 40U);
}

TEST(NoopNegotiator, ProposesAndReadsNothing) {
  LongHistory source(40);
  NegotiatorOptions options;
  options.tips = {LongHistory::id(40)};
  const auto negotiator = make_negotiator(NegotiationAlgorithm::noop, source, std::move(options));
  EXPECT_EQ(negotiator->next(), std::nullopt);
  negotiator->ack(LongHistory::id(40));
  EXPECT_EQ(negotiator->next(), std::nullopt);
  EXPECT_EQ(source.reads + source.infos, 0U);
}

TEST(NegotiationAlgorithm, HasTheNamesOfGit) {
  EXPECT_EQ(negotiation_algorithm_from_name("consecutive"), NegotiationAlgorithm::consecutive);
  EXPECT_EQ(negotiation_algorithm_from_name("default"), NegotiationAlgorithm::consecutive);
  EXPECT_EQ(negotiation_algorithm_from_name("skipping"), NegotiationAlgorithm::skipping);
  EXPECT_EQ(negotiation_algorithm_from_name("noop"), NegotiationAlgorithm::noop);
  EXPECT_EQ(negotiation_algorithm_from_name("Skipping"), std::nullopt);
}

}  // namespace
}  // namespace pfetch::transport
