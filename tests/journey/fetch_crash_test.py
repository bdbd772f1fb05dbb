"""Killed at any place: the old state or the new one, sound either way, and the next fetch works."""
import collections
import os
import pathlib
import random
import re
import shutil

import pytest

from compare import boundary, six_checks
from moving import MovedSource
from tools import PFETCH, SANITIZED, Tools

PLACES = 200 if os.environ.get("PFETCH_NIGHTLY") == "1" else 36
CALLS = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,mkdir,mkdirat,rmdir"
FETCHES = {
    "prune": ("full", ["--prune"]), "plain": ("depth", []), "depth": ("depths", ["--depth=3", "--tags", "--force"]),
    "deepen": ("depths", ["--deepen=1", "--prune"]), "unshallow": ("depths", ["--unshallow"]),
    "cut": ("full", ["--depth=1", "--prune"]),
}

pytestmark = [pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace"),
              pytest.mark.skipif(SANITIZED, reason="strace and sanitizers do not go together")]


class Scene:
    """One kind of fetch: what was before, what is after it, and how many places there are to be killed at."""

    def __init__(self, tools: Tools, moved: MovedSource, folder: pathlib.Path, name: str):
        self.tools, (self.kind, self.args) = tools, FETCHES[name]
        self.template, self.folder, self.killed = moved.folder / self.kind, folder, 0
        self.before = refs_of(tools, self.template)
        whole = self.copy("whole")
        log = folder / "log"
        tools.run("strace", "-f", "-qq", "-o", log, "-e", f"trace={CALLS}", PFETCH, "fetch", *self.args, cwd=whole).ok()
        counts, self.places, publications = collections.Counter(), set(), {}
        for thread, call, rest in re.findall(r"^(\d+) +(\w+)(\(.*)", log.read_text(), re.M):
            counts[thread, call] += 1  # as strace counts: the calls of each kind, in each thread
            place = (call, counts[thread, call])
            self.places.add(place)
            published = re.search(r'/(shallow|packed-refs|FETCH_HEAD|refs)[^"]*"(, \w+)?\) ', rest)
            if call.startswith("rename") and published:
                publications.setdefault(published.group(1), []).append(place)
        # Before the first and before the last of each kind.
        self.publications = {place for kind in publications.values() for place in (kind[0], kind[-1])}
        self.after, self.roots = refs_of(tools, whole), boundary(whole / ".git")
        self.objects_before = objects(tools, self.template)

    def copy(self, name) -> pathlib.Path:
        shutil.copytree(self.template, self.folder / name, symlinks=True)
        return self.folder / name

    def killed_at(self, call: str, number: int) -> pathlib.Path:
        repo = self.copy(f"killed-{call}-{number}")
        result = self.tools.run("strace", "-f", "-qq", "-o", self.folder / "log", "-e", f"trace={call}", "-e",
                                f"inject={call}:signal=KILL:when={number}", PFETCH, "fetch", *self.args, cwd=repo)
        # Which thread makes how many calls differs from run to run: this one may have ended in peace.
        assert result.code in (-9, 137, 0), result
        self.killed += result.code != 0
        return repo


def refs_of(tools, repo) -> dict:
    return dict(line.split(" ") for line in tools.ask(repo, "for-each-ref", "--format=%(refname) %(objectname)").splitlines())


def objects(tools, repo) -> set:
    return set(tools.ask(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def recovered(tools, repo, args) -> None:
    """The next fetch works. A lock that a dead process holds has to go by hand, and the error names it."""
    impatient = [word for key in ("pfetch.shallowLockTimeout", "core.packedRefsTimeout", "core.filesRefLockTimeout")
                 for word in ("-c", f"{key}=20")]
    for _ in range(30):
        result = tools.pfetch(*impatient, "fetch", *args, cwd=repo)
        if result.code == 0:
            return
        locks = re.findall(r"'([^']*\.lock)'", result.err)
        assert locks, result
        for lock in set(locks):
            (repo / lock).unlink()
    raise AssertionError(f"still fails: {result}")


@pytest.mark.parametrize("name", FETCHES)
def test_killed_between_any_two_steps(tools, moved, tmp_path, name):
    scene = Scene(tools, moved, tmp_path, name)
    others = sorted(scene.places - scene.publications)
    count = min(len(others), max(PLACES // len(FETCHES) - len(scene.publications), 0))
    chosen = [*sorted(scene.publications), *random.Random(name).sample(others, count)]
    assert scene.publications
    for place in chosen:
        try:
            repo = scene.killed_at(*place)
            check_old_or_new(scene, repo)
            recovered(tools, repo, [] if name == "unshallow" and not (repo / ".git/shallow").exists() else scene.args)
            assert refs_of(tools, repo) == scene.after
            six_checks(tools, repo, tidy=False)
            if name != "deepen":
                assert boundary(repo / ".git") == scene.roots
        except AssertionError as error:
            raise AssertionError(f"killed at {place}: {error}") from None
        shutil.rmtree(repo)
    assert scene.killed > len(chosen) / 2, "too few were killed to mean anything"


def check_old_or_new(scene, repo) -> None:
    refs = refs_of(scene.tools, repo)
    for name in refs.keys() | scene.before.keys():
        assert refs.get(name) in (scene.before.get(name), scene.after.get(name)), f"{name} is {refs.get(name)}"
    six_checks(scene.tools, repo, tidy=False)
    lost = scene.objects_before - objects(scene.tools, repo)
    assert not lost, f"objects are gone: {lost}"
