// SHA-1 with collision detection beside OpenSSL's plain SHA-1 and libgit2's git_odb_hash, in one run on one core.
//
// `Same` hashes one buffer over and over: a check that branches on the data is at its best then, since the processor
// learns those data by heart. `Fresh` takes each time another one of many. `Objects` hashes objects of the sizes of a
// real repository, named by PFETCH_BENCH_REPOSITORY, or else of a model of the Linux tree's.
//
// On a busy machine: --benchmark_repetitions=20 --benchmark_enable_random_interleaving=true, and look at the best.
#include <benchmark/benchmark.h>
#include <git2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/sha1.h"

namespace {

using pfetch::base::Bytes;
using pfetch::base::Sha1Job;
using pfetch::base::Sha1Kernel;

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937_64 random(7);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

constexpr std::size_t kObjects = 512;

// Sizes as in a shallow pack of the Linux 6.1 tree: 78,579 files (half of them below 3.9 KB, 16.5 KB on average), and
// one tree of some 500 bytes for every 15 files. Between the measured percentiles sizes grow evenly by factor.
std::vector<std::size_t> modelled_sizes() {
  constexpr struct {
    double percentile;
    double size;
  } kPoints[] = {{0, 20},    {10, 445},   {20, 959},   {30, 1621},  {40, 2525},   {50, 3873},    {60, 5909},
                 {70, 9044}, {80, 14832}, {90, 28758}, {95, 48085}, {99, 124603}, {100, 1000000}};
  std::mt19937_64 random(11);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < kObjects; ++i) {
    const double at = static_cast<double>(random() % 1'000'000) / 1e4;
    std::size_t next = 1;
    while (kPoints[next].percentile < at) ++next;
    const auto& [low, low_size] = kPoints[next - 1];
    const auto& [high, high_size] = kPoints[next];
    const double size = low_size * std::pow(high_size / low_size, (at - low) / (high - low));
    sizes.push_back(i % 16 == 0 ? 100 + random() % 900 : static_cast<std::size_t>(size));
  }
  return sizes;
}

// The sizes of all objects of a repository, brought down to kObjects: sorted, cut into as many runs of neighbours, and
// of each run the mean. So number and bytes keep their proportions, from the smallest object to the largest.
std::vector<std::size_t> sizes_of(const char* path) {
  git_repository* repository = nullptr;
  git_odb* odb = nullptr;
  if (git_repository_open(&repository, path) != 0 || git_repository_odb(&odb, repository) != 0) {
    std::fprintf(stderr, "sha1_bench: cannot open the repository '%s'\n", path);
    std::exit(1);
  }
  struct Collected {
    git_odb* odb;
    std::vector<std::size_t> sizes;
  } all{odb, {}};
  git_odb_foreach(
      odb,
      [](const git_oid* id, void* to) {
        auto& collected = *static_cast<Collected*>(to);
        std::size_t size = 0;
        git_object_t type = GIT_OBJECT_INVALID;
        if (git_odb_read_header(&size, &type, collected.odb, id) == 0) collected.sizes.push_back(size);
        return 0;
      },
      &all);
  git_odb_free(odb);
  git_repository_free(repository);
  if (all.sizes.size() < kObjects) {
    std::fprintf(stderr, "sha1_bench: '%s' has %zu objects, at least %zu are needed\n", path, all.sizes.size(),
                 kObjects);
    std::exit(1);
  }
  std::sort(all.sizes.begin(), all.sizes.end());
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < kObjects; ++i) {
    const auto from = all.sizes.begin() + static_cast<std::ptrdiff_t>(all.sizes.size() * i / kObjects);
    const auto to = all.sizes.begin() + static_cast<std::ptrdiff_t>(all.sizes.size() * (i + 1) / kObjects);
    sizes.push_back(std::accumulate(from, to, std::size_t{0}) / static_cast<std::size_t>(to - from));
  }
  std::shuffle(sizes.begin(), sizes.end(), std::mt19937_64(13));
  return sizes;
}

std::vector<std::size_t> object_sizes() {
  const char* repository = std::getenv("PFETCH_BENCH_REPOSITORY");
  return repository != nullptr ? sizes_of(repository) : modelled_sizes();
}

struct Mix {
  std::vector<std::byte> bytes;
  std::vector<Bytes> bodies;
  std::size_t total = 0;
};

const Mix& mix() {
  static const Mix made = [] {
    Mix m;
    const std::vector<std::size_t> sizes = object_sizes();
    for (const std::size_t size : sizes) m.total += size;
    m.bytes = random_bytes(m.total);
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
      m.bodies.emplace_back(m.bytes.data() + at, size);
      at += size;
    }
    return m;
  }();
  return made;
}

const Bytes kHead = pfetch::base::as_bytes("blob 12345");

void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

// Buffers of one size: a single one, or so many that no branch predictor remembers them all.
class Ring {
 public:
  Ring(std::size_t size, bool fresh)
      : size_(size),
        count_(fresh ? std::max<std::size_t>(8, (4U << 20) / size) : 1),
        bytes_(random_bytes(size * count_)) {}

  Bytes next() {
    at_ = (at_ + 1) % count_;
    return Bytes(bytes_).subspan(at_ * size_, size_);
  }

 private:
  std::size_t size_;
  std::size_t count_;
  std::size_t at_ = 0;
  std::vector<std::byte> bytes_;
};

template <class Hash>
void hash_buffers(benchmark::State& state, bool fresh, const Hash& hash) {
  const auto size = static_cast<std::size_t>(state.range(0));
  Ring ring(size, fresh);
  for (auto _ : state) hash(ring.next());
  set_bytes(state, size);
}

void openssl_buffer(benchmark::State& state, bool fresh) {
  pfetch::base::PlainSha1 sha1;
  hash_buffers(state, fresh, [&](Bytes bytes) {
    sha1.update(bytes);
    benchmark::DoNotOptimize(sha1.finish());
  });
}

void checked_buffer(benchmark::State& state, bool fresh, Sha1Kernel kernel) {
  hash_buffers(state, fresh,
               [&](Bytes bytes) { benchmark::DoNotOptimize(pfetch::base::sha1_checked({}, bytes, kernel)); });
}

void libgit2_buffer(benchmark::State& state, bool fresh) {
  git_oid oid;
  hash_buffers(state, fresh, [&](Bytes bytes) {
    git_odb_hash(&oid, bytes.data(), bytes.size(), GIT_OBJECT_BLOB);
    benchmark::DoNotOptimize(oid);
  });
}

void openssl_objects(benchmark::State& state) {
  pfetch::base::PlainSha1 sha1;
  for (auto _ : state) {
    for (const Bytes body : mix().bodies) {
      sha1.update(kHead);
      sha1.update(body);
      benchmark::DoNotOptimize(sha1.finish());
    }
  }
  set_bytes(state, mix().total);
}

void libgit2_objects(benchmark::State& state) {
  git_oid oid;
  for (auto _ : state) {
    for (const Bytes body : mix().bodies) {
      git_odb_hash(&oid, body.data(), body.size(), GIT_OBJECT_BLOB);
      benchmark::DoNotOptimize(oid);
    }
  }
  set_bytes(state, mix().total);
}

void one_by_one_objects(benchmark::State& state, Sha1Kernel kernel) {
  for (auto _ : state) {
    for (const Bytes body : mix().bodies) benchmark::DoNotOptimize(pfetch::base::sha1_checked(kHead, body, kernel));
  }
  set_bytes(state, mix().total);
}

void many_objects(benchmark::State& state, Sha1Kernel kernel) {
  std::vector<Sha1Job> jobs;
  for (auto _ : state) {
    for (std::size_t at = 0; at < mix().bodies.size(); at += 32) {  // a worker has some dozens at hand, not all
      jobs.clear();
      for (std::size_t i = 0; i < 32; ++i) jobs.push_back({kHead, mix().bodies[at + i], {}, false});
      pfetch::base::sha1_many(jobs, kernel);
      benchmark::DoNotOptimize(jobs.data());
    }
  }
  set_bytes(state, mix().total);
}

// The same benchmark on one buffer and on many, for each size.
template <class Function, class... Arguments>
void register_buffers(const std::string& name, Function function, Arguments... arguments) {
  for (const bool fresh : {false, true}) {
    benchmark::RegisterBenchmark(((fresh ? "Fresh/" : "Same/") + name).c_str(), function, fresh, arguments...)
        ->Arg(64)
        ->Arg(512)
        ->Arg(4096)
        ->Arg(16384)
        ->Arg(1 << 20);
  }
}

void register_kernel(Sha1Kernel kernel) {
  if (!pfetch::base::sha1_kernel_available(kernel)) return;
  const std::string name = pfetch::base::sha1_kernel_name(kernel);
  register_buffers(name, checked_buffer, kernel);
  benchmark::RegisterBenchmark(("Objects/" + name + "/one_by_one").c_str(), one_by_one_objects, kernel);
  benchmark::RegisterBenchmark(("Objects/" + name + "/many").c_str(), many_objects, kernel);
}

}  // namespace

int main(int argc, char** argv) {
  git_libgit2_init();
  register_buffers("openssl", openssl_buffer);
  register_buffers("libgit2", libgit2_buffer);
  benchmark::RegisterBenchmark("Objects/openssl", openssl_objects);
  benchmark::RegisterBenchmark("Objects/libgit2", libgit2_objects);
  for (const Sha1Kernel kernel :
       {Sha1Kernel::portable, Sha1Kernel::shani_avx2, Sha1Kernel::shani_avx512, Sha1Kernel::armv8}) {
    register_kernel(kernel);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("object_sizes", std::to_string(mix().bodies.size()) + " objects, " +
                                                  std::to_string(mix().total / mix().bodies.size()) +
                                                  " bytes on average");
  benchmark::RunSpecifiedBenchmarks();
  git_libgit2_shutdown();
}
