// A long-running filter that says anything, and goes away at any moment. Every file must come to exactly one end.
#include <cstdint>
#include <deque>

#include "base/error.h"
#include "checkout/filter_dispatcher.h"
#include "tests/checkout/scripted_filter.h"

namespace {

using namespace pfetch;
using namespace pfetch::checkout;

constexpr int files_count = 6;
constexpr int starts_max = 20;

class CountedFile : public FilteredFile {
 public:
  explicit CountedFile(std::string path) : path_(std::move(path)) {}

  std::string_view path() const override { return path_; }
  object::Oid blob() const override { return {}; }
  std::string content() override { return "content"; }
  void put(base::Bytes) override {
    if (ends != 0) __builtin_trap();
  }
  void succeed() override { ++ends; }
  void fail(std::string reason) override {
    if (reason.empty()) __builtin_trap();
    ++ends;
  }
  void leave(std::string) override { ++ends; }

  int ends = 0;

 private:
  const std::string path_;
};

constexpr char hang_up = '\x1f';  // between what it says before it goes away, and when it is started again

// What a filter says: each byte of the input is a part of an answer, a hang-up, or, behind a marker, bytes as they are.
std::string words_of(const std::uint8_t* data, std::size_t size) {
  const std::string flush = test::flush;
  const std::string parts[] = {
      test::line("status=success") + flush + "0007abc" + flush + flush,
      test::line("status=delayed") + flush,
      test::line("status=error") + flush,
      test::line("status=abort") + flush,
      test::line("status=success") + flush,
      flush,
      test::line("git-filter-server") + test::line("version=2") + flush,
      test::line("capability=smudge") + test::line("capability=delay") + flush,
      test::line("pathname=a"),
      test::line("pathname=b"),
      test::line("pathname=c"),
      test::line("pathname=stray"),
      std::string(1, hang_up),
  };
  constexpr std::size_t count = std::size(parts);
  std::string words;
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] % 16 < count) {
      words += parts[data[i] % 16];
    } else if (i + 1 < size) {
      words += static_cast<char>(data[++i]);
    }
  }
  return words;
}

}  // namespace

// The first byte says whether it greets properly whenever it is started.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string greeting = words_of(reinterpret_cast<const std::uint8_t*>("\6\7"), 2);
  const std::string words = words_of(data + 1, size - 1);
  std::string_view rest = words;
  int starts = 0;
  FilterDispatcher dispatcher("filter", {}, [&]() -> std::unique_ptr<FilterChannel> {
    if (++starts > starts_max) throw Error(ErrorCode::remote, "not again");
    const std::string_view part = rest.substr(0, rest.find(hang_up));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return std::make_unique<test::ScriptedFilter>((data[0] % 2 == 0 ? greeting : "") + std::string(part));
  });
  std::deque<CountedFile> files;
  std::vector<FilteredFile*> pointers;
  for (int i = 0; i < files_count; ++i)
    pointers.push_back(&files.emplace_back(std::string(1, static_cast<char>('a' + i))));
  dispatcher.run(pointers);
  for (const CountedFile& file : files) {
    if (file.ends != 1) __builtin_trap();
  }
  return 0;
}
