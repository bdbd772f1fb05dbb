"""The shallow cases of a fetch over file://: how the boundary moves, and that no history is lost or cut."""
import os
import time

import pytest

from compare import leftovers, six_checks
from history import History
from moving import commit
from tools import PROTOCOLS, speaking
from twins import Twins


@pytest.fixture
def linear(tools, tmp_path):
    """c1..c6, of this test alone."""
    return History().linear(6).write(tools, tmp_path / "src")


@pytest.fixture
def twins_of(tools, tmp_path):
    """twins_of(source, options...) clones it."""
    return lambda source, *options: Twins.cloned(tools, tmp_path, getattr(source, "url", source), *options)


def forked(tools, path):
    """one-two-three, four-five from three, and a merge of both."""
    history = History()
    for name in ("one", "two", "three"):
        history.commit("main", name)
    history.commit("side", "four", start="three")
    history.commit("side", "five")
    history.commit("main", "merge", merge=["five"])
    return history.write(tools, path)


@pytest.mark.parametrize("first", [1, 3, 5])
@pytest.mark.parametrize("second", [1, 2, 4, 6, 7])
def test_depth_n_records_the_boundary(linear, twins_of, first, second):
    """C01, C02: the N-th commit is listed, and the first of all where there are just N; repack and gc lose nothing."""
    twins = twins_of(linear, f"--depth={first}").fetch(f"--depth={second}")
    assert twins.count("origin/main") == min(second, 6)
    depths = {first, second} if second < first else {second} - {7}  # a root that lies deeper stays
    assert twins.roots() == sorted(linear.ids[f"c{7 - depth}"] for depth in depths)
    twins.each("repack", "-adq").each("gc", "-q", "--prune=now")
    twins.same(differs=["said"])
    six_checks(twins.tools, twins.ours, {"origin/main": min(second, 6)})
    if second <= 6:
        twins.fetch("--unshallow")
        assert not (twins.ours / ".git" / "shallow").exists()


@PROTOCOLS
def test_the_first_commit_is_a_boundary_that_unshallow_takes_away(tools, tmp_path, twins_of, protocol):
    """C02: nothing has to be sent for that."""
    source = History().linear(1).write(tools, tmp_path / "src")
    twins = twins_of(source, "--depth=1").fetch("--depth=1", before=speaking(protocol))
    assert twins.roots() == [source.ids["c1"]]
    twins.fetch("--unshallow", before=speaking(protocol))
    assert twins.roots() == []


@pytest.mark.parametrize("options", [["--deepen=1"], ["--depth=4"], ["--deepen=2"]], ids=" ".join)
@PROTOCOLS
def test_deepening_past_a_merge(tools, tmp_path, twins_of, options, protocol):
    """C04: connected, and nothing missing is listed, whichever root the server names."""
    source = forked(tools, tmp_path / "src")
    twins = twins_of(source, "--depth=3").fetch(*options, before=speaking(protocol))
    twins.fetch("--deepen=1", before=speaking(protocol))
    if (twins.ours / ".git" / "shallow").exists():
        twins.fetch("--unshallow", before=speaking(protocol))
    assert twins.count() == 6


def test_a_deeper_side_of_a_fork_uncovers_the_other(tools, tmp_path, twins_of):
    """C04: A-B, C from B, D the merge; main at B with depth 1, then the other branch with depth 3."""
    history = History()
    history.commit("main", "A")
    history.commit("main", "B")
    history.commit("test", "C", start="B")
    history.commit("test", "D", {}, start="B", merge=["C"])
    source = history.write(tools, tmp_path / "src")
    twins = twins_of(source, "--depth=1").fetch("--depth=3", "origin", "test")
    assert twins.tools.git("-C", twins.ours, "cat-file", "-e", source.ids["A"]).code == 0


def test_depth_in_a_complete_repository(linear, twins_of):
    """C05: --deepen changes nothing, --depth cuts and says so, --unshallow makes no sense."""
    twins = twins_of(linear).fetch("--deepen=1")
    assert not (twins.ours / ".git" / "shallow").exists()
    twins.run("--unshallow")
    assert (twins.result.code, twins.git_result.code) == (128, 128)
    twins.result.refused("--unshallow on a complete repository does not make sense")
    twins.same(differs=["said", "FETCH_HEAD"])
    twins.fetch("--depth=1")
    assert "warning: this repository was complete" in twins.result.err
    assert twins.count("HEAD") == 1  # all refs that reach the root are cut
    twins.fetch("--unshallow")
    assert twins.count("HEAD") == 6


@PROTOCOLS
def test_history_from_behind_the_boundary(linear, twins_of, protocol):
    """C07: an older commit by id, then a branch that was set back: both come whole, and the root stays."""
    twins = twins_of(linear, "--depth=1")
    if protocol == 2:
        twins.fetch("origin", linear.ids["c2"])
        assert twins.count("FETCH_HEAD") == 2
    linear.git("reset", "-q", "--hard", linear.ids["c4"])
    twins.fetch(before=speaking(protocol))
    assert (twins.count("origin/main"), twins.roots()) == (4, [linear.ids["c6"]])


def test_two_tips_one_the_parent_of_the_other(tools, tmp_path, twins_of):
    """C09: both are roots, though one is here as the other's parent."""
    history = History()
    history.commit("main", "A")
    history.commit("main", "B")
    history.commit("main", "C")
    source = history.write(tools, tmp_path / "src")
    source.git("branch", "b", source.ids["B"])
    twins = twins_of(source, "--depth=1", "--no-single-branch")
    assert twins.roots() == sorted([source.ids["B"], source.ids["C"]])
    commit(source, "b", "N", ["B"])
    twins.fetch().fetch("--depth=1", again=True).fetch("--depth=2")
    assert twins.roots() == sorted([source.ids["B"]])


def test_a_worktree_moves_the_boundary_of_all(linear, twins_of):
    """C13: the file lies in the common directory."""
    twins = twins_of(linear, "--depth=1").each("worktree", "add", "-q", "../tree", "HEAD")
    twins.fetch("--deepen=2", below="../tree")
    assert (twins.count("HEAD"), twins.roots()) == (3, [linear.ids["c4"]])


def test_roots_that_only_reflogs_need_stay(linear, twins_of):
    """C13: three rounds of commit, fetch --depth 1, reset; then gc."""
    twins = twins_of(linear, "--depth=1").each("config", "gc.reflogExpire", "never")
    twins.each("config", "gc.reflogExpireUnreachable", "never")
    for number in range(7, 10):
        commit(linear, "main", f"c{number}", [f"c{number - 1}"], date=1600100000 + number)
        twins.fetch("--depth=1").each("reset", "-q", "--hard", "origin/main")
    twins.each("gc", "-q", "--prune=now")
    assert twins.roots() == sorted(linear.ids[f"c{number}"] for number in range(6, 10))
    six_checks(twins.tools, twins.ours, {"HEAD": 1, "HEAD@{1}": 1})


ODD = {"CRLF": "{0}\r\n", "trailing text": "{0} and more\n", "no newline": "{0}", "twice": "{0}\n{0}\n",
       "blank line": "{0}\n\n", "empty": "", "upper case": "{1}\n", "short id": "{2}\n", "no id": "zz\n",
       "blank line first": "\n{0}\n", "missing commit": "{0}\n" + "1" * 40 + "\n"}


@pytest.mark.parametrize("how", ODD)
@pytest.mark.parametrize("options", [[], ["--depth=1"]], ids=["plain", "depth"])
def test_odd_contents_of_our_boundary(linear, twins_of, how, options):
    """C14: what git tolerates is tolerated, and normal when it is written again; the rest is an error and stays."""
    root = linear.ids["c6"]
    text = ODD[how].format(root, root.upper(), root[:39]).encode()
    twins = twins_of(linear, "--depth=1").write("shallow", text)
    commit(linear, "main", "c7", ["c6"])
    twins.run(*options)
    written = (twins.ours / ".git" / "shallow").read_bytes()
    if how in ("empty", "missing commit") and twins.git_result.code:
        return  # git's own walk fails there, or not, by what the server sends
    assert twins.result.code == twins.git_result.code, f"{twins.git_result}\n{twins.result}"
    if twins.git_result.code:
        twins.result.refused("shallow", code=128)
        assert written == text
        return
    if how == "empty":
        return
    assert written == (b"".join(f"{line}\n".encode() for line in twins.roots()) if options else text)
    twins.same(differs=["shallow"] if not options else [])
    twins.tools.git("-C", twins.ours, "fsck", "--connectivity-only").ok()


def test_grafts_are_no_boundary(linear, twins_of):
    """C14: info/grafts cuts what is seen here, and is never copied."""
    twins = twins_of(linear, "--depth=3").write("info/grafts", f"{linear.ids['c5']}\n")
    twins.fetch("--deepen=1", differs=["said"])
    assert linear.ids["c5"] not in twins.roots()


@PROTOCOLS
@pytest.mark.parametrize("options, word", [
    (["--shallow-since=2030-01-01"], "no commits selected"), (["--shallow-exclude=nosuch"], "nosuch"),
    (["--shallow-exclude={c3}"], "{c3}"),
])
def test_limits_that_leave_nothing(linear, twins_of, protocol, options, word):
    """C15: they fail with the reason, and change nothing."""
    twins = twins_of(linear, "--depth=1")
    commit(linear, "main", "c7", ["c6"])
    twins.run(*(option.format(**linear.ids) for option in options), before=speaking(protocol))
    assert (twins.result.code, twins.git_result.code) == (128, 128), f"{twins.git_result}\n{twins.result}"
    twins.result.refused(word.format(**linear.ids))
    twins.same(differs=["said", "FETCH_HEAD"])
    six_checks(twins.tools, twins.ours, {"HEAD": 1})


def test_since_and_exclude_in_a_clone_with_an_older_branch(tools, tmp_path, twins_of):
    """C15: one branch has no commit after the date."""
    history = History().linear(6)
    history.commit("old", "o1", start="c1", date=1600001500)
    history.tag("at3", "c3")
    source = history.write(tools, tmp_path / "src")
    twins = twins_of(source, "--depth=1", "--no-single-branch")
    twins.fetch("--shallow-since=1600003500", "origin", "main")
    assert twins.count("origin/main") == 3
    twins.fetch("--shallow-since=1600003500").fetch("--shallow-exclude=at3", "origin", "main")
    assert twins.count("origin/main") == 3
    twins.fetch("--shallow-exclude=at3").fetch("--shallow-exclude=old", "--shallow-exclude=at3")
    twins.fetch("--unshallow")


@PROTOCOLS
def test_dates_out_of_order_across_the_cut(tools, tmp_path, twins_of, protocol):
    """C16: nothing between two kept commits is lost, and an older date heals the gap."""
    def year(number):
        return 1577880000 + (number - 2020) * 31557600

    history = History()
    for name, when in (("a", 2020), ("b", 2024), ("c", 2021), ("d", 2024)):
        history.commit("main", name, date=year(when))
    history.commit("side", "sOld", start="a", date=year(2021))
    history.commit("side", "sNew", date=year(2024))
    history.commit("main", "m", merge=["sNew"], date=year(2025))
    source = history.write(tools, tmp_path / "src")
    twins = twins_of(source, "--depth=1")
    for when in ("2023", "2020-06", "2024-06", "2019"):
        twins.fetch(f"--shallow-since={when}-01-01T00:00:00" if "-" not in when else f"--shallow-since={when}-01",
                    before=speaking(protocol), code=None)


@pytest.mark.parametrize("where", ["source", "here", "both"])
def test_commit_graphs_and_bitmaps_change_nothing(tools, tmp_path, twins_of, where):
    """C18: the same objects come, and no graph with cut parents is left behind."""
    source = forked(tools, tmp_path / "src")
    if where != "here":
        source.git("repack", "-adbq")
        source.git("commit-graph", "write", "--reachable")
    for number, steps in enumerate((["--depth=3", "--deepen=1", "--unshallow"], ["--shallow-exclude=side", "--depth=2"])):
        twins = Twins.cloned(tools, tmp_path / str(number), source.url, *(["--depth=2"] if number == 0 else []))
        if where != "source":
            twins.each("config", "fetch.writeCommitGraph", "true").each("repack", "-adbq")
            twins.each("commit-graph", "write", "--reachable")
        for step in steps:
            twins.fetch(step)
            tools.git("-C", twins.ours, "commit-graph", "verify").ok()


def test_a_lock_that_was_left(linear, twins_of):
    """C20: who moves no boundary passes; who does hears of it before any ref moves, with path and age."""
    twins = twins_of(linear, "--depth=1").each("config", "pfetch.shallowLockTimeout", "100")
    commit(linear, "main", "c7", ["c6"])
    lock = twins.ours / ".git" / "shallow.lock"
    lock.write_bytes(b"")
    os.utime(lock, (time.time() - 7200, time.time() - 7200))
    refs = twins.tools.ask(twins.ours, "for-each-ref")
    for option in ("--depth=1", "--deepen=1", "--unshallow", "--shallow-since=2020-01-01"):
        result = twins.tools.pfetch("fetch", option, cwd=twins.ours).refused("shallow.lock", "2 hours", code=128)
        assert twins.tools.ask(twins.ours, "for-each-ref") == refs, result
    twins.tools.pfetch("fetch", cwd=twins.ours).ok()
    assert lock.exists() and twins.count("origin/main") == 2
    lock.unlink()
    twins.tools.pfetch("fetch", "--deepen=1", cwd=twins.ours).ok()
    assert leftovers(twins.ours / ".git") == []
