"""Where a fetch is run, what stands in its way there, what hooks see of it, and what programs read of it."""
import json
import os
import re

import pytest

from compare import boundary, six_checks
from history import History
from twins import Twins

KINDS = [[], ["-p", "-f", "--tags"], ["origin", "main:refs/heads/copy"], ["origin", "refs/heads/topic"]]


@pytest.mark.parametrize("args", KINDS, ids=" ".join)
@pytest.mark.parametrize("kind", ["bare", "mirror", "single", "depth"])
def test_every_kind_of_clone(moved, tmp_path, kind, args):
    moved.twins(tmp_path, kind).fetch(*args, code=None)


def test_in_a_folder_below_the_top(moved, tmp_path):
    twins = moved.twins(tmp_path).fetch("--prune", below="dir")
    os.symlink(moved.path, tmp_path / "link")
    twins.fetch("../../link", "topic", below="dir")  # a path counts from the top, as git takes it
    twins.each("config", "remote.near.url", "../../link").each("config", "remote.near.fetch", "refs/heads/*:refs/n/*")
    twins.fetch("near", below="dir")


def test_with_an_environment_that_names_the_repository(moved, tmp_path):
    twins = moved.twins(tmp_path)
    for repo in (twins.theirs, twins.ours):
        (repo.parent / "work").mkdir()
    twins.fetch("origin", below="../work", env={"GIT_DIR": "../x/.git", "GIT_WORK_TREE": "."})
    twins.fetch("--prune", "-f", "--tags", below="..", before=("-C", "x"))


@pytest.mark.parametrize("args", [[], ["--prune"], ["origin", "main"], ["--depth=1"], ["origin", "topic:refs/heads/new"]],
                         ids=" ".join)
def test_in_a_linked_worktree(moved, tmp_path, args):
    """FETCH_HEAD is its own; refs and the boundary are those of all worktrees."""
    twins = moved.twins(tmp_path, "depths")
    twins.each("worktree", "add", "-q", "-b", "side-by-side", "../tree", "HEAD")
    twins.fetch(*args, below="../tree", again="--depth=1" in args)
    theirs, ours = twins.read("worktrees/tree/FETCH_HEAD")
    assert ours == theirs and ours
    assert not (twins.ours / ".git" / "FETCH_HEAD").exists()
    assert not (twins.ours / ".git" / "worktrees" / "tree" / "shallow").exists()


@pytest.mark.parametrize("args", [["origin", "topic:side-by-side"], ["origin", "+topic:main"], ["-f", "origin", "main:main"],
                                  ["origin", "refs/heads/*:refs/heads/*"], ["-u", "origin", "main:main"]], ids=" ".join)
@pytest.mark.parametrize("below", ["", "../tree"])
def test_a_branch_that_is_checked_out_anywhere_is_left_alone(moved, tmp_path, args, below):
    twins = moved.twins(tmp_path)
    twins.each("worktree", "add", "-q", "-b", "side-by-side", "../tree", "HEAD")
    twins.run(*args, below=below)
    assert twins.result.code == twins.git_result.code == (0 if "-u" in args else 128), f"{twins.git_result}\n{twins.result}"
    twins.same(differs=[] if "-u" in args else ["FETCH_HEAD", "said"])
    if "-u" not in args:
        twins.result.refused("refusing to fetch into branch", "checked out at")


def test_names_that_stand_in_each_others_way(tools, tmp_path):
    """C30: `foo` goes and `foo/bar` comes. With --prune all is well in one run; without, only that ref fails."""
    history = History().linear(3)
    history.commit("foo", "f1", start="c2")
    source = history.write(tools, tmp_path / "src")
    tools.git("clone", "-q", "--depth=1", "--no-single-branch", source.url, tmp_path / "template").ok()
    source.git("branch", "-m", "foo", "foo/bar")
    source.git("commit", "-q", "--allow-empty", "-m", "c4")
    for name, packed in (("loose", False), ("packed", True)):
        for args, code in (([], 1), (["--depth=1"], 1), (["--prune"], 0), (["--prune", "--depth=1"], 0)):
            twins = Twins(tools, tmp_path / name / f"{len(args)}{code}", tmp_path / "template")
            twins.each(*(["pack-refs", "--all"] if packed else ["update-ref", "refs/remotes/origin/foo", "HEAD"]))
            twins.fetch(*args, code=code, differs=["said"] if code else [])
            if code:
                twins.result.refused("--prune", "'refs/remotes/origin/foo'")
                assert "! [" in twins.result.err


def test_hooks_see_every_transaction(moved, tmp_path):
    script = '#!/bin/sh\necho "$1" >>.git/seen; sort >>.git/seen\n'
    for number, args in enumerate(([], ["--atomic", "origin"], ["--prune", "--atomic"], ["-n", "origin", "main"])):
        twins = moved.twins(tmp_path / str(number)).hook("reference-transaction", script)
        twins.fetch(*args)
        theirs, ours = ([line for line in text.splitlines() if " refs/" in line or len(line) < 20]
                        for text in twins.read("seen"))
        # git makes a transaction for each ref where it need not be atomic, and one more for each that it deletes.
        # Nor does it say what they were.
        zeros = "0" * 40
        lines = [{re.sub(f"^.* {zeros} ", f"{zeros} {zeros} ", line) for line in text if " refs/" in line}
                 for text in (theirs, ours)]
        assert lines[1] == lines[0]
        assert {line for line in ours if " refs/" not in line} == {"prepared", "committed"}


@pytest.mark.parametrize("args", [["--atomic"], []], ids=" ".join)
def test_a_hook_that_refuses(moved, tmp_path, args):
    twins = moved.twins(tmp_path).hook("reference-transaction", '#!/bin/sh\ntest "$1" != prepared\n')
    twins.run(*args)
    assert twins.result.code == twins.git_result.code == 128, f"{twins.git_result}\n{twins.result}"
    twins.result.refused("ref updates aborted by hook")
    twins.same(differs=["said", "FETCH_HEAD"])
    six_checks(twins.tools, twins.ours)


def test_porcelain_lines(moved, tmp_path):
    """As git writes them from 2.41 on: flag, old, new, local name; on standard output, and no table."""
    twins = moved.twins(tmp_path)
    ids, zeros = moved.ids, "0" * 40
    result = twins.tools.pfetch("fetch", "--porcelain", "-v", "--prune", cwd=twins.ours).ok()
    lines = result.out.splitlines()
    assert "From" not in result.err
    for line in (f"  {ids['c6']} {ids['c8']} refs/remotes/origin/main", f"- {ids['g1']} {zeros} refs/remotes/origin/gone",
                 f"+ {ids['f2']} {ids['f3']} refs/remotes/origin/forced", f"* {zeros} {ids['n1']} refs/remotes/origin/fresh",
                 f"= {ids['s1']} {ids['s1']} refs/remotes/origin/side", f"* {zeros} {ids['t3']} refs/tags/light2"):
        assert line in lines, f"{line}\n{result}"
    twins.each("tag", "-f", "moving", ids["c1"])
    result = twins.tools.pfetch("fetch", "--porcelain", "origin", "main", "refs/tags/moving:refs/tags/moving", cwd=twins.ours)
    assert result.code == 1
    assert result.out.splitlines() == [f"* {zeros} {ids['c8']} FETCH_HEAD", f"! {ids['c1']} {ids['c7']} refs/tags/moving"]


def test_json(moved, tmp_path):
    twins = moved.twins(tmp_path, "depth")
    result = twins.tools.pfetch("fetch", "--json", "--depth=2", cwd=twins.ours).ok()
    told = json.loads(result.out)
    assert [remote["name"] for remote in told["remotes"]] == ["origin"]
    (main,) = [ref for ref in told["remotes"][0]["refs"] if ref["local"] == "refs/remotes/origin/main"]
    assert (main["remote"], main["old"], main["new"]) == ("refs/heads/main", moved.ids["c6"], moved.ids["c8"])
    assert sorted(told["roots_added"]) == sorted(set(boundary(twins.ours / ".git")) - {moved.ids["c6"]})
    assert told["objects"] > 0 and told["bytes_received"] > 0


def test_plain_options_are_a_fetch(moved, tmp_path):
    """`pfetch --depth N` is `pfetch fetch --depth N`."""
    twins = moved.twins(tmp_path, "depth")
    twins.tools.pfetch("--depth", "2", cwd=twins.ours).ok()
    twins.git_result = twins.tools.git("fetch", "--depth", "2", cwd=twins.theirs).ok()
    twins.result = twins.git_result
    twins.same(differs=["said", "out", "reflogs"])
