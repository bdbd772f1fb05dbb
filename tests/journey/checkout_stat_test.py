"""Stat data in the index when things are not as usual: another process replaces a file while it is written; time stamps
of one or two seconds."""
import os
import shutil
import subprocess
import time

import pytest

from compare import compare_repositories, stat_data_are_true
from history import History
from preload import built

OURS, THEIRS = b"ours of main\n", b"their content"  # as long as each other
assert len(OURS) == len(THEIRS)


# Another process replaces a file.

@pytest.fixture(scope="module")
def replacing(tmp_path_factory):
    return built("replace_file", tmp_path_factory.mktemp("replace"))


VICTIMS = {"file": {}, "filtered": {".gitattributes": b"victim filter=x\n"},
           "converted": {".gitattributes": b"victim ident\n"}, "streamed": {}, "link": {}}


def victim(tools, folder, kind):
    """`main` has no victim; `other` has one."""
    history = History()
    history.commit("main", "main", {"f": b"f\n", "d/g": b"g\n", **VICTIMS[kind]})
    history.commit("other", "other", {"d/victim": ("120000", OURS) if kind == "link" else OURS}, start="main")
    repo = history.write(tools, folder / "src").config(filter__x__smudge="cat", filter__x__clean="cat")
    repo.git("reset", "-q", "--hard")
    return repo


@pytest.mark.parametrize("way", ["clone", "checkout", "force", "reset", "paths"])
@pytest.mark.parametrize("kind, moment", [("file", "written"), ("file", "closing"), ("file", "closed"),
                                          ("converted", "written"), ("filtered", "written"), ("filtered", "closing"),
                                          ("streamed", "written"), ("link", "linked")])
def test_a_file_that_another_process_replaces_is_not_taken_for_ours(tools, tmp_path, replacing, kind, moment, way):
    """What came has the size and the modification time of what went, and still it is seen."""
    source = victim(tools, tmp_path, kind)
    words = {"clone": ["clone", "-q", "--no-local", "--branch=other", source.path, "x"],
             "checkout": ["checkout", "other"], "force": ["checkout", "-f", "other"],
             "reset": ["reset", "--hard", "other"], "paths": ["checkout", "other", "--", "d"]}[way]
    before = ["-c", "filter.x.smudge=cat", "-c", "filter.x.clean=cat"]
    if kind == "streamed":
        before += ["-c", "core.bigFileThreshold=4"]
    for name, run in (("git", tools.git), ("our", tools.pfetch)):
        if name == "git" and kind == "link":
            continue  # it takes the other link for its own
        repo, by = tmp_path / name / "x", tmp_path / name / "by"
        repo.parent.mkdir()
        if kind == "link":
            by.symlink_to(os.fsdecode(THEIRS))
        else:
            by.write_bytes(THEIRS)
        if way != "clone":
            shutil.copytree(source.path, repo, symlinks=True)
            tools.ask(repo, "update-index", "-q", "--refresh")
        env = {**replacing, "REPLACE_AT": moment, "REPLACE_BY": str(by)}
        run(*before, *words, cwd=repo.parent if way == "clone" else repo, env=env).ok()
        assert not by.is_symlink() and not by.exists(), "nothing was replaced"
        assert (os.fsencode(os.readlink(repo / "d" / "victim")) if kind == "link" else
                (repo / "d" / "victim").read_bytes()) == THEIRS
        assert tools.git(*before, "diff-files", "--name-only", cwd=repo).ok().out == "d/victim\n"
        if way in ("checkout", "force"):
            assert "\td/victim\n" in run(*before, "checkout", "main", cwd=repo).refused(code=1).err


@pytest.mark.ours
def test_files_that_are_replaced_all_the_time(tools, tmp_path):
    """Whatever the moment: what git calls clean is what the index says."""
    history = History()
    for branch in ("main", "other"):
        history.commit(branch, branch, {f"d{n % 5}/f{n:03}": f"{branch} {n:03}\n".encode() for n in range(400)})
    repo = history.write(tools, tmp_path / "x")
    repo.git("reset", "-q", "--hard", "main")
    script = ('while :; do for d in d0 d1 d2 d3 d4; do f=$(ls $d | shuf -n 1); '
              'printf "%-8.8s\\n" "mine $f" > $d.new && touch -r $d/$f $d.new && mv $d.new $d/$f; done; done')
    other = subprocess.Popen(["bash", "-c", script], cwd=repo.path, stderr=subprocess.DEVNULL)
    try:
        for branch in ("other", "main") * 6:
            tools.pfetch("checkout", "-f", branch, cwd=repo.path)
    finally:
        other.kill()
        other.wait()
    listed = dict(line.split("\t")[::-1] for line in repo.git("ls-files", "-s").splitlines())
    seen = set(repo.git("diff-files", "--name-only").splitlines())
    for path, entry in listed.items():
        if path not in seen:
            assert repo.git("hash-object", path) == entry.split()[1], f"{path} has changed, and passes for clean"


# Coarse time stamps.

MAKERS = {"vfat": ["mkfs.vfat"], "ext2": ["mkfs.ext2", "-q", "-F", "-I", "128"]}  # two seconds; one second


@pytest.fixture(params=["vfat", "ext2", "1 s", "2 s"])
def coarse(request, tmp_path):
    """A folder on a file system with time stamps of one or two seconds: in an image, or made up by latency_fs."""
    if request.param not in MAKERS:
        yield request.getfixturevalue("slow")(f"--time-step={request.param[0]}").path
        return
    make, image, point = MAKERS[request.param], tmp_path / "image", tmp_path / "disk"
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    point.mkdir()
    if shutil.which(make[0]) is None:
        pytest.skip(f"{make[0]} is not installed")
    subprocess.run([*make, image], check=True, capture_output=True)
    mounted = subprocess.run(["mount", "-t", request.param, "-o", "loop", image, point], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"{request.param} cannot be mounted here: {mounted.stderr.strip()}")
    yield point
    subprocess.run(["umount", point], check=True)


@pytest.fixture
def simple(tools, tmp_path):
    """Nothing that vfat does not know. `f` is of the same length on both branches, `same` does not change."""
    history = History()
    history.commit("main", "one", {"f": b"main\n", "same": b"same\n", "d/empty": b"", "d/was": b"was\n"})
    history.commit("other", "two", {"f": b"othr\n", "d/empty": b"no\n", "d/was": b"", "d/new": b"new\n"}, start="one")
    return history.write(tools, tmp_path / "src")


def at_phase(step: float, phase: float) -> None:
    """Waits until this part of a time step of so many seconds has gone by."""
    time.sleep((phase - time.time() / step) % 1 * step)


PHASES = (0.02, 0.48, 0.75, 0.98)  # of two seconds: on both sides of each border


def test_the_stat_data_of_coarse_times_are_true(tools, coarse, simple):
    assert coarse.stat().st_mtime_ns % 10**9 == 0, "this file system has fractions of a second"
    roots = [coarse / "git", coarse / "our"]
    for root, run in zip(roots, (tools.git, tools.pfetch)):
        root.mkdir()
        run("clone", "-q", "--branch=main", simple.url, "x", cwd=root).ok()
    theirs, ours = (root / "x" for root in roots)
    compare_repositories(tools, theirs, ours)
    stat_data_are_true(tools, ours)
    for number, words in enumerate((["checkout", "other"], ["checkout", "-f", "main"],
                                    ["reset", "--hard", "origin/other"], ["checkout", "origin/main", "--", "."],
                                    ["checkout", "-f", "main", "--", "f"])):
        at_phase(2, PHASES[number % len(PHASES)])
        tools.git(*words, cwd=theirs).ok()
        tools.pfetch(*words, cwd=ours).ok()
        compare_repositories(tools, theirs, ours, clean=False)
        assert tools.ask(ours, "diff-files") == ""
        stat_data_are_true(tools, ours)


@pytest.mark.ours
@pytest.mark.parametrize("phase", PHASES)
def test_a_change_within_a_coarse_step_is_seen(tools, coarse, simple, phase):
    """At once after a clone and after each switch, with the same length."""
    repo = coarse / "x"
    at_phase(2, phase)
    tools.pfetch("clone", "-q", "--branch=main", simple.url, repo).ok()
    (repo / "f").write_bytes(b"MAIN\n")
    assert tools.ask(repo, "diff-files", "--name-only") == "f"
    for branch, other, change in (("other", "main", b"OTHR\n"), ("main", "other", b"MAIN\n")):
        tools.pfetch("checkout", "-f", branch, cwd=repo).ok()
        (repo / "f").write_bytes(change)
        (repo / "same").write_bytes(b"SAME\n")
        assert tools.ask(repo, "diff-files", "--name-only") == "f\nsame"
        # Neither an index that is written again nor our own look may take it for clean.
        assert "\tf\n" in tools.pfetch("checkout", other, cwd=repo).refused(code=1).err
        tools.pfetch("checkout", "--", "f", cwd=repo).ok()
        assert tools.ask(repo, "diff-files", "--name-only") == "same"
        assert tools.pfetch("checkout", other, cwd=repo).ok().out.startswith("M\tsame\n")
        assert tools.ask(repo, "diff-files", "--name-only") == "same"
