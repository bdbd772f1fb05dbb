"""Stat data in the index when things are not as usual: another process replaces a file while it is written."""
import os
import shutil
import subprocess

import pytest

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
