"""A fresh file system for every run.

On ext4, creating files soon after many were deleted is several times slower, since the kernel passes over inodes freed
of late: `rm -rf` between runs spoils them. So each run gets a new ext4 in a sparse file, mounted through a loop device.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile


def quiet(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


class FreshFileSystems:
    """Decides once what can be had here (`kind`: ext4, tmpfs or directory), and says so in `note`."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.note = None
        self.kind = "ext4"
        if self._works():
            return
        self.kind, self.note = "tmpfs", "no ext4 image can be mounted here (needs root, loop devices): tmpfs instead"
        if self._works():
            return
        self.kind = "directory"
        self.note = "no file system can be mounted here (needs root): a new directory for every run"

    def _works(self):
        try:
            with self.fresh(64 << 20):
                return True
        except OSError:
            return False

    def describe(self):
        return {"ext4": "a fresh ext4 image for every run", "tmpfs": "a fresh tmpfs for every run",
                "directory": "a new directory for every run"}[self.kind]

    def _mount(self, kind, size, image, point):
        if kind == "tmpfs":
            return quiet("mount", "-t", "tmpfs", "-o", f"size={size}", "pfetch-bench", str(point))
        with open(image, "wb") as file:
            file.truncate(size)
        # noinit_itable: no kernel thread goes on initialising inode tables during the run.
        return (quiet("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
                and quiet("mount", "-o", "loop,noinit_itable", str(image), str(point)))

    @contextlib.contextmanager
    def fresh(self, size, kind=None):
        """A directory in a new, empty file system of `size` bytes (sparse), of this kind if any can be had; gone
        afterwards."""
        kind = kind if kind and self.kind != "directory" else self.kind
        base = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.directory))
        image, point = base / "image", base / "mnt"
        point.mkdir()
        mounted = False
        try:
            if kind != "directory":
                mounted = self._mount(kind, size, image, point)
                if not mounted:
                    raise OSError(f"cannot mount a fresh {kind}")
            work = point / "work"
            work.mkdir()
            yield work
        finally:
            if mounted and not quiet("umount", str(point)):
                quiet("umount", "-l", str(point))
            if os.path.ismount(point):
                raise OSError(f"{point} is still mounted; unmount it by hand")
            shutil.rmtree(base)
