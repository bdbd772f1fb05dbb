"""Checkouts whose objects lie anywhere, are large, filtered, missing, damaged, or are moved meanwhile."""
import os
import pathlib
import random
import shutil
import subprocess

import preload
import pytest

from checkout_twins import SwitchTwins, files_below
from compare import leftovers
from history import History
from tools import PYTHON, SUPPORT

WAYS = [["checkout", "other"], ["checkout", "-f", "other"], ["reset", "--hard", "other"], ["checkout", "other", "--", "."]]
FILES = 60


def make(tools, path, extra=None):
    """`main` and `other`, each with a third of its files of its own, deltas among them."""
    history, base = History(), random.Random(1).randbytes(3000).hex().encode()
    for branch in ("main", "other"):
        files = {f"d{number % 5}/f{number}": base + (branch if number % 3 == 0 else "both").encode() + b" %d\n" % number
                 for number in range(FILES)}
        history.commit(branch, branch, {**files, "only" + branch: b"x\n", **((extra or {}).get(branch, {}))},
                       **({"start": "main"} if branch == "other" else {}))
    repo = history.write(tools, path)
    repo.git("reset", "-q", "--hard", "main")
    return repo


@pytest.fixture(scope="module")
def template(tools, tmp_path_factory):
    return make(tools, tmp_path_factory.mktemp("objects") / "src").path


def loose(tools, repo):
    packs = list((repo / ".git" / "objects" / "pack").glob("*.pack"))
    for pack in packs:
        moved = repo / ".git" / pack.name
        pack.rename(moved)
        pack.with_suffix(".idx").unlink()
        tools.git("-C", repo, "unpack-objects", "-q", data=moved.read_bytes()).ok()
        moved.unlink()


def alternates(tools, repo):
    loose(tools, repo)
    other = repo.parent / "elsewhere"
    shutil.move(repo / ".git" / "objects", other)
    (repo / ".git" / "objects" / "info").mkdir(parents=True)
    (repo / ".git" / "objects" / "pack").mkdir()
    (repo / ".git" / "objects" / "info" / "alternates").write_text(f"{other}\n")


def one_pack(tools, repo):
    tools.ask(repo, "repack", "-q", "-adf", "--depth=50", "--window=20")


def many_packs(tools, repo):
    loose(tools, repo)
    ids = tools.ask(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    for first in range(0, len(ids), 20):
        tools.ask(repo, "pack-objects", "-q", ".git/objects/pack/pack", data="\n".join(ids[first:first + 20]).encode() + b"\n")
    tools.ask(repo, "prune-packed", "-q")
    tools.ask(repo, "multi-pack-index", "write")


@pytest.mark.parametrize("words", WAYS, ids=" ".join)
@pytest.mark.parametrize("store", [loose, one_pack, many_packs, alternates])
def test_wherever_objects_lie(tools, tmp_path, template, store, words):
    twins = SwitchTwins(tools, tmp_path, template)
    for repo in (twins.theirs, twins.ours):
        store(tools, repo)
    twins.do(*words).do("checkout", "-f", "main")
    tools.git("-C", twins.ours, "fsck").ok()


# Missing and damaged objects.

def lose(repo, oid):
    (repo / ".git" / "objects" / oid[:2] / oid[2:]).unlink()


def spoil(repo, oid):
    path = repo / ".git" / "objects" / oid[:2] / oid[2:]
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.chmod(0o644)
    path.write_bytes(bytes(raw))


@pytest.mark.ours
@pytest.mark.parametrize("workers", [1, 2, 16])
def test_few_bases_are_inflated_twice(tools, tmp_path, workers):
    """All files are deltas of one another, in chains of up to 50. A file that is wanted before those that are made from
    it is inflated once more; workers that want the same base at the same moment do not wait for one another."""
    history, base = History(), random.Random(2).randbytes(3000).hex().encode()
    history.commit("main", "empty", {"x": b"x\n"})
    order = random.Random(3).sample(range(1500), 1500)
    history.commit("full", "full", {f"d{number % 25}/f{at}": base + b"%d\n" % number for at, number in enumerate(order)},
                   start="empty")
    repo = history.write(tools, tmp_path / "src")
    repo.git("reset", "-q", "--hard", "main")
    one_pack(tools, repo.path)
    counted = tmp_path / "counted"
    env = {**preload.built("count_inflate", tmp_path), "COUNT_INFLATE": str(counted)}
    tools.pfetch("-c", f"checkout.workers={workers}", "-c", "checkout.thresholdForParallelism=1", "checkout", "full",
                 cwd=repo.path, env=env).ok()
    calls, different = map(int, counted.read_text().split())
    assert different >= 1500
    assert calls <= different * (1.15 if workers == 1 else 1.25), (calls, different)


@pytest.mark.ours
@pytest.mark.parametrize("how", [lose, spoil])
@pytest.mark.parametrize("kind", ["commit", "tree", "subtree", "blob", "filtered", "big", "link"])
@pytest.mark.parametrize("words", WAYS, ids=" ".join)
def test_what_is_missing_is_named(tools, tmp_path, words, kind, how):
    extra = {"main": {".gitattributes": b"*.up filter=x\n"},
             "other": {"link": ("120000", b"a target"), "a.up": b"filtered\n", "big": random.Random(2).randbytes(90000)}}
    repo = make(tools, tmp_path / "r", extra).path
    loose(tools, repo)
    for setting in (("filter.x.smudge", "tr a-z A-Z"), ("core.bigFileThreshold", "50000")):
        tools.ask(repo, "config", *setting)
    path = {"blob": "d3/f3", "filtered": "a.up", "big": "big", "link": "link"}.get(kind)
    oid = tools.ask(repo, "rev-parse", {"commit": "other", "tree": "other^{tree}", "subtree": "other:d3"}.get(
        kind, f"other:{path}"))
    whole = (repo / ".git" / "objects" / oid[:2] / oid[2:]).read_bytes()
    before = files_below(repo), tools.ask(repo, "ls-files", "-s")
    how(repo, oid)
    result = tools.pfetch(*words, cwd=repo)
    assert result.code in (1, 128) and leftovers(repo / ".git") == [], result
    assert (repo / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"
    if path is None:
        assert oid in result.err or kind == "commit", result
        assert before == (files_below(repo), tools.ask(repo, "ls-files", "-s"))
    else:
        assert oid in result.err and path in result.err, result
        assert not (repo / path).exists() if kind != "blob" else not (repo / path).exists() or b"both" not in (
            repo / path).read_bytes()
    # With the object again, the same command completes it.
    file = repo / ".git" / "objects" / oid[:2] / oid[2:]
    file.unlink(missing_ok=True)
    file.write_bytes(whole)
    tools.pfetch(*words, cwd=repo).ok()
    tools.ask(repo, "config", "filter.x.clean", "tr A-Z a-z")
    assert tools.ask(repo, "diff", "--name-only", "other", "--", "d3", "a.up", "big", "link") == ""


# Somebody repacks.

@pytest.mark.ours
@pytest.mark.parametrize("command", ["git repack -q -ad", "git gc -q --prune=now"])
def test_beside_a_repack(tools, tmp_path, template, command):
    repo = tmp_path / "x"
    shutil.copytree(template, repo, symlinks=True)
    expected = {}
    for branch in ("other", "main"):
        tools.ask(repo, "checkout", "-q", branch)
        expected[branch] = files_below(repo)
    loop = subprocess.Popen(["bash", "-c", f"while :; do {command} || exit 1; done"], cwd=repo, env=tools.env,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for number in range(40):
            branch = ("other", "main")[number % 2]
            tools.pfetch("-c", "checkout.workers=4", "-c", "checkout.thresholdForParallelism=0", "checkout", branch,
                         cwd=repo).ok()
            assert files_below(repo) == expected[branch]
        assert loop.poll() is None
    finally:
        loop.kill()
        loop.wait()


# Large blobs.

@pytest.mark.parametrize("rules", ["", "* text=auto eol=crlf\n", "* text eol=crlf\n", "* ident\n", "* filter=x\n",
                                   "* working-tree-encoding=UTF-16\n", "* -text\n"])
@pytest.mark.parametrize("threshold", ["1000", "100k", "1"])
def test_large_blobs(tools, tmp_path, rules, threshold):
    other = {"binary": random.Random(3).randbytes(300000), "text": b"a line of text\n" * 20000, "id": b"$Id$\n" + b"x\n" * 5000,
             "run": ("100755", b"#!/bin/sh\n" * 3000), "empty": b"", "link": ("120000", b"text")}
    repo = make(tools, tmp_path / "src", {"main": {".gitattributes": rules.encode()}, "other": other})
    twins = SwitchTwins(tools, tmp_path, repo.path)
    twins.each("config", "core.bigFileThreshold", threshold).each("config", "filter.x.smudge", "tr a-z A-Z")
    twins.each("config", "filter.x.clean", "tr A-Z a-z")
    how = {"code": None, "differs": ("status", "said") if "UTF-16" in rules or "filter" in rules else ("status",)}
    twins.do("checkout", "other", **how).do("checkout", "-f", "main", **how).do("reset", "--hard", "other", **how)
    twins.do("checkout", "-f", "other", "--", ".", **how)


# Filters.

def process(log, *words) -> str:
    return f"{PYTHON} {SUPPORT}/filter_process.py {log} and-clean {' '.join(words)}"


@pytest.mark.parametrize("kind", ["fine", "required", "failing", "required and failing", "process", "delayed", "no delay",
                                  "process that fails"])
def test_filters(tools, tmp_path, kind):
    names = {"delayed": ("delay-a.up", "slow-b.up", "c.up"), "process that fails": ("error-a.up", "abort-b.up", "c.up")}.get(
        kind, ("a.up", "b.up", "run.up"))
    other = {f"{folder}{name}": f"text of {name}\n".encode() for name in names for folder in ("", "sub/")}
    repo = make(tools, tmp_path / "src", {"main": {".gitattributes": b"*.up filter=x\n"}, "other": other})
    twins = SwitchTwins(tools, tmp_path, repo.path)
    for path in (twins.theirs, twins.ours):
        log = path.parent / "log"
        settings = {"fine": {"smudge": "tr a-z A-Z"}, "required": {"smudge": "tr a-z A-Z", "required": "true"},
                    "failing": {"smudge": "cat; exit 3"}, "required and failing": {"smudge": "false", "required": "true"},
                    "no delay": {"process": process(log, "no-delay")}}.get(kind, {"process": process(log)})
        for key, value in {"clean": "tr A-Z a-z", **settings}.items():
            tools.ask(path, "config", f"filter.x.{key}", value)
    if kind == "required and failing":
        for words in WAYS:
            result = tools.pfetch(*words, cwd=twins.ours)
            assert result.code != 0 and "smudge filter x failed" in result.err, result
            assert not (twins.ours / "a.up").exists() and not (twins.ours / "sub" / "a.up").exists()
            assert leftovers(twins.ours / ".git") == []
            tools.ask(twins.ours, "checkout", "-q", "-f", "-B", "main", repo.ids["main"])
        return
    how = {"code": None, "differs": ("status", "said", "out")}
    twins.do("checkout", "other", **how)
    for path in (twins.theirs, twins.ours):
        (path / names[0]).unlink()
        shutil.rmtree(path / "sub")
    twins.do("checkout", "--", names[0], "sub", **how).do("checkout", "-f", "main", **how).do("reset", "--hard", "other", **how)
    twins.do("checkout", "-f", "main", **how).do("checkout", "other", "--", "sub", **how)
    if kind in ("fine", "required", "process", "delayed", "no delay"):
        assert (twins.ours / "sub" / names[0]).read_text() == f"TEXT OF {names[0].upper()}\n"


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
def test_git_lfs(tools, tmp_path):
    repo = tmp_path / "src"
    tools.git("init", "-q", "-b", "main", repo).ok()
    tools.ask(repo, "lfs", "install", "--local", "--skip-repo")
    (repo / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    for branch in ("main", "other"):
        if branch == "other":
            tools.ask(repo, "checkout", "-q", "-b", "other")
        for number in range(6):
            (repo / f"f{number}.bin").write_bytes(random.Random(f"{branch}{number % 4 and branch}").randbytes(5000 + number))
        (repo / f"{branch}.bin").write_bytes(branch.encode() * 1000)
        tools.ask(repo, "add", "-A")
        tools.ask(repo, "commit", "-q", "-m", branch)
    tools.ask(repo, "checkout", "-q", "main")
    twins = SwitchTwins(tools, tmp_path, repo)
    twins.do("checkout", "other").do("checkout", "main").do("reset", "--hard", "other")
    for path in (twins.theirs, twins.ours):
        for file in path.glob("*.bin"):
            os.unlink(file)
    twins.do("checkout", "--", "*.bin").do("checkout", "main", "--", "f1.bin", "f4.bin")
    assert (twins.ours / "f1.bin").stat().st_size == 5001
    assert pathlib.Path(twins.ours / ".git" / "lfs").is_dir()
