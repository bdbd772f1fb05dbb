// What the pipeline keeps in memory: the entry table, the map of ids, the cache of bases, the work queue.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "pack/oid_map.h"
#include "pack/recent_objects.h"
#include "pack/work_queue.h"
#include "tests/support/pack_builder.h"

namespace pfetch::pack {
namespace {

object::Oid id_of(EntryNumber number) {
  return test::object_id(object::Kind::blob, std::to_string(number));
}

TEST(EntryTable, FindsEntriesByOffsetAndKnowsWhereTheyEnd) {
  EntryTable table;
  table.claim(10000);
  for (EntryNumber i = 0; i < 10000; ++i) EXPECT_EQ(table.append(12 + 10 * std::uint64_t{i}), i);
  table.set_frontier(12 + 100000);
  EXPECT_EQ(table.size(), 10000U);
  for (const EntryNumber i : {0U, 1U, 4095U, 4096U, 9998U, 9999U}) {
    EXPECT_EQ(table.find_offset(12 + 10 * std::uint64_t{i}), i);
    EXPECT_EQ(table.find_offset(13 + 10 * std::uint64_t{i}), no_entry);
    EXPECT_EQ(table.end_of(i), 22 + 10 * std::uint64_t{i});
  }
  EXPECT_EQ(table.find_offset(0), no_entry);
}

TEST(EntryTable, KeepsEntriesInPlaceWhenMoreAreClaimed) {
  EntryTable table;
  table.claim(1);
  table.append(12);
  Entry* const first = &table[0];
  table.claim(20000);
  for (EntryNumber i = 1; i < 20000; ++i) table.append(12 + i);
  EXPECT_EQ(first, &table[0]);
  EXPECT_EQ(table[19999].offset, 12U + 19999U);
}

TEST(OidMap, FindsWhatWasInsertedAndTheFirstOfEqualIds) {
  EntryTable table;
  table.claim(6000);
  OidMap map(table);
  EXPECT_EQ(map.find(id_of(0)), no_entry);
  for (EntryNumber i = 0; i < 6000; ++i) {
    table.append(12 + i);
    table[i].id = id_of(i % 5000);
    EXPECT_EQ(map.insert(i), i % 5000);
  }
  for (EntryNumber i = 0; i < 5000; ++i) ASSERT_EQ(map.find(id_of(i)), i);
  EXPECT_EQ(map.find(id_of(5000)), no_entry);
}

TEST(OidMap, IsFilledByManyThreads) {
  constexpr EntryNumber count = 8000;
  EntryTable table;
  table.claim(count);
  OidMap map(table);
  for (EntryNumber i = 0; i < count; ++i) {
    table.append(12 + i);
    table[i].id = id_of(i / 2);  // each id twice, by two threads
  }
  std::atomic<EntryNumber> first_ones{0};
  std::vector<std::thread> threads;
  for (EntryNumber start = 0; start < 4; ++start) {
    threads.emplace_back([&, start] {
      for (EntryNumber i = start; i < count; i += 4) first_ones += map.insert(i) == i ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first_ones.load(), count / 2);
  for (EntryNumber i = 0; i < count / 2; ++i) ASSERT_EQ(map.find(id_of(i)) / 2, i);
}

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    table.claim(100);
    for (EntryNumber i = 0; i < 100; ++i) table.append(12 + i);
  }
  static base::SharedBytes bytes(std::size_t size, char fill = 'x') {
    return base::SharedBytes::copy_of(base::as_bytes(std::string(size, fill)));
  }
  bool has(RecentObjects& cache, EntryNumber entry) {
    base::SharedBytes found;
    return cache.get(entry, found);
  }
  EntryTable table;
};

TEST_F(CacheTest, GivesWhatWasPut) {
  RecentObjects cache(table, 100);
  EXPECT_TRUE(cache.put(3, bytes(10, 'a')));
  EXPECT_TRUE(cache.put(4, bytes(10, 'b')));
  base::SharedBytes found;
  ASSERT_TRUE(cache.get(3, found));
  EXPECT_EQ(found.text(), "aaaaaaaaaa");
  ASSERT_TRUE(cache.get(4, found));
  EXPECT_EQ(found.text(), "bbbbbbbbbb");
  EXPECT_FALSE(cache.get(5, found));
}

TEST_F(CacheTest, LetsGoOfTheLeastRecentlyUsed) {
  RecentObjects cache(table, 100);
  for (EntryNumber i = 0; i < 4; ++i) cache.put(i, bytes(25));
  EXPECT_TRUE(has(cache, 0));  // now the most recent
  cache.put(4, bytes(25));
  EXPECT_TRUE(has(cache, 0));
  EXPECT_FALSE(has(cache, 1));
  cache.put(5, bytes(50));  // two go
  EXPECT_FALSE(has(cache, 2));
  EXPECT_FALSE(has(cache, 3));
  EXPECT_TRUE(has(cache, 0));
  EXPECT_TRUE(has(cache, 4));
  EXPECT_TRUE(has(cache, 5));
}

TEST_F(CacheTest, DoesNotKeepAnObjectOverHalfItsBudget) {
  RecentObjects cache(table, 100);
  cache.put(0, bytes(40));
  EXPECT_FALSE(cache.put(1, bytes(51)));
  EXPECT_FALSE(has(cache, 1));
  EXPECT_TRUE(has(cache, 0));
}

TEST_F(CacheTest, CountsAnEntryThatIsPutTwiceOnce) {
  RecentObjects cache(table, 100);
  for (int i = 0; i < 50; ++i) cache.put(0, bytes(50));
  cache.put(1, bytes(50));
  EXPECT_TRUE(has(cache, 0));
  EXPECT_TRUE(has(cache, 1));
}

Batch batch_of(EntryNumber entry) {
  Batch batch;
  batch.push_back({entry, {}, 0});
  return batch;
}

TEST(WorkQueue, GivesReadyDeltasBeforeBatchesAndEndsWhenNobodyCanMakeMore) {
  WorkQueue queue({100, 1000});
  queue.push(batch_of(1), 10);
  queue.push(batch_of(2), 10);
  queue.push_ready({7});
  queue.close();
  WorkQueue::Item item;
  ASSERT_TRUE(queue.pop(item, false));
  EXPECT_EQ(item.delta, 7U);
  ASSERT_TRUE(queue.pop(item, true));
  EXPECT_EQ(item.delta, no_entry);
  ASSERT_EQ(item.batch.size(), 1U);
  EXPECT_EQ(item.batch[0].entry, 1U);
  queue.push_ready({8});
  ASSERT_TRUE(queue.pop(item, true));
  EXPECT_EQ(item.delta, 8U);
  ASSERT_TRUE(queue.pop(item, true));
  EXPECT_EQ(item.batch[0].entry, 2U);
  EXPECT_FALSE(queue.pop(item, true));
}

TEST(WorkQueue, HoldsTheScannerWhileTheWorkersHaveTooMuchInHand) {
  WorkQueue queue({100, 100});
  queue.push(batch_of(1), 80);
  WorkQueue::Item item;
  ASSERT_TRUE(queue.pop(item, false));  // nothing waits any more, but 80 bytes are in hand
  std::atomic<bool> worker_is_back{false};
  std::atomic<bool> was_back{false};
  std::thread scanner([&] {
    queue.push(batch_of(2), 80);
    was_back = worker_is_back.load();
    queue.close();
  });
  worker_is_back = true;
  while (queue.pop(item, true)) EXPECT_EQ(item.batch[0].entry, 2U);
  scanner.join();
  EXPECT_TRUE(was_back);
}

TEST(WorkQueue, LetsTheScannerPassOneBatchThatIsLargerThanTheBudget) {
  WorkQueue queue({100, 1000});
  queue.push(batch_of(1), 10000);  // would block for ever otherwise
  WorkQueue::Item item;
  ASSERT_TRUE(queue.pop(item, false));
  std::thread scanner([&] { queue.push(batch_of(2), 10000); });  // as soon as the worker is back
  ASSERT_TRUE(queue.pop(item, true));
  scanner.join();
  EXPECT_EQ(item.batch[0].entry, 2U);
}

TEST(WorkQueue, WakesEverybodyWhenItIsAborted) {
  WorkQueue full({1, 1000});
  full.push(batch_of(1), 10);
  WorkQueue empty({1, 1000});
  std::atomic<int> cancelled{0};
  const auto expect_cancelled = [&](auto work) {
    return std::thread([&cancelled, work] {
      try {
        work();
      } catch (const Error& error) {
        cancelled += error.code() == ErrorCode::cancelled ? 1 : 0;
      }
    });
  };
  std::thread scanner = expect_cancelled([&] { full.push(batch_of(2), 10); });
  std::thread worker = expect_cancelled([&] {
    WorkQueue::Item item;
    empty.pop(item, false);
  });
  full.abort();
  empty.abort();
  scanner.join();
  worker.join();
  EXPECT_EQ(cancelled.load(), 2);
}

TEST(WorkQueue, KeepsWorkersWaitingWhileAnotherMayStillMakeWork) {
  WorkQueue queue({100, 1000});
  queue.push(batch_of(1), 1);
  queue.close();
  WorkQueue::Item item;
  ASSERT_TRUE(queue.pop(item, false));  // this worker is busy: the other must wait for what it makes
  std::atomic<EntryNumber> got{no_entry};
  std::thread other([&] {
    WorkQueue::Item theirs;
    for (bool had = false; queue.pop(theirs, had); had = true) got = theirs.delta;
  });
  queue.push_ready({5});
  while (queue.pop(item, true)) got = item.delta;
  other.join();
  EXPECT_EQ(got.load(), 5U);
}

}  // namespace
}  // namespace pfetch::pack
