#include "checkout/workers.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/fd.h"
#include "checkout/cpu_quota.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::checkout {
namespace {

// A file system root with control groups in it.
class Root {
 public:
  Root& file(const std::string& path, const std::string& text) {
    base::make_directories(top_ / path.substr(0, path.rfind('/')));
    const base::UniqueFd fd = base::open_file(top_ / path, O_WRONLY | O_CREAT | O_TRUNC);
    base::write_all(fd.get(), base::as_bytes(text), path);
    return *this;
  }
  std::string path() const { return top_.path(); }

 private:
  test::TemporaryDirectory top_;
};

TEST(CpuQuota, IsNotBoundedWhereThereAreNoGroups) {
  const Root root;
  EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
  EXPECT_GE(processors(root.path()), 1U);
}

TEST(CpuQuota, IsTheSmallestOfTheGroupAndThoseAboveIt) {
  Root root;
  root.file("proc/self/cgroup", "0::/user/job\n").file("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
  root.file("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 1.5);
  root.file("sys/fs/cgroup/user/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 0.5);
  EXPECT_EQ(processors(root.path()), 1U);
}

TEST(CpuQuota, OfAContainerIsWhatIsMountedThere) {
  Root root;
  root.file("proc/self/cgroup", "0::/docker/0123abc\n").file("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 3.0);
}

TEST(CpuQuota, ReadsVersionOne) {
  Root root;
  root.file("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/job\n2:cpuset:/\n")
      .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
  root.file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(cpu_quota(root.path()), 2.0);
  root.file("proc/self/cgroup", "3:cpu:/job\n0::/\n")
      .file("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "25000\n")
      .file("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(cpu_quota(root.path()), 0.5);
}

TEST(CpuQuota, TakesNonsenseForNoBound) {
  for (const char* text : {"", "\n", "x y\n", "100000\n", "100000 0\n", "0 100000\n", "-5 100000\n"}) {
    Root root;
    root.file("proc/self/cgroup", "\n::\n0\n0::\n0::/../x\n").file("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(cpu_quota(root.path()), std::nullopt) << text;
  }
}

FileSystem with_magic(long magic) {
  return file_system_at("/x", [magic](const char*, struct statfs* into) {
    into->f_type = static_cast<decltype(into->f_type)>(magic);
    return 0;
  });
}

TEST(FileSystemKind, IsKnownByItsMagicNumber) {
  EXPECT_EQ(describe(with_magic(0xEF53)), "local file system (ext4)");
  EXPECT_EQ(describe(with_magic(0x6969)), "network file system (nfs)");
  EXPECT_EQ(describe(with_magic(0xFF534D42)), "network file system (cifs)");
  EXPECT_EQ(describe(with_magic(static_cast<std::int32_t>(0xFF534D42))), "network file system (cifs)");
  EXPECT_EQ(describe(with_magic(0x794C7630)), "overlay file system (overlayfs)");
  EXPECT_EQ(describe(with_magic(0x65735546)), "FUSE file system");
  EXPECT_EQ(describe(with_magic(0x12345)), "local file system");
  EXPECT_EQ(file_system_at("/x", [](const char*, struct statfs*) { return -1; }).name, "");
  EXPECT_EQ(describe(file_system_at("/no/such/place")), "local file system");
}

WorkerCircumstances configured(std::vector<repo::ConfigEntry> entries) {
  return worker_circumstances(repo::Config(std::move(entries)), "/", 500, 1000);
}

repo::ConfigEntry entry(const char* key, const char* value) {
  repo::ConfigEntry made;
  made.key = key;
  made.value = value;
  return made;
}

TEST(Workers, AreMeasuredUnlessSet) {
  const WorkerCircumstances found = configured({});
  EXPECT_FALSE(found.asked_for);
  EXPECT_FALSE(found.parallel_from);
  EXPECT_GE(found.processors, 1U);
  EXPECT_EQ(found.files, 500U);
  EXPECT_EQ(found.bytes, 1000U);
}

TEST(Workers, AreWhatIsConfiguredFromAHundredFilesOn) {
  EXPECT_EQ(configured({entry("checkout.workers", "7")}).asked_for, 7U);
  EXPECT_EQ(configured({entry("checkout.workers", "7")}).parallel_from, 100U);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  EXPECT_EQ(configured({entry("checkout.workers", "0")}).asked_for, cores);
  EXPECT_EQ(configured({entry("checkout.workers", "-3")}).asked_for, cores);
}

TEST(Workers, HeedAThresholdAlone) {
  const WorkerCircumstances found = configured({entry("checkout.thresholdforparallelism", "1000")});
  EXPECT_FALSE(found.asked_for);
  EXPECT_EQ(found.parallel_from, 1000U);
  EXPECT_EQ(WorkerControl(found).most(), 1U);
  EXPECT_EQ(configured({entry("checkout.thresholdforparallelism", "-1")}).parallel_from, 0U);
}

}  // namespace
}  // namespace pfetch::checkout
