"""Runs one command and says what it cost: elapsed time, CPU, and the client's peak memory."""

import dataclasses
import os
import pathlib
import subprocess
import tempfile
import threading
import time

POLL_SECONDS = 0.02
# Git's client work is spread over programs. A server, which a local clone starts as well, is not the client.
CLIENT_PROGRAMS = {"index-pack", "unpack-objects", "rev-list", "checkout--worker", "remote-http"}


class BenchError(Exception):
    pass


@dataclasses.dataclass
class Sample:
    elapsed: float  # seconds
    user: float  # seconds, with all children that were waited for
    sys: float  # seconds, likewise
    peak: int  # bytes: VmHWM of the largest client process
    ended: float  # CLOCK_MONOTONIC, seconds
    figures: dict = dataclasses.field(default_factory=dict)  # what a suite adds


def peak_of(pid):
    """VmHWM in bytes; 0 when the process is gone."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def children_of(pid):
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            yield from map(int, pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii").split())
    except OSError:
        pass


def is_client(pid):
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:5]  # after "git --shallow-file FILE"
    except OSError:
        return False
    names = (os.path.basename(word.decode(errors="replace")).removeprefix("git-") for word in words)
    return any(name in CLIENT_PROGRAMS for name in names)


class PeakPoller(threading.Thread):
    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.stop = pid, 0, threading.Event()

    def run(self):
        while True:
            clients = [self.pid] + [child for child in children_of(self.pid) if is_client(child)]
            self.peak = max(self.peak, *map(peak_of, clients))
            if self.stop.wait(POLL_SECONDS):
                return


def measure(command, env, cwd):
    """A Sample of `command`; BenchError with the end of its words when it fails."""
    with tempfile.TemporaryFile() as words:
        started = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=words, stderr=words)
        poller = PeakPoller(process.pid)
        poller.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            ended = time.monotonic()
        except BaseException:
            process.kill()
            raise
        finally:
            poller.stop.set()
            poller.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            words.seek(0)
            text = words.read().decode(errors="replace")[-2000:]
            raise BenchError(f"{' '.join(map(str, command))}: exit status {process.returncode}\n{text}")
    return Sample(ended - started, usage.ru_utime, usage.ru_stime, poller.peak, ended)
