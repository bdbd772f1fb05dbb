#include "checkout/file_system_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pfetch::checkout {

namespace {

struct Known {
  std::uint64_t magic;
  FileSystemKind kind;
  const char* name;
};

// statfs(2) has most of these numbers, linux/magic.h more.
constexpr Known known[] = {
    {0xEF53, FileSystemKind::local, "ext4"},
    {0x58465342, FileSystemKind::local, "xfs"},
    {0x9123683E, FileSystemKind::local, "btrfs"},
    {0x01021994, FileSystemKind::local, "tmpfs"},
    {0x2FC12FC1, FileSystemKind::local, "zfs"},
    {0xF2F52010, FileSystemKind::local, "f2fs"},
    {0xCA451A4E, FileSystemKind::local, "bcachefs"},
    {0x4D44, FileSystemKind::local, "vfat"},
    {0x2011BAB0, FileSystemKind::local, "exfat"},
    {0x5346544E, FileSystemKind::local, "ntfs"},
    {0x6969, FileSystemKind::network, "nfs"},
    {0x517B, FileSystemKind::network, "smb"},
    {0xFE534D42, FileSystemKind::network, "smb"},
    {0xFF534D42, FileSystemKind::network, "cifs"},
    {0x01021997, FileSystemKind::network, "9p"},
    {0x00C36400, FileSystemKind::network, "ceph"},
    {0x5346414F, FileSystemKind::network, "afs"},
    {0x6B414653, FileSystemKind::network, "afs"},
    {0x73757245, FileSystemKind::network, "coda"},
    {0x0BD00BD0, FileSystemKind::network, "lustre"},
    {0x47504653, FileSystemKind::network, "gpfs"},
    {0x19830326, FileSystemKind::network, "beegfs"},
    {0x01161970, FileSystemKind::network, "gfs2"},
    {0x7461636F, FileSystemKind::network, "ocfs2"},
    {0x786F4256, FileSystemKind::network, "vboxsf"},
    {0xBACBACBC, FileSystemKind::network, "vmhgfs"},
    {0x794C7630, FileSystemKind::overlay, "overlayfs"},
    {0x61756673, FileSystemKind::overlay, "aufs"},
    {0x65735546, FileSystemKind::fuse, ""},
};

}  // namespace

bool waits_for_others(FileSystemKind kind) {
  return kind == FileSystemKind::network || kind == FileSystemKind::fuse;
}

FileSystem file_system_of(std::uint64_t magic) {
  const auto* found =
      std::find_if(std::begin(known), std::end(known), [&](const Known& k) { return k.magic == magic; });
  if (found == std::end(known)) return {};
  return {found->kind, found->name};
}

FileSystem file_system_at(const std::string& path, const StatFs& stat_fs) {
  struct statfs found {};
  if (stat_fs(path.c_str(), &found) != 0) return {};
  return file_system_of(static_cast<std::uint32_t>(found.f_type));  // the field is wider than the numbers
}

std::string describe(const FileSystem& file_system) {
  static constexpr const char* kinds[] = {"local file system", "network file system", "overlay file system",
                                          "FUSE file system"};
  const char* kind = kinds[static_cast<std::size_t>(file_system.kind)];
  return file_system.name.empty() ? kind : fmt::format("{} ({})", kind, file_system.name);
}

}  // namespace pfetch::checkout
