"""A checkout into a worktree in which things go wrong: full disks, errors, signals, somebody else's hands. Nothing of the
user's is lost, no lock is left, and the same command run again completes the work."""
import os
import random
import signal
import subprocess
import time

import pytest

from tools import PFETCH

FILES = 400
pytestmark = pytest.mark.ours


def content(branch, number):
    return f"{branch} {number}\n" * (1 + number % 40)


def make_repository(tools, path, files=FILES):
    """Branches `one` (checked out) and `two`: a third of the files differ, some come, some go."""
    tools.ask(path.parent, "init", "-q", "-b", "one", path)
    for branch in ("one", "two"):
        if branch == "two":
            tools.ask(path, "checkout", "-q", "-b", "two")
        for number in range(files):
            changed = "one" if number % 3 else branch
            for only, folder in ((None, "both"), ("one", "old"), ("two", "new")):
                file = path / folder / f"d{number % 7}" / f"f{number}"
                if only and only != branch:
                    file.unlink(missing_ok=True)
                elif not only or number % 4 == 0:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(content(changed, number))
        tools.ask(path, "add", "-A")
        tools.ask(path, "commit", "-q", "-m", branch)
    tools.ask(path, "checkout", "-q", "one")
    return path


@pytest.fixture
def repository(tools, tmp_path):
    return make_repository(tools, tmp_path / "repo")


def assert_on(tools, repository, branch):
    assert tools.ask(repository, "symbolic-ref", "--short", "HEAD").strip() == branch
    assert tools.ask(repository, "status", "--porcelain") == ""
    assert tools.ask(repository, "diff-files") == ""
    assert list((repository / ".git").glob("*.lock")) == []


def failing(tools, repository, *before):
    result = tools.pfetch(*before, "-C", repository, "checkout", "two")
    assert result.code not in (0, 1), f"{result.out}{result.err}"
    assert list((repository / ".git").glob("*.lock")) == []
    assert tools.ask(repository, "symbolic-ref", "--short", "HEAD").strip() == "one"
    return result


def completes(tools, repository):
    tools.pfetch("-C", repository, "checkout", "two").ok()
    assert_on(tools, repository, "two")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MB, in memory."""
    path = tmp_path / "disk"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", path], capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield path
    subprocess.run(["umount", "-l", path], check=True)


def test_a_full_disk(tools, small_disk):
    repository = make_repository(tools, small_disk / "repo", 100)
    tools.ask(repository, "checkout", "-q", "two")
    (repository / "both" / "large").write_bytes(os.urandom(1 << 20))
    tools.ask(repository, "add", ".")
    tools.ask(repository, "commit", "-q", "--amend", "-m", "two")
    tools.ask(repository, "checkout", "-q", "one")
    filler = repository / ".git" / "filler"
    filler.write_bytes(bytes(4 << 20)[: os.statvfs(small_disk).f_bavail * 4096 - 3 * 4096])
    result = failing(tools, repository)
    assert "No space left on device" in result.err
    filler.unlink()
    completes(tools, repository)


@pytest.mark.parametrize("operation", ["create", "write", "mkdir", "unlink"])
@pytest.mark.parametrize("error", ["EIO", "EDQUOT", "EROFS"])
def test_an_error_of_the_file_system_names_path_and_reason(tools, slow, operation, error):
    disk = slow(f"--fail={operation}:{error}:/new/d3" if operation != "unlink" else f"--fail=unlink:{error}:/old/d3")
    make_repository(tools, disk.backing / "repo", 100)
    repository = disk.path / "repo"
    before = ["-c", "safe.directory=*"]
    result = tools.pfetch(*before, "-C", repository, "checkout", "two")
    reason = os.strerror(getattr(__import__("errno"), error))
    assert reason in result.err and "d3" in result.err, result.err
    assert list((disk.backing / "repo" / ".git").glob("*.lock")) == []
    disk.unmount()
    if operation == "unlink":  # what cannot be removed is named, and stays as an untracked file, as with git
        result.ok()
        return
    assert result.code == 128
    completes(tools, disk.backing / "repo")


def test_few_descriptors_suffice(tools, repository):
    words = ["bash", "-c", 'ulimit -n 24; exec "$@"', "bash", PFETCH, "-c", "checkout.workers=4", "-C", repository, "checkout", "two"]
    result = tools.run(*words)
    assert result.code == 0, result.err
    assert_on(tools, repository, "two")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_moment(tools, slow, number):
    disk = slow("--delay-us=300")
    make_repository(tools, disk.backing / "repo", 120)
    repository = disk.path / "repo"
    dice = random.Random(int(number))
    hits = 0
    for attempt in range(8):
        process = tools.start(PFETCH, "-c", "safe.directory=*", "-c", "checkout.workers=2", "-C", repository, "checkout", "two")
        time.sleep(dice.uniform(0.02, 0.5))
        process.send_signal(number)
        process.communicate(timeout=30)
        assert list((disk.backing / "repo" / ".git").glob("*.lock")) == []
        if process.returncode == -number:
            hits += 1
            # Whatever was written, nothing passes for a change that nobody made.
            tools.pfetch("-C", disk.backing / "repo", "checkout", dice.choice(["one", "two"])).ok()
        tools.pfetch("-C", disk.backing / "repo", "checkout", "one").ok()
        assert_on(tools, disk.backing / "repo", "one")
    assert hits > 0, "every signal came too late"


def test_a_directory_that_is_swapped_for_a_link_all_the_time(tools, tmp_path, repository):
    """Another process swaps a directory for a link to a place outside, and back."""
    outside = tmp_path / "outside"
    outside.mkdir()
    swapper = subprocess.Popen(["bash", "-c", 'while :; do mv both hidden && ln -s "$1" both; rm both; mv hidden both; done',
                                "bash", str(outside)], cwd=repository, stderr=subprocess.DEVNULL)
    try:
        for branch in ("two", "one") * 10:
            tools.pfetch("-C", repository, "checkout", "-f", branch)
    finally:
        swapper.kill()
        swapper.wait()
    assert list(outside.iterdir()) == []


def test_a_worktree_that_cannot_be_written(tools, repository):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (repository / "new").mkdir()
    (repository / "new").chmod(0o500)
    assert "Permission denied" in failing(tools, repository).err
    (repository / "new").chmod(0o700)
    completes(tools, repository)


def test_a_clone_onto_a_slow_place_has_many_workers(tools, slow, tmp_path):
    source = make_repository(tools, tmp_path / "source", 200)
    disk = slow("--delay-us=2000")
    tools.pfetch("-c", "safe.directory=*", "clone", "--depth=1", source.as_uri(), disk.path / "clone").ok()
    assert disk.counters()["outstanding_max"] >= 16
    assert_on(tools, disk.backing / "clone", "one")
