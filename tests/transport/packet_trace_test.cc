#include "transport/packet_trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.h"

namespace pfetch::transport {
namespace {

using base::PacketKind;

TEST(PacketTrace, DescribesPacketsInGitsLayout) {
  EXPECT_EQ(PacketTrace::describe("clone", false, PacketKind::data, "version 2\n"), "packet:        clone< version 2");
  EXPECT_EQ(PacketTrace::describe("clone", true, PacketKind::flush, ""), "packet:        clone> 0000");
  EXPECT_EQ(PacketTrace::describe("clone", true, PacketKind::delim, ""), "packet:        clone> 0001");
  EXPECT_EQ(PacketTrace::describe("clone", false, PacketKind::data, {"a\0\x1b", 3}), "packet:        clone< a\\0\\33");
  EXPECT_EQ(PacketTrace::describe("clone", false, PacketKind::data, "PACK ..."), "packet:     sideband< PACK ...");
  EXPECT_EQ(PacketTrace::describe("clone", false, PacketKind::data, "\2words\n"), "packet:     sideband< \\2words");
}

TEST(PacketTrace, AppendsToAnAbsolutePath) {
  char path[] = "/tmp/pfetch-trace-XXXXXX";
  const base::UniqueFd made(::mkstemp(path));
  for (int i = 0; i < 2; ++i) {
    const auto trace = PacketTrace::open(path, "clone");
    ASSERT_TRUE(trace);
    trace->hook()(true, PacketKind::data, "want x\n");
  }
  const std::string text = base::read_file(path);
  ::unlink(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find("packet:        clone> want x\n"), 40U) << text;
}

TEST(PacketTrace, IsOffOrSaysWhy) {
  std::string warning;
  for (const char* off : {"", "0", "false"}) EXPECT_FALSE(PacketTrace::open(off, "clone", &warning));
  EXPECT_EQ(warning, "");
  EXPECT_FALSE(PacketTrace::open("some/path", "clone", &warning));
  EXPECT_NE(warning.find("unknown trace value for 'GIT_TRACE_PACKET': some/path"), std::string::npos);
  EXPECT_FALSE(PacketTrace::open("/nonexistent/dir/file", "clone", &warning));
  EXPECT_NE(warning.find("could not open '/nonexistent/dir/file' for tracing"), std::string::npos);
  for (const char* on : {"1", "2", "true", "9"}) EXPECT_TRUE(PacketTrace::open(on, "clone", &warning));
}

}  // namespace
}  // namespace pfetch::transport
