// The protocol of long-running filters, against a filter made of prepared answers.
#include "checkout/filter_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/checkout/scripted_filter.h"

namespace pfetch::checkout {
namespace {

using test::flush;
using test::line;
using test::ScriptedFilter;
using testing::ElementsAre;
using testing::HasSubstr;

const object::Oid blob_id = *object::Oid::from_hex("fec07dc7d7242f1de875c2a4bb906e224e093d42");

std::string greeting() {
  return line("git-filter-server") + line("version=2") + flush + line("capability=clean") + line("capability=smudge") +
         line("capability=delay") + flush;
}

struct Answer {
  FilterStatus status{};
  std::string content;
};

Answer smudge(FilterProcess& process, std::string_view content = "text", bool can_delay = true) {
  Answer answer;
  answer.status = process.smudge({"a.txt", blob_id, can_delay}, content,
                                 [&](base::Bytes piece) { answer.content += base::as_text(piece); });
  return answer;
}

Answer answered(const std::string& answers, bool can_delay = true) {
  ScriptedFilter filter(greeting() + answers);
  FilterProcess process(filter, {});
  return smudge(process, "text", can_delay);
}

ErrorCode error_of(const std::string& script) {
  ScriptedFilter filter(script);
  try {
    FilterProcess process(filter, {});
    smudge(process);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::usage;
}

TEST(FilterProcess, AsksForVersion2AndSmudging) {
  ScriptedFilter filter(greeting());
  const FilterProcess process(filter, {});
  EXPECT_TRUE(process.cleans());
  EXPECT_TRUE(process.smudges());
  EXPECT_TRUE(process.delays());
  EXPECT_EQ(filter.sent, line("git-filter-client") + line("version=2") + flush + line("capability=clean") +
                             line("capability=smudge") + line("capability=delay") + flush);
}

TEST(FilterProcess, BelievesTheCapabilitiesThatItNames) {
  ScriptedFilter filter(line("git-filter-server") + line("version=2") + flush + line("capability=clean") +
                        line("capability=later") + flush);
  const FilterProcess process(filter, {});
  EXPECT_TRUE(process.cleans());
  EXPECT_FALSE(process.smudges());
  EXPECT_FALSE(process.delays());
}

TEST(FilterProcess, RefusesAnotherGreeting) {
  EXPECT_EQ(error_of(line("git-filter-client") + line("version=2") + flush), ErrorCode::protocol);
  EXPECT_EQ(error_of(line("git-filter-server") + line("version=3") + flush), ErrorCode::protocol);
  EXPECT_EQ(error_of(line("git-filter-server") + flush), ErrorCode::protocol);
  EXPECT_EQ(error_of(std::string(flush)), ErrorCode::protocol);
  EXPECT_EQ(error_of("hi\n"), ErrorCode::remote);
  EXPECT_EQ(error_of("hello world\n"), ErrorCode::protocol);
  EXPECT_EQ(error_of(""), ErrorCode::remote);
}

TEST(FilterProcess, TellsWhatIsCheckedOut) {
  ScriptedFilter filter(greeting() + line("status=error") + flush);
  FilterProcess process(filter, {"refs/heads/main", "1234"});
  filter.sent.clear();
  smudge(process);
  EXPECT_EQ(filter.sent, line("command=smudge") + line("pathname=a.txt") + line("ref=refs/heads/main") +
                             line("treeish=1234") + line("blob=" + blob_id.hex()) + line("can-delay=1") + flush +
                             "0008text" + flush);
}

TEST(FilterProcess, LeavesOutWhatIsNotKnown) {
  ScriptedFilter filter(greeting() + line("status=error") + flush);
  FilterProcess process(filter, {});
  filter.sent.clear();
  smudge(process, "", false);
  EXPECT_EQ(filter.sent,
            line("command=smudge") + line("pathname=a.txt") + line("blob=" + blob_id.hex()) + flush + flush);
}

TEST(FilterProcess, AsksForCleaningByPathAlone) {
  ScriptedFilter filter(greeting() + line("status=success") + flush + "0006ab" + flush + flush +
                        line("status=delayed") + flush);
  FilterProcess process(filter, {"refs/heads/main", "1234"});
  filter.sent.clear();
  std::string content;
  const auto put = [&](base::Bytes piece) { content += base::as_text(piece); };
  EXPECT_EQ(process.clean("a.txt", "text", put), FilterStatus::success);
  EXPECT_EQ(content, "ab");
  EXPECT_EQ(filter.sent, line("command=clean") + line("pathname=a.txt") + flush + "0008text" + flush);
  EXPECT_THROW(process.clean("a.txt", "text", put), Error);  // nothing to delay there
}

TEST(FilterProcess, CutsTheContentIntoPackets) {
  ScriptedFilter filter(greeting() + line("status=error") + flush);
  FilterProcess process(filter, {});
  filter.sent.clear();
  smudge(process, std::string(base::packet_payload_max + 1, 'x'));
  EXPECT_THAT(filter.sent, HasSubstr(std::string(flush) + "fff0x"));
  EXPECT_TRUE(filter.sent.ends_with("x0005x0000"));
}

TEST(FilterProcess, TakesTheContentThatFollowsSuccess) {
  const Answer answer = answered(line("status=success") + flush + "0006ab" + "0005\n" + flush + flush);
  EXPECT_EQ(answer.status, FilterStatus::success);
  EXPECT_EQ(answer.content, "ab\n");
}

TEST(FilterProcess, LetsTheStatusBehindTheContentDecide) {
  const std::string content = line("status=success") + flush + "0006ab" + flush;
  EXPECT_EQ(answered(content + line("status=error") + flush).status, FilterStatus::error);
  EXPECT_EQ(answered(content + line("status=abort") + flush).status, FilterStatus::abort);
  EXPECT_EQ(answered(content + line("status=success") + flush).status, FilterStatus::success);
  EXPECT_EQ(answered(line("status=error") + line("key=value") + line("status=success") + flush + flush + flush).status,
            FilterStatus::success);
}

TEST(FilterProcess, KnowsTheOtherStatuses) {
  EXPECT_EQ(answered(line("status=error") + flush).status, FilterStatus::error);
  EXPECT_EQ(answered(line("status=abort") + flush).status, FilterStatus::abort);
  EXPECT_EQ(answered(line("status=delayed") + flush).status, FilterStatus::delayed);
}

TEST(FilterProcess, RefusesADelayThatWasNotOffered) {
  EXPECT_THROW(answered(line("status=delayed") + flush, false), Error);
}

TEST(FilterProcess, RefusesWhatIsNoAnswer) {
  EXPECT_EQ(error_of(greeting() + line("status=what") + flush), ErrorCode::protocol);
  EXPECT_EQ(error_of(greeting() + flush), ErrorCode::protocol);
  EXPECT_EQ(error_of(greeting() + "0001"), ErrorCode::protocol);
  EXPECT_EQ(error_of(greeting() + line("status=success") + flush + "0001"), ErrorCode::protocol);
  EXPECT_EQ(error_of(greeting() + line("status=success") + flush + "0009half"), ErrorCode::remote);
  EXPECT_EQ(error_of(greeting() + line("status=success") + flush + "0006ab"), ErrorCode::remote);
}

TEST(FilterProcess, BoundsTheLinesOfAStatus) {
  std::string lines;
  for (std::size_t i = 0; i <= filter_lines_max; ++i) lines += line("x=y");
  EXPECT_EQ(error_of(greeting() + lines + line("status=error") + flush), ErrorCode::protocol);
}

TEST(FilterProcess, ListsWhatIsReady) {
  ScriptedFilter filter(greeting() + line("pathname=a") + line("pathname=b c") + flush + line("status=success") +
                        flush + flush + line("status=success") + flush);
  FilterProcess process(filter, {});
  filter.sent.clear();
  EXPECT_THAT(process.available(2), ElementsAre("a", "b c"));
  EXPECT_EQ(filter.sent, line("command=list_available_blobs") + flush);
  EXPECT_THAT(process.available(2), ElementsAre());
}

TEST(FilterProcess, RefusesAListThatIsTooLongOrAFailure) {
  const auto list = [](const std::string& answers) {
    ScriptedFilter filter(greeting() + answers);
    return FilterProcess(filter, {}).available(1);
  };
  EXPECT_THROW(list(line("pathname=a") + line("pathname=b") + flush + line("status=success") + flush), Error);
  EXPECT_THROW(list(line("pathname=a") + flush + line("status=error") + flush), Error);
}

}  // namespace
}  // namespace pfetch::checkout
