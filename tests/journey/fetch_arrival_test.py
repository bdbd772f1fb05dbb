"""What is asked for and what becomes of it: loose or packed, checked, said in one line; and what costs nothing."""
import re

import pytest

from compare import six_checks
from history import History
from moving import commit
from tools import speaking
from twins import Twins, state_of


def storage(tools, repo) -> dict:
    """How objects are stored: loose ones and packs."""
    told = dict(line.split(": ") for line in tools.ask(repo, "count-objects", "-v").splitlines())
    return {name: told[name] for name in ("count", "packs")}


@pytest.mark.parametrize("settings", [
    {}, {"fetch.unpackLimit": "1"}, {"fetch.unpackLimit": "1000"}, {"transfer.unpackLimit": "2"},
    {"fetch.unpackLimit": "12"}, {"fetch.unpackLimit": "-1"},
], ids=str)
@pytest.mark.parametrize("args", [["--no-tags"], ["--no-tags", "--depth=3"], ["-k", "--no-tags"]], ids=" ".join)
def test_few_objects_are_unpacked_and_many_stay_packed(tools, moved, tmp_path, settings, args):
    twins = moved.twins(tmp_path, "depths")
    for key, value in settings.items():
        twins.each("config", key, value)
    twins.fetch(*args, again="--depth=3" in args)
    if "--depth=3" not in args:  # there git asks for less
        assert storage(tools, twins.ours) == storage(tools, twins.theirs)


@pytest.mark.ours
def test_the_limit_of_fetches_goes_before_that_of_transfers(tools, moved, tmp_path):
    """As documented; git 2.39 has it the other way round."""
    twins = moved.twins(tmp_path).each("config", "fetch.unpackLimit", "1").each("config", "transfer.unpackLimit", "1000")
    tools.pfetch("fetch", cwd=twins.ours).ok()
    assert storage(tools, twins.ours) == {"count": "0", "packs": "2"}


SERVER = ["allowRefInWant", "advertiseSidebandAll", "allowAnySHA1InWant", "allowFilter"]


@pytest.mark.parametrize("setting", SERVER)
@pytest.mark.parametrize("args", [[], ["--prune", "--tags", "-f"], ["origin", "main", "refs/pull/1/head:refs/x"]],
                         ids=" ".join)
def test_what_a_server_may_offer(tools, moved, tmp_path, setting, args):
    tools.git("clone", "-q", "--mirror", moved.url, tmp_path / "s").ok()
    tools.ask(tmp_path / "s", "config", f"uploadpack.{setting}", "true")
    # git 2.39 cannot use a ref-in-want where it is shallow.
    for kind in ("full",) if setting == "allowRefInWant" else ("full", "depth"):
        twins = moved.twins(tmp_path / kind, kind).each("remote", "set-url", "origin", f"file://{tmp_path}/s")
        twins.fetch(*args)
        if kind == "depth":
            twins.fetch("--depth=2", "--no-tags", again=True)


@pytest.mark.ours
def test_a_ref_in_want_where_we_are_shallow(tools, moved, tmp_path):
    tools.git("clone", "-q", "--mirror", moved.url, tmp_path / "s").ok()
    tools.ask(tmp_path / "s", "config", "uploadpack.allowRefInWant", "true")
    twins = moved.twins(tmp_path / "x", "depth").each("remote", "set-url", "origin", f"file://{tmp_path}/s")
    for args, commits in (([], 8), (["--depth=2"], 3), (["--depth=1"], 1), (["--unshallow"], 11)):
        tools.pfetch("fetch", *args, cwd=twins.ours).ok()
        six_checks(tools, twins.ours, {"origin/main": commits})


@pytest.fixture
def flawed(tools, tmp_path):
    """A source whose last commit has a tree that fsck complains of, and a clone of what was before."""
    source = History().linear(2).write(tools, tmp_path / "src")
    twins = Twins.cloned(tools, tmp_path, source.url)
    blob = source.object("blob", b"x\n")
    source.commit_tree(source.tree(("100644", "b", blob), ("100644", "a", blob)), parents=[source.ids["c2"]])
    return twins


@pytest.mark.parametrize("settings, passes", [
    ({}, True), ({"fetch.fsckObjects": "true"}, False), ({"transfer.fsckObjects": "true"}, False),
    ({"fetch.fsckObjects": "false", "transfer.fsckObjects": "true"}, True),
    ({"fetch.fsckObjects": "true", "fetch.fsck.treeNotSorted": "ignore"}, True),
    ({"fetch.fsckObjects": "true", "fetch.fsck.treeNotSorted": "warn"}, True),
    ({"fetch.fsckObjects": "true", "fsck.treeNotSorted": "ignore"}, False),
    ({"fetch.fsckObjects": "true", "receive.fsck.treeNotSorted": "ignore"}, False),
], ids=str)
@pytest.mark.parametrize("limit", ["1", "100"])
def test_fsck_on_arrival(tools, flawed, settings, passes, limit):
    """C35: refused by name, unless it may pass; kept or unpacked."""
    flawed.each("config", "fetch.unpackLimit", limit)
    for key, value in settings.items():
        flawed.each("config", key, value)
    before = state_of(tools, flawed.ours)
    flawed.run()
    assert bool(flawed.git_result.code) != passes, flawed.git_result
    assert bool(flawed.result.code) != passes, flawed.result
    if passes:
        flawed.same(differs=["said"])
        return
    flawed.result.refused("treeNotSorted", code=128)
    assert state_of(tools, flawed.ours) == before
    six_checks(tools, flawed.ours)


# What git does not do.

def wanted(result) -> list:
    """What a command with GIT_TRACE_PACKET asked for."""
    return re.findall(r"> want(?:-ref)? (\S+)", result.err)


TRACE = {"GIT_TRACE_PACKET": "1"}


@pytest.mark.ours
@pytest.mark.parametrize("protocol", [0, 2])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_depth_that_is_there_already_asks_for_nothing(tools, moved, tmp_path, protocol, depth):
    twins = moved.twins(tmp_path, "depths")
    args = [*speaking(protocol), "fetch", "--no-tags", f"--depth={depth}"]
    assert wanted(tools.pfetch(*args, cwd=twins.ours, env=TRACE).ok())
    state = state_of(tools, twins.ours)
    again = tools.pfetch(*args, cwd=twins.ours, env=TRACE).ok()
    assert wanted(again) == [] and "ls-refs" in again.err or protocol == 0
    del state["FETCH_HEAD"]
    assert {part: value for part, value in state_of(tools, twins.ours).items() if part != "FETCH_HEAD"} == state
    commit_of = tools.ask(twins.ours, "rev-parse", "origin/side")
    deeper = tools.pfetch(*speaking(protocol), "fetch", "--no-tags", f"--depth={depth + 1}", cwd=twins.ours, env=TRACE).ok()
    assert commit_of in wanted(deeper)


@pytest.mark.ours
def test_a_tip_that_did_not_move_keeps_its_depth(tools, tmp_path):
    """Tips c5 and c4 at depth 3, c4 moves to c6: git cuts the other to two commits."""
    source = History().linear(5).write(tools, tmp_path / "src")
    source.git("branch", "other", source.ids["c4"])
    twins = Twins.cloned(tools, tmp_path, source.url, "--depth=3", "--no-single-branch")
    commit(source, "other", "c6", ["c5"])
    twins.run("--depth=3")
    assert int(tools.ask(twins.theirs, "rev-list", "--count", "origin/main")) == 2
    assert (twins.count("origin/main"), twins.count("origin/other")) == (3, 4)
    six_checks(tools, twins.ours)


@pytest.mark.ours
@pytest.mark.parametrize("commits, told", [(150, True), (20, False)])
def test_much_history_from_before_the_boundary_is_told_in_one_line(tools, tmp_path, commits, told):
    history = History()
    for number in range(commits):
        history.commit("main", f"h{number}", {}, date=1500000000 + number)
    history.commit("main", "tip", date=1600000000)
    source = history.write(tools, tmp_path / "src")
    twins = Twins.cloned(tools, tmp_path, source.url, "--depth=1")
    commit(source, "fork", "f1", [f"h{commits - 1}"], tree=f"h{commits - 1}")
    twins.fetch("origin", "fork:refs/heads/fork")
    lines = [line for line in twins.result.err.splitlines() if line.startswith("note: ")]
    assert len(lines) == told, twins.result
    assert not told or f"{commits} commits" in lines[0]
