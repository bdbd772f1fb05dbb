"""Interrupted at any moment, or kept waiting: nothing is left behind, nothing hangs, nothing spins."""
import os
import random
import signal
import time

import pytest

from compare import leftovers
from history import History
from packs import Pack, delta_of, object_id, tip_of
from tools import PFETCH, SANITIZED

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(scope="module")
def slow_pack():
    pack = Pack()
    base = b"".join(b"line %d\n" % number for number in range(300))
    files = []
    texts = [base + b"version %d\n" % number for number in range(150)]
    for number, text in enumerate(texts):
        files.append(("100644", f"f{number:03}", object_id("blob", text)))
    tip = tip_of(pack, files)  # the commit and the tree come first, as from git, so that files are written on arrival
    pack.add("blob", base)
    for text in texts:
        pack.ref_delta(object_id("blob", base), delta_of(base, text))
    return pack.done(), tip


def interrupted(tools, server, target, moment, number) -> int:
    """Clones, sends the signal to the program alone after so many seconds, and returns the exit code."""
    process = tools.start(PFETCH, "clone", *server["args"], server["url"], target)
    try:
        process.wait(timeout=moment)
    except Exception:
        process.send_signal(number)
    started = time.monotonic()
    try:
        out, err = process.communicate(timeout=20)
    except Exception:
        process.kill()
        process.communicate()
        raise AssertionError(f"does not end after signal {number} at {moment:.3f} s") from None
    assert time.monotonic() - started < 10, f"takes long to end: {out} {err}"
    return process.returncode


@pytest.mark.ours
@pytest.mark.parametrize("start", ["absent", "empty", "nested"])
def test_a_signal_at_any_moment_leaves_nothing(tools, tmp_path, fake_server, slow_pack, start):
    dice = random.Random(start)
    server = fake_server(*slow_pack, chunk=300, pause=0.005)
    whole = time.monotonic()
    tools.pfetch("clone", *server["args"], server["url"], tmp_path / "whole").ok()
    whole = time.monotonic() - whole
    killed = 0
    for attempt in range(60):  # on a busy machine many come too late
        if attempt >= 10 and killed >= 5:
            break
        top = tmp_path / f"x{attempt}"
        target = top / "a" / "b" if start == "nested" else top
        if start == "empty":
            target.mkdir()
        number = SIGNALS[attempt % 3]
        code = interrupted(tools, server, target, dice.uniform(0, whole * 0.95), number)
        if code == 0:
            assert (target / "f149").exists()
            continue
        killed += 1
        assert code in (-number, 128 + number), f"exit {code} after signal {number}"
        if start == "empty":
            assert target.is_dir() and list(target.iterdir()) == []
        else:
            assert not target.exists()
    assert killed >= 5, "the signals came too late to mean anything"
    assert leftovers(tmp_path) == []


@pytest.mark.ours
def test_an_ignored_hangup_stays_ignored(tools, tmp_path, fake_server, slow_pack):
    """Started by nohup, a hang-up does not end it."""
    server = fake_server(*slow_pack, chunk=1000, pause=0.01)
    process = tools.start("sh", "-c", 'trap "" HUP; exec "$@"', "sh", PFETCH, "clone", *server["args"], server["url"],
                          tmp_path / "x")
    time.sleep(0.15)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert (tmp_path / "x" / "f149").exists()


@pytest.mark.ours
def test_a_signal_during_checkout_leaves_nothing(tools, tmp_path):
    history = History()
    history.commit("main", "many", {f"d{number % 50}/f{number}": b"%d\n" % number * 500 for number in range(2000)})
    source = history.write(tools, tmp_path / "src")
    dice = random.Random(1)
    server = {"args": ("--depth=1",), "url": source.url}
    for attempt in range(6):
        target = tmp_path / f"x{attempt}"
        code = interrupted(tools, server, target, dice.uniform(0.01, 0.25), SIGNALS[attempt % 3])
        assert target.exists() == (code == 0), f"exit {code}"


@pytest.mark.ours
def test_the_child_of_an_interrupted_clone_ends_too(tools, tmp_path, fake_server, slow_pack):
    server = fake_server(*slow_pack, silent_at=2000, silent=60)
    process = tools.start(PFETCH, "clone", *server["args"], server["url"], tmp_path / "x")
    children = wait_for_children(process.pid)
    process.terminate()
    process.communicate(timeout=10)
    deadline = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{child}") and "Z" not in state_of(child) for child in children):
        assert time.monotonic() < deadline, "the server's process is still there"
        time.sleep(0.05)


def state_of(pid) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def wait_for_children(pid) -> list:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = []
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="utf-8") as file:
                children += [int(child) for child in file.read().split()]
        if children:
            time.sleep(0.3)
            return children
        time.sleep(0.02)
    raise AssertionError("no child was started")


@pytest.mark.ours
@pytest.mark.parametrize("how", ["no space", "read-only"])
@pytest.mark.skipif(os.getuid() != 0, reason="needs a file system of its own")
def test_a_full_disk_leaves_nothing(both, tools, tmp_path, how):
    disk = tmp_path / "disk"
    disk.mkdir()
    history = History()
    history.commit("main", "big", {f"f{number}": random.Random(number).randbytes(100000) for number in range(60)})
    source = history.write(tools, tmp_path / "src")
    options = "size=7m" if how == "no space" else "size=7m,ro"
    if tools.run("mount", "-t", "tmpfs", "-o", options, "none", disk).code:
        pytest.skip("no right to mount")
    try:
        for name, run in (("git", tools.git), ("our", tools.pfetch)):
            result = run("clone", "--depth=1", source.url, disk / name)
            result.refused(code=128)
            if name == "our":
                result.refused("space" if how == "no space" else "read-only")
                assert not (disk / name).exists(), result
            else:
                tools.run("rm", "-rf", disk / name)
    finally:
        tools.run("umount", disk).ok()


def cost_of(pid) -> tuple:
    """CPU milliseconds and context switches of all threads so far."""
    nanoseconds = switches = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="utf-8") as file:
            nanoseconds += int(file.read().split()[0])
        with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
            switches += sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    return nanoseconds / 1e6, switches


@pytest.mark.slow
@pytest.mark.skipif(SANITIZED, reason="a sanitizer has threads of its own")
@pytest.mark.parametrize("extra", [[], ["--progress"]], ids=["plain", "progress"])
def test_waiting_for_a_silent_server_costs_nothing(tools, tmp_path, fake_server, slow_pack, extra):
    server = fake_server(*slow_pack, silent_at=3000, silent=12)
    process = tools.start(PFETCH, "clone", *extra, *server["args"], server["url"], tmp_path / "x")
    time.sleep(1.5)
    before = cost_of(process.pid)
    time.sleep(10)
    after = cost_of(process.pid)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert after[0] - before[0] < 20, f"{after[0] - before[0]:.1f} ms of CPU in ten seconds of silence"
    assert after[1] - before[1] < 100, f"{after[1] - before[1]} context switches in ten seconds of silence"
