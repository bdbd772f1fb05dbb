"""Checkouts beside git in repositories with every form of index: versions, extensions, flags, settings."""
import os
import pathlib
import shutil
import struct
import subprocess
import time

import pytest

from checkout_twins import SwitchTwins
from history import History

LINK = "1234567890" * 4
WAYS = {"switch": [["checkout", "other"], ["checkout", "main"]], "force": [["checkout", "-f", "other"]],
        "reset": [["reset", "--hard", "other"]], "paths": [["checkout", "other", "--", "d", "top"], ["checkout", "--", "."]]}


def history() -> History:
    made = History()
    files = {f"{folder}/{name}": f"{folder} {name}\n".encode() for folder in ("d", "d/e", "keep", "keep/deep", "zz")
             for name in "abcdefgh"}
    made.commit("main", "main", {**files, "top": b"top\n", "same": b"same\n", "empty": b"", ".gitignore": b"*.o\n",
                                 "run": ("100755", b"#!/bin/sh\n"), "link": ("120000", b"top")})
    made.commit("other", "other", {"d/a": b"changed\n", "d/e/b": None, "d/e/new": b"new\n", "top": b"top of other\n",
                                   "zz/a": b"", "m": ("160000", LINK), "new/er": b"n\n"}, start="main")
    return made


@pytest.fixture(scope="module")
def template(tools, tmp_path_factory):
    repo = history().write(tools, tmp_path_factory.mktemp("index") / "src")
    repo.git("reset", "-q", "--hard", "main")
    return repo.path


@pytest.fixture
def twins(tools, tmp_path, template):
    return SwitchTwins(tools, tmp_path, template)


def layout(path) -> tuple:
    """The version of an index, and the signatures of its extensions."""
    raw = pathlib.Path(path).read_bytes()
    assert raw[:4] == b"DIRC"
    version, count = struct.unpack(">II", raw[4:12])
    at = 12
    for _ in range(count):
        start, flags = at, struct.unpack(">H", raw[at + 60:at + 62])[0]
        at += 62 + (2 if flags & 0x4000 else 0)
        if version == 4:
            while raw[at] & 0x80:
                at += 1
            at = raw.index(b"\0", at + 1) + 1
        else:
            at = raw.index(b"\0", at)
            at = start + (at - start) // 8 * 8 + 8
    extensions = []
    while at < len(raw) - 20:
        extensions.append(raw[at:at + 4].decode())
        at += 8 + struct.unpack(">I", raw[at + 4:at + 8])[0]
    return version, extensions


def agree(twins) -> None:
    """What git makes of our index is what it makes of its own."""
    tools, index = twins.tools, {}
    for repo in (twins.theirs, twins.ours):
        index[repo] = [tools.ask(repo, *words) for words in (
            ("ls-files", "-t", "-v", "-s"), ("ls-files", "-f"), ("ls-files", "-u"), ("ls-files", "--resolve-undo"),
            ("status", "--porcelain=v2"), ("diff-files", "--name-status"), ("diff-index", "--cached", "HEAD"))]
        index[repo].append(tools.git("-C", repo, "write-tree").out)
        index[repo].append(tools.git("-C", repo, "fsck", "--strict").ok().err)
    assert index[twins.theirs] == index[twins.ours]
    changed = tools.ask(twins.ours, "diff-files", "--name-only").splitlines()
    lines = tools.ask(twins.ours, "ls-files", "--debug").splitlines()
    for at in range(0, len(lines), 6):
        path, text = twins.ours / lines[at], " ".join(lines[at + 1:at + 6])
        # What is flagged is not looked at.
        flagged = "flags: 0" not in text
        if lines[at] in changed or flagged or "size: 0" in text or not (path.is_symlink() or path.exists()):
            continue
        info = os.lstat(path)
        assert f"mtime: {info.st_mtime_ns // 10**9}:" in text and f"size: {info.st_size}" in text, f"{path}: {text}"


# Forms: what is done to a repository on `main`.

def version(number):
    return lambda twins: twins.each("update-index", "--index-version", str(number))


def intent_to_add(twins):
    twins.put("planned", "later\n").each("add", "-N", "planned")


def skip_worktree(twins):
    twins.each("update-index", "--skip-worktree", "same", "keep/a")


def untracked_cache(twins):
    twins.each("config", "core.untrackedCache", "true").each("update-index", "--force-untracked-cache")
    twins.put("untracked", "u\n").put("keep/untracked", "u\n").put("keep/x.o", "ignored\n").each("status")


def split(twins):
    twins.each("config", "core.splitIndex", "true").each("update-index", "--split-index")
    twins.put("zz/a", "staged\n").each("add", "zz/a").put("zz/a", "zz a\n").each("add", "zz/a")


def threads(twins):
    twins.each("config", "index.threads", "4").each("update-index", "--force-write-index")


def resolve_undo(twins):
    oid = twins.tools.ask(twins.ours, "rev-parse", ":same")
    lines = "".join(f"100644 {oid} {stage}\tsame\n" for stage in (1, 2, 3))
    twins.each("update-index", "--index-info", data=f"0 {'0' * 40}\tsame\n{lines}".encode()).each("add", "same")


def everything(twins):
    for form in (untracked_cache, resolve_undo, skip_worktree, threads, version(4)):
        form(twins)


FORMS = {"version 2": version(2), "version 3": version(3), "version 4": version(4), "intent to add": intent_to_add,
         "skip-worktree": skip_worktree, "untracked cache": untracked_cache, "split": split, "threads": threads,
         "resolve undo": resolve_undo, "everything": everything,
         "no cache tree": lambda twins: twins.each("read-tree", "--empty").each("read-tree", "main").each(
             "update-index", "--refresh")}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_index(twins, form, way):
    FORMS[form](twins)
    differs = ("index",) if form == "intent to add" and way == "force" else ()
    for words in WAYS[way]:
        twins.do(*words, differs=differs)
        agree(twins)
        theirs, ours = (layout(repo / ".git" / "index") for repo in (twins.theirs, twins.ours))
        assert ours[0] == theirs[0] or form == "version 3", (theirs, ours)
        own_way = {"EOIE", "IEOT", "link"}
        assert set(ours[1]) - own_way == set(theirs[1]) - own_way or form == "split", (theirs, ours)
    # Git goes on with it.
    twins.put("later", "l\n").put("keep/b", "kept\n")
    agree(twins)
    twins.each("add", "-A").each("commit", "-q", "-m", "more")
    agree(twins)


def test_an_untracked_cache_is_right_afterwards(twins):
    untracked_cache(twins)
    for words in (["checkout", "other"], ["checkout", "main"], ["reset", "--hard", "other"], ["checkout", "-f", "main"]):
        twins.do(*words)
        assert "UNTR" in layout(twins.ours / ".git" / "index")[1]
        twins.put(f"keep/deep/{len(words)}", "u\n").put("d/e/untracked", "u\n").put("d/e/x.o", "i\n")
        agree(twins)
        plain = twins.tools.ask(twins.ours, "-c", "core.untrackedCache=false", "status", "--porcelain", "-uall")
        assert twins.tools.ask(twins.ours, "status", "--porcelain", "-uall") == plain
        twins.put("d/e/untracked", None).put("d/e/x.o", None)
        agree(twins)


# A file system monitor.

HOOK = """#!/bin/sh
# Version 2 of the protocol: says what the file says, and counts how often it was asked.
echo asked >>.git/asked
printf 'token%s\\0' "$(wc -l <.git/asked)"
cat .git/monitor-says 2>/dev/null || printf '/\\0'
"""


@pytest.mark.parametrize("way", WAYS)
def test_a_file_system_monitor_by_a_hook(twins, way):
    twins.hook("monitor", HOOK).each("config", "core.fsmonitor", ".git/hooks/monitor").each("status").each("status")
    assert "FSMN" in layout(twins.ours / ".git" / "index")[1]
    for words in WAYS[way]:
        twins.write("monitor-says", b"")  # nothing has changed
        twins.do(*words, differs=("operations",))
        assert "FSMN" in layout(twins.ours / ".git" / "index")[1]
        # What pfetch wrote is no longer vouched for, whatever the monitor says.
        agree(twins)
        twins.put("top", "mine\n").put("keep/a", "mine\n").write("monitor-says", b"top\0keep/a\0")
        assert twins.tools.ask(twins.ours, "diff-files", "--name-only") == "keep/a\ntop"
        twins.each("checkout", "--", "top", "keep/a").write("monitor-says", b"/\0")
        agree(twins)


@pytest.mark.ours
def test_a_change_behind_the_back_of_a_monitor_is_seen(tools, twins):
    """What it vouches for is looked at, too: nobody's file is lost to a monitor that is wrong."""
    twins.hook("monitor", HOOK).each("config", "core.fsmonitor", ".git/hooks/monitor").each("status").each("status")
    twins.write("monitor-says", b"")
    (twins.ours / "top").write_text("mine\n")
    tools.pfetch("checkout", "other", cwd=twins.ours).refused("\ttop\n", code=1)
    assert (twins.ours / "top").read_text() == "mine\n"


@pytest.fixture
def watchman(tools, tmp_path):
    """A watchman of our own, for whatever is run."""
    program = shutil.which("watchman")
    if program is None:
        pytest.skip("watchman is not installed")
    state = tmp_path / "watchman"
    state.mkdir(mode=0o700)
    tools.env["TMPDIR"] = str(state)
    server = subprocess.Popen([program, "--foreground", "--no-save-state"], env=tools.env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if list(state.glob("*/sock")):
                break
            time.sleep(0.05)
        else:
            pytest.skip("watchman does not start here")
        yield
    finally:
        del tools.env["TMPDIR"]
        server.terminate()
        server.wait()


def test_watchman(tools, twins, watchman):
    sample = pathlib.Path("/usr/share/git-core/templates/hooks/fsmonitor-watchman.sample")
    if not sample.exists():
        pytest.skip("git's sample hook for watchman is not here")
    twins.hook("watch", sample.read_text())
    for repo in (twins.theirs, twins.ours):
        tools.run("watchman", "watch", repo).ok()
        tools.ask(repo, "config", "core.fsmonitor", ".git/hooks/watch")
        for _ in range(2):
            tools.git("-C", repo, "status").ok()
    for words in (["checkout", "other"], ["checkout", "main"], ["reset", "--hard", "other"], ["checkout", "main", "--", "d"]):
        twins.do(*words, differs=("operations",))
        for repo in (twins.theirs, twins.ours):
            (repo / "same").write_text("changed\n")
        for repo in (twins.theirs, twins.ours):
            assert " M same" in tools.git("-C", repo, "status", "--porcelain").ok().out
        twins.each("checkout", "--", "same")
        assert tools.git("-C", twins.ours, "status", "--porcelain").ok().out == \
            tools.git("-C", twins.theirs, "status", "--porcelain").ok().out


# Settings.

@pytest.mark.parametrize("settings, wanted", [
    (("index.version=2",), None), (("index.version=4",), None), (("index.version=7",), None),
    (("feature.manyFiles=true",), None), (("index.skipHash=true",), None), (("index.threads=false",), None),
    (("index.threads=1",), None),
], ids=str)
@pytest.mark.parametrize("start", ["there", "gone", "version 4"])
def test_settings_are_obeyed(twins, settings, wanted, start):
    for setting in settings:
        twins.each("config", *setting.split("="))
    if start == "version 4":
        twins.each("update-index", "--index-version", "4")
    if start == "gone":
        for repo in (twins.theirs, twins.ours):
            (repo / ".git" / "index").unlink()
    without_hash = settings == ("index.skipHash=true",)
    if without_hash:  # git 2.39 takes that for damage, and writes a hash when it looks
        twins.tools.git("checkout", "-f", "other", cwd=twins.theirs).ok()
        twins.tools.pfetch("checkout", "-f", "other", cwd=twins.ours).ok()
    else:
        differs = ("said",) if "version=7" in settings[0] else ()  # how often git warns
        twins.do("checkout", "-f", "other", differs=differs)
    theirs, ours = (layout(repo / ".git" / "index") for repo in (twins.theirs, twins.ours))
    assert theirs[0] == ours[0]
    tail = (twins.ours / ".git" / "index").read_bytes()[-20:]
    assert (tail == bytes(20)) == without_hash
    if not without_hash:
        agree(twins)


@pytest.mark.parametrize("number", ["2", "3", "4", "5", "x", ""])
@pytest.mark.parametrize("gone", [False, True])
def test_a_version_from_the_environment(twins, number, gone):
    if gone:
        for repo in (twins.theirs, twins.ours):
            (repo / ".git" / "index").unlink()
    differs = ("said",) if number in ("5", "x", "") else ()  # how often
    twins.do("checkout", "-f", "other", env={"GIT_INDEX_VERSION": number}, differs=differs)
    theirs, ours = (layout(repo / ".git" / "index") for repo in (twins.theirs, twins.ours))
    assert theirs[0] == ours[0]
    agree(twins)


@pytest.mark.parametrize("place", ["relative", "absolute", "absent"])
def test_another_index_by_the_environment(tools, twins, place):
    for repo in (twins.theirs, twins.ours):
        if place != "absent":
            shutil.copy(repo / ".git" / "index", repo / ".git" / "second")
    before = (twins.ours / ".git" / "index").read_bytes()
    results = []
    for run, repo in ((tools.git, twins.theirs), (tools.pfetch, twins.ours)):
        env = {"GIT_INDEX_FILE": ".git/second" if place == "relative" else str(repo / ".git" / "second")}
        code = run("checkout", "-f", "other", cwd=repo, env=env).ok().code
        results.append((code, tools.git("ls-files", "-s", "-v", cwd=repo, env=env).ok().out,
                        tools.git("status", "--porcelain", cwd=repo, env=env).ok().out))
    assert results[0] == results[1]
    assert (twins.ours / ".git" / "index").read_bytes() == before


# Flags, and entries that are too young.

@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
@pytest.mark.parametrize("file", ["as it was", "changed", "removed"])
@pytest.mark.parametrize("path", ["same", "top", "d/e/b"])
def test_flags(tools, twins, flag, file, path, way):
    """Of a path that stays, that changes, that goes away."""
    twins.each("update-index", flag, path)
    if file != "as it was":
        twins.put(path, "mine, and longer\n" if file == "changed" else None)
    words = WAYS[way][0]
    if file == "changed" and path != "same" and way in ("force", "reset"):
        # "Entry 'top' not uptodate. Cannot merge.", says git. Ours leaves what is to be skipped, and overwrites the other.
        tools.git(*words, cwd=twins.theirs).refused("not uptodate", code=128)
        tools.pfetch(*words, cwd=twins.ours).ok()
        mine = flag == "--skip-worktree"
        assert (twins.ours / path).exists() == (mine or path == "top")
        assert not mine or (twins.ours / path).read_text() == "mine, and longer\n"
        return
    # Git forgets the flag of a path that comes from a tree.
    twins.do(*words, code=None, differs=("index",) if way == "paths" and flag == "--skip-worktree" else ())
    if twins.result.code == 0 and way != "paths":
        agree(twins)


@pytest.mark.ours
@pytest.mark.parametrize("trust_ctime", ["true", "false"])
@pytest.mark.parametrize("branch", ["main", "other"])
def test_racily_clean_entries(tools, twins, trust_ctime, branch):
    """A change of the same length in the second of the entry is seen before a switch, and by git after it, which looks at
    seconds alone."""
    tools.ask(twins.ours, "config", "core.trustctime", trust_ctime)
    file, index = twins.ours / "same", twins.ours / ".git" / "index"
    while time.time() % 1 > 0.5:
        time.sleep(0.05)
    tools.ask(twins.ours, "reset", "-q", "--hard", "main")
    os.utime(file)
    tools.ask(twins.ours, "update-index", "-q", "--refresh")
    old = file.stat()
    with open(file, "r+b") as same:  # the same inode and length
        same.write(b"SAME\n")
    if trust_ctime == "false":  # and time
        os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
        os.utime(index, ns=(old.st_mtime_ns, old.st_mtime_ns))
    time.sleep(1.1)
    assert "M\tsame" in tools.pfetch("checkout", branch, cwd=twins.ours).ok().out
    time.sleep(1.1)
    assert tools.ask(twins.ours, "diff-files", "--name-only") == "same"
    tools.pfetch("checkout", "-f", "main", cwd=twins.ours).ok()
    assert file.read_bytes() == b"same\n"


# Sparse worktrees.

@pytest.mark.ours
@pytest.mark.parametrize("sparse_index", [False, True])
def test_a_sparse_worktree_is_refused_by_name(tools, twins, sparse_index):
    tools.ask(twins.ours, "sparse-checkout", "set", "--cone", *(["--sparse-index"] if sparse_index else []), "keep")
    before = (twins.ours / ".git" / "index").read_bytes()
    for words in (["checkout", "other"], ["reset", "--hard", "other"], ["checkout", "--", "keep"], ["checkout", "-f"]):
        tools.pfetch(*words, cwd=twins.ours).refused("core.sparseCheckout", "not supported yet", code=128)
    assert (twins.ours / ".git" / "index").read_bytes() == before and not (twins.ours / "d").exists()


@pytest.mark.ours
def test_an_index_that_is_damaged_stops_everything(tools, twins):
    index = twins.ours / ".git" / "index"
    whole = index.read_bytes()
    for damaged in (whole[:100], whole[:-1], whole[:-30] + b"\1" * 30, b"", whole[:60] + b"\xff" + whole[61:]):
        index.write_bytes(damaged)
        for words in (["checkout", "other"], ["checkout", "-f", "other"], ["checkout", "--", "."]):
            tools.pfetch(*words, cwd=twins.ours).refused("index", code=128)
        assert index.read_bytes() == damaged and (twins.ours / "top").read_text() == "top\n"
