"""What only pfetch says and does about the boundary: --explain, --prune-shallow, the word left out, the lock's wait."""
import json
import re

import pytest

from compare import boundary, six_checks
from history import History
from moving import commit

pytestmark = pytest.mark.ours


@pytest.fixture
def linear(tools, tmp_path):
    """c1..c6, of this test alone."""
    return History().linear(6).write(tools, tmp_path / "src")


@pytest.fixture
def shallow_source(tools, linear, tmp_path):
    tools.git("clone", "-q", "--bare", "--depth=2", linear.url, tmp_path / "s").ok()
    return f"file://{tmp_path / 's'}"


def empty_repository(tools, path):
    tools.git("init", "-q", "-b", "main", path).ok()
    return path


def test_a_depth_without_a_command_fetches(tools, linear, tmp_path):
    tools.git("clone", "-q", "--depth=1", linear.url, tmp_path / "x").ok()
    tools.pfetch("--depth", "3", cwd=tmp_path / "x").ok()
    assert tools.ask(tmp_path / "x", "rev-list", "--count", "origin/main") == "3"
    tools.pfetch("--depth=4", "origin", "main", cwd=tmp_path / "x").ok()
    assert tools.ask(tmp_path / "x", "rev-list", "--count", "origin/main") == "4"
    six_checks(tools, tmp_path / "x")


def test_explain_tells_the_way_of_roots_and_the_cure(tools, shallow_source, linear, tmp_path):
    repo = empty_repository(tools, tmp_path / "x")
    refused = tools.pfetch("fetch", "--explain", shallow_source, "main:refs/heads/x", cwd=repo).ok()
    assert re.search(rf"^root {linear.ids['c5']} .*not added", refused.out, re.M)
    assert re.search(r"^ref refs/heads/x: needs .* --update-shallow", refused.out, re.M)
    assert boundary(repo / ".git") is None

    taken = tools.pfetch("fetch", "--explain=json", "--update-shallow", shallow_source, "main:refs/heads/x",
                         cwd=repo).ok()
    (story,) = json.loads(taken.out)
    assert [(root["id"], root["added"]) for root in story["roots"]] == [(linear.ids["c5"], True)]
    assert [(ref["name"], ref["accepted"], ref["cure"]) for ref in story["refs"]] == [("refs/heads/x", True, "")]
    assert boundary(repo / ".git") == [linear.ids["c5"]]
    six_checks(tools, repo)


def test_explain_where_nothing_was_in_question(tools, linear, tmp_path):
    repo = empty_repository(tools, tmp_path / "x")
    assert "not in question" in tools.pfetch("fetch", "--explain", linear.url, "main", cwd=repo).ok().out
    assert tools.pfetch("fetch", "--explain=xml", linear.url, "main", cwd=repo).code == 128


def three_rounds(tools, linear, repo):
    """Fetches at depth 1 while the source moves on; returns the roots, oldest first."""
    tools.git("clone", "-q", "--depth=1", linear.url, repo).ok()
    roots = [linear.ids["c6"]]
    for name in ("c7", "c8"):
        roots.append(commit(linear, "main", name, [roots[-1]]))
        tools.pfetch("fetch", "--depth=1", cwd=repo).ok()
    return roots


@pytest.mark.parametrize("how", ["option", "setting"])
def test_pruned_roots_are_those_that_nothing_needs(tools, linear, tmp_path, how):
    """C13: reflogs and other worktrees keep roots."""
    repo = tmp_path / "x"
    roots = three_rounds(tools, linear, repo)
    words = ["--prune-shallow"] if how == "option" else []
    before = ["-c", "fetch.pruneShallow=true"] if how == "setting" else []
    tools.pfetch(*before, "fetch", *words, cwd=repo).ok()
    assert boundary(repo / ".git") == sorted(roots)  # the reflog of origin/main has c7

    tools.ask(repo, "worktree", "add", "-q", "--detach", tmp_path / "w", roots[1])
    tools.ask(repo, "update-ref", "-d", "refs/heads/main")
    tools.ask(repo, "symbolic-ref", "HEAD", "refs/heads/none")
    for log in ("HEAD", "refs/heads/main", "refs/remotes/origin/main", "refs/remotes/origin/HEAD"):
        (repo / ".git/logs" / log).unlink(missing_ok=True)
    (repo / ".git/FETCH_HEAD").unlink(missing_ok=True)
    tools.pfetch(*before, "fetch", *words, cwd=repo).ok()
    assert boundary(repo / ".git") == sorted(roots[1:])
    six_checks(tools, repo)


def test_a_held_lock_is_waited_for_and_then_named_with_its_age(tools, linear, tmp_path):
    repo = tmp_path / "x"
    tools.git("clone", "-q", "--depth=1", linear.url, repo).ok()
    lock = repo / ".git/shallow.lock"
    lock.touch()
    before = tools.ask(repo, "for-each-ref")
    result = tools.pfetch("-c", "pfetch.shallowLockTimeout=50", "fetch", "--depth=2", cwd=repo)
    assert result.code == 128 and "shallow.lock" in result.err and "second" in result.err, result
    assert tools.ask(repo, "for-each-ref") == before and lock.exists()
    tools.pfetch("fetch", cwd=repo).ok()  # moves no boundary
    lock.unlink()
    tools.pfetch("fetch", "--depth=2", cwd=repo).ok()


def test_much_history_from_before_the_boundary_is_worth_a_line(tools, tmp_path):
    source = History().linear(300).write(tools, tmp_path / "src")
    repo = tmp_path / "x"
    tools.git("clone", "-q", "--depth=1", source.url, repo).ok()
    commit(source, "main", "next", [source.ids["c300"]], date=1700000000)
    assert "note: " not in tools.pfetch("fetch", cwd=repo).ok().err
    commit(source, "old", "fork", [source.ids["c250"]], date=1700000001)
    said = tools.pfetch("fetch", "origin", "old:refs/remotes/origin/old", cwd=repo).ok().err
    assert re.search(r"^note: 250 commits from before .*--depth", said, re.M), said
    six_checks(tools, repo)
