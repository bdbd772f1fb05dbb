#include "transport/negotiator.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

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
  void blob(char letter) { objects_[id(letter)] = {object::Kind::blob, "x"}; }

  std::optional<object::ObjectInfo> info(const Oid& wanted) override {
    const auto at = objects_.find(wanted);
    if (at == objects_.end()) return std::nullopt;
    return object::ObjectInfo{at->second.first, at->second.second.size()};
  }
  std::optional<object::Object> read(const Oid& wanted) override {
    ++reads;
    const auto at = objects_.find(wanted);
    if (at == objects_.end()) return std::nullopt;
    return object::Object{at->second.first, base::SharedBytes::copy_of(base::as_bytes(at->second.second))};
  }
  bool stream(const Oid&, const std::function<void(base::Bytes)>&) override { return false; }

  int reads = 0;

 private:
  std::map<Oid, std::pair<object::Kind, std::string>> objects_;
};

std::string rest(ConsecutiveNegotiator& negotiator) {
  std::string letters;
  while (const auto id = negotiator.next()) letters += id->hex()[0];
  return letters;
}

TEST(ConsecutiveNegotiator, ProposesNewestFirstAndEachOnce) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "1", 30);
  source.commit('4', "23", 40);
  const Oid tips[] = {FakeSource::id('4'), FakeSource::id('2')};
  ConsecutiveNegotiator negotiator(source, tips);
  EXPECT_EQ(rest(negotiator), "4321");
}

TEST(ConsecutiveNegotiator, LeavesOutWhatLiesBehindACommonCommit) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  source.commit('a', "", 5);
  source.commit('b', "a", 35);
  const Oid tips[] = {FakeSource::id('3'), FakeSource::id('b')};
  ConsecutiveNegotiator negotiator(source, tips);
  EXPECT_EQ(negotiator.next(), FakeSource::id('b'));
  EXPECT_EQ(negotiator.next(), FakeSource::id('3'));
  negotiator.ack(FakeSource::id('3'));
  EXPECT_EQ(rest(negotiator), "a");
}

TEST(ConsecutiveNegotiator, ALateAcknowledgmentReachesWhatIsAlreadyQueued) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  const Oid tips[] = {FakeSource::id('3')};
  ConsecutiveNegotiator negotiator(source, tips);
  negotiator.next();
  negotiator.next();
  negotiator.ack(FakeSource::id('3'));
  EXPECT_EQ(rest(negotiator), "");
}

TEST(ConsecutiveNegotiator, PeelsTagsAndPassesOverOtherObjects) {
  FakeSource source;
  source.commit('1', "9", 10);  // its parent is behind a boundary
  source.tag('b', '1');
  source.tag('c', 'b');
  source.blob('d');
  source.tag('e', 'd');
  source.tag('f', 'f');  // cannot be made, must not hang
  const Oid tips[] = {FakeSource::id('c'), FakeSource::id('d'), FakeSource::id('e'), FakeSource::id('f'),
                      FakeSource::id('8')};
  ConsecutiveNegotiator negotiator(source, tips);
  EXPECT_EQ(rest(negotiator), "1");
}

TEST(ConsecutiveNegotiator, ReadsNoMoreThanItMay) {
  FakeSource source;
  source.commit('1', "", 10);
  source.commit('2', "1", 20);
  source.commit('3', "2", 30);
  const Oid tips[] = {FakeSource::id('3')};
  ConsecutiveNegotiator negotiator(source, tips, 2);
  EXPECT_EQ(rest(negotiator), "32");
  EXPECT_EQ(source.reads, 2);
}

}  // namespace
}  // namespace pfetch::transport
