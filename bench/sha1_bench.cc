// SHA-1 with collision detection beside OpenSSL's plain SHA-1 and libgit2's git_odb_hash, in one run on one core.
//
// `Buffer` hashes one buffer of a given size; `Objects` hashes a mix of sizes like the one in a pack of the Linux tree.
#include <benchmark/benchmark.h>
#include <git2.h>

#include <cmath>
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

// Sizes as in a shallow pack of the Linux 6.1 tree: 78,579 files (half of them below 3.9 KB, 16.5 KB on average), and
// one tree of some 500 bytes for every 15 files. Between the measured percentiles sizes grow evenly by factor.
std::vector<std::size_t> object_sizes(std::size_t count) {
  constexpr struct {
    double percentile;
    double size;
  } kPoints[] = {{0, 20},    {10, 445},   {20, 959},   {30, 1621},  {40, 2525},   {50, 3873},    {60, 5909},
                 {70, 9044}, {80, 14832}, {90, 28758}, {95, 48085}, {99, 124603}, {100, 1000000}};
  std::mt19937_64 random(11);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < count; ++i) {
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

struct Mix {
  std::vector<std::byte> bytes;
  std::vector<Bytes> bodies;
  std::size_t total = 0;
};

const Mix& mix() {
  static const Mix made = [] {
    Mix m;
    const std::vector<std::size_t> sizes = object_sizes(512);
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

void openssl_buffer(benchmark::State& state) {
  const auto bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  pfetch::base::PlainSha1 sha1;
  for (auto _ : state) {
    sha1.update(bytes);
    benchmark::DoNotOptimize(sha1.finish());
  }
  set_bytes(state, bytes.size());
}

void checked_buffer(benchmark::State& state, Sha1Kernel kernel) {
  const auto bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(pfetch::base::sha1_checked({}, bytes, kernel));
  set_bytes(state, bytes.size());
}

void libgit2_buffer(benchmark::State& state) {
  const auto bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  git_oid oid;
  for (auto _ : state) {
    git_odb_hash(&oid, bytes.data(), bytes.size(), GIT_OBJECT_BLOB);
    benchmark::DoNotOptimize(oid);
  }
  set_bytes(state, bytes.size());
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

void register_kernel(Sha1Kernel kernel) {
  if (!pfetch::base::sha1_kernel_available(kernel)) return;
  const std::string name = pfetch::base::sha1_kernel_name(kernel);
  benchmark::RegisterBenchmark(("Buffer/" + name).c_str(), checked_buffer, kernel)
      ->Arg(64)
      ->Arg(512)
      ->Arg(4096)
      ->Arg(16384)
      ->Arg(1 << 20);
  benchmark::RegisterBenchmark(("Objects/" + name + "/one_by_one").c_str(), one_by_one_objects, kernel);
  benchmark::RegisterBenchmark(("Objects/" + name + "/many").c_str(), many_objects, kernel);
}

}  // namespace

int main(int argc, char** argv) {
  git_libgit2_init();
  benchmark::RegisterBenchmark("Buffer/openssl", openssl_buffer)
      ->Arg(64)
      ->Arg(512)
      ->Arg(4096)
      ->Arg(16384)
      ->Arg(1 << 20);
  benchmark::RegisterBenchmark("Buffer/libgit2", libgit2_buffer)
      ->Arg(64)
      ->Arg(512)
      ->Arg(4096)
      ->Arg(16384)
      ->Arg(1 << 20);
  benchmark::RegisterBenchmark("Objects/openssl", openssl_objects);
  benchmark::RegisterBenchmark("Objects/libgit2", libgit2_objects);
  for (const Sha1Kernel kernel :
       {Sha1Kernel::portable, Sha1Kernel::shani_avx2, Sha1Kernel::shani_avx512, Sha1Kernel::armv8}) {
    register_kernel(kernel);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  git_libgit2_shutdown();
}
