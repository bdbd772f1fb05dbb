"""Fixtures of the journey tests: whole commands, run beside real git in an environment of their own.

PFETCH names the program under test; PFETCH_SEEDS says how many seeds a property test tries (default 20);
PFETCH_NIGHTLY=1 adds the tests that need minutes or gigabytes; PFETCH_REMOVE_PASSED=1: see below.
"""
import json
import os
import pathlib
import shutil
import signal
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support" / "journey"))

from compare import compare_repositories, six_checks  # noqa: E402
from history import History  # noqa: E402
from latency import slow  # noqa: E402,F401
from moving import MovedSource  # noqa: E402
from sshd import Sshd  # noqa: E402
from tools import PYTHON, SUPPORT, Tools, clean_environment, side_by_side  # noqa: E402

# Started in the background by a shell, a program ignores SIGINT, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

MARKS = {
    "ours": "about what only pfetch has, or does better than git: git itself would fail it",
    "slow": "takes ten seconds or more",
    "cost": "of a random test: it tries one in so many seeds, and 8 at least",
    "nightly": "needs minutes or gigabytes; runs only with PFETCH_NIGHTLY=1",
}


def pytest_configure(config):
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_modifyitems(items):
    if os.environ.get("PFETCH_NIGHTLY") != "1":
        for item in items:
            if item.get_closest_marker("nightly"):
                item.add_marker(pytest.mark.skip(reason="runs only with PFETCH_NIGHTLY=1"))


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        cost = metafunc.definition.get_closest_marker("cost")
        seeds = int(os.environ.get("PFETCH_SEEDS", "20"))
        metafunc.parametrize("seed", range(max(8, seeds // cost.args[0]) if cost else seeds))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call":
        item.has_passed = report.passed


@pytest.fixture(autouse=True)
def remove_after_success(request, tmp_path):
    """With PFETCH_REMOVE_PASSED=1 a test that passed leaves no files: for temporary folders in memory."""
    yield
    if os.environ.get("PFETCH_REMOVE_PASSED") == "1" and getattr(request.node, "has_passed", False):
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="session")
def tools(tmp_path_factory) -> Tools:
    return Tools(clean_environment(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="session")
def sshd(tmp_path_factory, tools):
    server = Sshd(tmp_path_factory.mktemp("ssh") / "d")
    tools.env["GIT_SSH_COMMAND"] = server.command
    yield server
    server.stop()


@pytest.fixture(scope="session")
def src(tools, tmp_path_factory):
    """A linear repository c1..c6. Read only."""
    return History().linear(6).write(tools, tmp_path_factory.mktemp("linear") / "src")


@pytest.fixture(scope="session")
def rich(tools, tmp_path_factory):
    """Branches, merges, every kind of tag and entry. Read only."""
    history = History()
    history.commit("main", "start", {
        ".gitattributes": b"*.txt text\n*.bat eol=crlf\n*.id ident\n", "README": b"hello\n",
        "run": ("100755", b"#!/bin/sh\n"),
        "link": ("120000", b"deep/er/file"), "dangling": ("120000", b"../nowhere"), "deep/er/file": b"x" * 5000 + b"\n",
        "win.bat": b"dir\nexit\n", "a.id": b"$Id$\n", "empty": b"", "binary": bytes(range(256)),
        "sub/.gitattributes": b"*.raw -text\n", "sub/data.raw": b"a\r\nb\n", "sub.txt": b"sorts before sub/\n",
        "module": ("160000", "1234567890123456789012345678901234567890"),
        "bytes-\udcff".encode("utf-8", "surrogateescape"): b"b\n",
    }, date=1500000000)
    history.commit("main", "second", {"README": b"hello\nagain\n", "empty": None}, date=1510000000)
    history.commit("topic", "t1", {"topic.txt": b"1\n"}, start="second", date=1520000000)
    history.commit("topic", "t2", {"topic.txt": b"1\n2\n"}, date=1530000000)
    history.commit("main", "third", {"README": b"hello\nagain\nand again\n"}, date=1540000000)
    history.commit("main", "merge", {"topic.txt": b"1\n2\n"}, merge=["t2"], date=1550000000)
    history.commit("main", "tip", {"deep/er/file": b"x" * 5000 + b"\ny\n"}, date=1560000000)
    history.commit("side", "s1", {"side.txt": b"s\n"}, start="start", date=1570000000)
    history.commit("orphan", "o1", {"alone": b"o\n"}, date=1580000000)
    history.tag("v0.1", "second")
    history.tag("v0.2", "third", annotated=True)
    history.tag("v1.0", "merge", annotated=True)
    history.tag("v1.0-again", "v1.0", annotated=True)
    history.tag("side-tag", "s1", annotated=True)
    history.tag("blob", "main:README")
    history.tag("tree", "main:deep", annotated=True)
    repo = history.write(tools, tmp_path_factory.mktemp("rich") / "src")
    repo.git("update-ref", "refs/notes/hidden", repo.ids["o1"])
    repo.git("update-ref", "refs/pull/1/head", repo.ids["s1"])
    return repo.config(uploadpack__allowFilter="true")


@pytest.fixture(scope="session")
def moved(tools, tmp_path_factory) -> MovedSource:
    """A source that has moved on since it was cloned. Read only."""
    return MovedSource(tools, tmp_path_factory.mktemp("moved"))


class Both:
    """The same clone made by git and by pfetch, in two folders of the same shape."""

    def __init__(self, tools, folder: pathlib.Path):
        self.tools, self.theirs_root, self.ours_root = tools, folder / "git", folder / "our"
        for root in (self.theirs_root, self.ours_root):
            root.mkdir(parents=True)
        self.theirs = self.ours = self.git_result = self.result = None

    def clone(self, *args, url, directory="x", before=(), env=None) -> "Both":
        """Runs both at the same time; before: options in front of the command."""
        tail = ([str(url)] if url is not None else []) + ([directory] if directory else [])
        local = ["--no-local"] if url is not None and "://" not in str(url) else []
        self.git_result, self.result = side_by_side(
            lambda: self.tools.git(*before, "clone", *local, *args, *tail, cwd=self.theirs_root, env=env),
            lambda: self.tools.pfetch(*before, "clone", *args, *tail, cwd=self.ours_root, env=env))
        self.theirs, self.ours = self.theirs_root / (directory or "x"), self.ours_root / (directory or "x")
        return self

    def same(self, fsck="--strict", clean=True) -> dict:
        """Both worked, and there is no difference."""
        self.git_result.ok()
        self.result.ok()
        return compare_repositories(self.tools, self.theirs, self.ours, fsck=fsck, clean=clean)

    def same_messages(self) -> "Both":
        """What git says on a pipe is what we say, the folders apart; and we may say how a plain path is treated."""
        ours = "".join(line
                       for line in self.result.err.splitlines(True) if not line.startswith("note: depth is honoured"))
        assert ours.replace(str(self.ours_root), "@") == self.git_result.err.replace(str(self.theirs_root), "@")
        return self

    def both_refused(self, *words, code=None) -> "Both":
        """Both fail with the same exit code and these words, and ours leaves no directory."""
        self.git_result.refused(*words, code=code)
        self.result.refused(*words, code=self.git_result.code)
        assert not self.ours.exists(), f"left behind: {self.result}"
        return self


@pytest.fixture
def both(tools, tmp_path) -> Both:
    return Both(tools, tmp_path)


@pytest.fixture
def clone_both(both):
    """clone_both(options..., url=...) clones with both and checks that they agree; returns the description of ours."""

    def clone(*args, url, fsck="--strict", clean=True, **how):
        return both.clone(*args, url=url, **how).same(fsck=fsck, clean=clean)

    return clone


@pytest.fixture
def check(tools):
    """check(repository, {ref: commits}) makes the six checks."""
    return lambda repo, counts=None: six_checks(tools, repo, counts)


@pytest.fixture
def fake_server(tmp_path):
    """fake_server(pack, tip, **orders) returns the options and the address of a server made for this test."""
    count = iter(range(1000))

    def make(pack: bytes, tip: str, **orders) -> dict:
        folder = tmp_path / f"server{next(count)}"
        folder.mkdir()
        (folder / "pack").write_bytes(pack)
        orders = {"refs": [[tip, "refs/heads/main"]], "head": "main", "pack": str(folder / "pack"), **orders}
        (folder / "orders").write_text(json.dumps(orders), encoding="utf-8", errors="surrogateescape")
        program = f"{PYTHON} {SUPPORT}/fake_server.py {folder}/orders"
        return {"args": ("--upload-pack", program), "url": f"file://{folder}"}

    return make
