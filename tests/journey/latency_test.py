"""The file system that the journeys on slow and failing file systems stand on: is it right, and slow as it says?"""
import contextlib
import errno
import os
import threading
import time

import pytest



def make_files(folder, count):
    for number in range(count):
        (folder / str(number)).write_bytes(b"x")


def test_what_is_written_through_it_is_there(tools, rich, slow):
    mount = slow("--delay-us=100")
    tools.git("clone", "-q", "--no-local", rich.path, mount.path / "clone").ok()
    clone = mount.path / "clone"
    assert tools.ask(clone, "status", "--porcelain") == ""
    assert tools.ask(mount.backing / "clone", "status", "--porcelain") == ""
    tools.git("-C", clone, "checkout", "-q", "topic").ok()
    tools.git("-C", clone, "fsck", "--strict").ok()
    tools.git("-C", clone, "gc", "-q").ok()
    os.link(clone / "README", clone / "hard")
    os.rename(clone / "hard", clone / "moved")
    assert (mount.backing / "clone" / "moved").stat().st_nlink == 2
    with open(clone / "gone", "w+b") as file:
        os.unlink(clone / "gone")
        file.write(b"still here")
        file.flush()
        file.seek(0)
        assert file.read() == b"still here"
        assert os.fstat(file.fileno()).st_size == 10
    os.utime(clone / "README", ns=(5, 7))
    assert (mount.backing / "clone" / "README").stat().st_mtime_ns == 7
    with pytest.raises(FileExistsError):
        os.open(clone / "README", os.O_CREAT | os.O_EXCL | os.O_WRONLY)


def test_many_operations_are_slow_at_the_same_time(slow):
    mount = slow("--delay-us=0", "--delay-us-create=20000")
    folders = [mount.path / f"d{number}" for number in range(64)]
    for folder in folders:
        folder.mkdir()
    started = time.monotonic()
    make_files(folders[0], 10)
    alone = time.monotonic() - started
    assert alone >= 0.2, "ten delays of 20 ms, one after the other"
    threads = [threading.Thread(target=make_files, args=(folder, 10)) for folder in folders[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counters = mount.counters()
    assert counters["create"] == 640
    assert counters["outstanding_max"] >= 48


def error_of(action) -> int:
    with pytest.raises(OSError) as found:
        action()
    return found.value.errno


def test_operations_fail_as_told(slow):
    mount = slow("--fail=create:EMFILE:2", "--fail=write:ENOSPC:3+", "--fail=mkdir:EROFS", "--fail=unlink:EIO",
                 "--fail=flush:EDQUOT:sub/bad")
    (mount.backing / "sub").mkdir()
    make_files(mount.path, 1)
    assert error_of(lambda: (mount.path / "second").touch()) == errno.EMFILE
    (mount.path / "second").touch()
    assert error_of(lambda: (mount.path / "new").mkdir()) == errno.EROFS
    assert error_of(lambda: (mount.path / "sub" / "bad file").write_bytes(b"x")) == errno.EDQUOT
    assert error_of(lambda: (mount.path / "0").unlink()) == errno.EIO
    for _ in range(2):
        assert error_of(lambda: (mount.path / "full").write_bytes(b"x")) == errno.ENOSPC
    assert mount.counters()["failed_on_purpose"] == 6


def test_a_write_may_be_short(slow):
    mount = slow("--short-writes")
    descriptor = os.open(mount.path / "file", os.O_CREAT | os.O_WRONLY)
    try:
        assert os.write(descriptor, b"0123456789") == 5
    finally:
        os.close(descriptor)
    content = bytes(range(256)) * 1000
    (mount.path / "whole").write_bytes(content)  # a loop, as it has to be
    assert (mount.backing / "whole").read_bytes() == content
    assert mount.counters()["cut_short"] > 5


@pytest.mark.parametrize("seconds", [0, 60])
def test_the_kernel_remembers_names_only_when_told(slow, seconds):
    mount = slow(f"--cache-seconds={seconds}")
    make_files(mount.path, 1)
    before = mount.counters()["lookup"]
    for _ in range(10):
        os.stat(mount.path / "0")
    assert mount.counters()["lookup"] - before == (0 if seconds else 10)


@pytest.mark.parametrize("seconds", [1, 2])
def test_times_are_as_coarse_as_told(slow, seconds):
    mount = slow(f"--time-step={seconds}")
    make_files(mount.path, 1)
    file = mount.path / "0"
    with open(file, "r+b") as stream:
        for told in (1_600_000_001_999_999_999, 1_600_000_002_000_000_000, time.time_ns()):
            os.utime(file, ns=(told, told))
            step = seconds * 10**9
            for info in (file.stat(), os.fstat(stream.fileno())):
                assert info.st_mtime_ns == told // step * step
                assert info.st_ctime_ns % step == 0
            assert (mount.backing / "0").stat().st_mtime_ns == told


def test_what_is_still_in_use_is_unmounted_all_the_same(slow):
    mount = slow()
    held = os.open(mount.path / "held", os.O_CREAT | os.O_WRONLY)
    mount.unmount()
    assert not os.path.ismount(mount.path)
    assert mount.process.returncode == 0
    assert error_of(lambda: os.write(held, b"x")) in (errno.ENOTCONN, errno.EIO)
    with contextlib.suppress(OSError):
        os.close(held)
