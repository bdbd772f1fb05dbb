"""A directory behind a file system that is slow, or fails, on purpose (tests/support/latency_fs)."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from tools import PFETCH

WAIT_SECONDS = 20


def program() -> pathlib.Path:
    return pathlib.Path(os.environ.get("PFETCH_LATENCY_FS", pathlib.Path(PFETCH).parent / "latency_fs"))


def why_not() -> str | None:
    """What is missing here; None when such a file system can be mounted."""
    if not program().exists():
        return f"FUSE: {program()} was not built, libfuse3 is missing (scripts/deps test)"
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        return f"FUSE: /dev/fuse cannot be used here ({error.strerror})"
    return None


class SlowDirectory:
    """`backing`, seen at `path` through the file system. Made with Mounts, which unmounts it."""

    def __init__(self, backing: pathlib.Path, path: pathlib.Path, options):
        self.backing, self.path = backing, path
        self.file = path.with_name(path.name + ".counters")
        words = [program(), "--tied", f"--counters={self.file}", *options, backing, path]
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.words = ""
        started = time.monotonic()
        while not os.path.ismount(path):
            if self.process.poll() is not None or time.monotonic() - started > WAIT_SECONDS:
                self.unmount()
                raise OSError(f"not mounted: {self.words}")
            time.sleep(0.005)

    def counters(self) -> dict:
        """How often each operation was asked for until now, and more (see latency_fs/operation.h)."""
        self.file.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        started = time.monotonic()
        while not self.file.exists():
            assert time.monotonic() - started < WAIT_SECONDS, "no counters"
            time.sleep(0.005)
        return json.loads(self.file.read_text())

    def unmount(self):
        """For certain: what is still open in it is cut off."""
        umount, lazily = (["umount"], "-l") if os.geteuid() == 0 else (["fusermount3", "-u"], "-z")
        if os.path.ismount(self.path) and subprocess.run([*umount, self.path], capture_output=True).returncode != 0:
            subprocess.run([*umount, lazily, self.path], capture_output=True)
            self.process.terminate()
        try:
            self.words = self.process.communicate(timeout=WAIT_SECONDS / 4)[1].decode()
        except subprocess.TimeoutExpired:
            self.process.kill()  # its connection ends with it, and every request with an error
            self.words = self.process.communicate()[1].decode()
        assert not os.path.ismount(self.path), f"{self.path} is still mounted"


class Mounts:
    """The slow directories of one test."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.mounted = folder, []

    def __call__(self, *options) -> SlowDirectory:
        number = len(self.mounted)
        backing, path = self.folder / f"backing{number}", self.folder / f"slow{number}"
        backing.mkdir()
        path.mkdir()
        self.mounted.append(SlowDirectory(backing, path, options))
        return self.mounted[-1]

    def unmount_all(self):
        while self.mounted:
            self.mounted.pop().unmount()


@pytest.fixture
def slow(tmp_path):
    """slow("--delay-us=1000", "--fail=write:EIO:3"...) gives a SlowDirectory; a skip where there is no FUSE."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    mounts = Mounts(tmp_path)
    try:
        yield mounts
    finally:
        mounts.unmount_all()
