"""A directory seen through a file system that is slow on purpose (tests/support/latency_fs)."""

import contextlib
import os
import pathlib
import subprocess
import time

from .measure import BenchError

WAIT_SECONDS = 20


def program(bench):
    """Built beside pfetch when libfuse3 is there; PFETCH_LATENCY_FS names another one."""
    source = pathlib.Path(__file__).resolve().parents[2]
    places = [os.environ.get("PFETCH_LATENCY_FS"), pathlib.Path(bench.pfetch).parent / "latency_fs",
              source / "build/release/latency_fs"]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    raise BenchError("latency_fs is not there: it is built where libfuse3 is (scripts/deps bench)")


def unmount(point, server):
    for command in (["umount", point], ["umount", "-l", point]):
        if not os.path.ismount(point):
            break
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    try:
        server.wait(WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    point.rmdir()


def slow(bench, delay_us, cache_seconds):
    """For Test.seen_through: each operation takes so much longer, any number of them at once."""

    @contextlib.contextmanager
    def mounted(prepared):
        point = prepared.with_name(prepared.name + "-slow")
        point.mkdir()
        server = subprocess.Popen([program(bench), "--tied", f"--delay-us={delay_us}",
                                   f"--cache-seconds={cache_seconds}", prepared, point], stdin=subprocess.DEVNULL)
        try:
            started = time.monotonic()
            while not os.path.ismount(point):
                if server.poll() is not None or time.monotonic() - started > WAIT_SECONDS:
                    raise BenchError("the slow file system cannot be mounted here (needs /dev/fuse)")
                time.sleep(0.005)
            yield point
        finally:
            unmount(point, server)

    return mounted
