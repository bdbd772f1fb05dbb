"""A required filter that fails while a worktree is changed: beside git, HEAD stays, and the exit code is the same. What
git forgets, the index knows, so that the same command completes the work."""
import shutil

import pytest

from checkout_objects_test import process
from checkout_twins import SwitchTwins, files_below
from compare import leftovers
from history import History

# Until the filter is mended.
FAILS = "case %f in *b.up) echo half; exit 1;; esac; tr a-z A-Z"
# Git stops at the first file, we do not.
DIFFERS = ("said", "index", "status", "files")


def template(tools, folder):
    """`main` has an older b.up; `other` changes it, adds and removes files."""
    history = History()
    history.commit("main", "main", {".gitattributes": b"*.up filter=x\n", "b.up": b"older\n", "gone": b"gone\n",
                                    "keep": b"keep\n", "zz": b"1\n"})
    history.commit("other", "other", {"a.up": b"a\n", "b.up": b"newer\n", "c.up": b"c\n", "gone": None,
                                      "sub/b.up": b"b\n", "sub/link": ("120000", b"../zz"), "zz": b"2\n"}, start="main")
    repo = history.write(tools, folder / "src").config(filter__x__smudge="tr a-z A-Z", filter__x__clean="tr A-Z a-z",
                                                       filter__x__required="true")
    repo.git("reset", "-q", "--hard", "main")
    return repo


@pytest.fixture
def twins(tools, tmp_path):
    return SwitchTwins(tools, tmp_path, template(tools, tmp_path).path).each("config", "filter.x.smudge", FAILS)


def fatal(result) -> str:
    return result.err.splitlines()[-1]


def mended(twins):
    return twins.each("config", "filter.x.smudge", "tr a-z A-Z")


@pytest.mark.parametrize("words", [["checkout", "other"], ["checkout", "-f", "other"],
                                   ["checkout", "-q", "--detach", "other"], ["checkout", "-b", "new", "other"],
                                   ["checkout", "-B", "main", "other"], ["reset", "--hard", "other"]], ids=" ".join)
def test_head_and_refs_stay_and_the_same_command_completes_it(tools, twins, words):
    twins.hook("post-checkout", "#!/bin/sh\ntouch ran\n")
    twins.do(*words, code=128, differs=DIFFERS)
    assert fatal(twins.git_result) == "fatal: b.up: smudge filter x failed"
    assert fatal(twins.result) == "fatal: b.up: smudge filter x failed (and at 1 other file)"
    for path in ("b.up", "sub/b.up"):
        assert f"error: {path}: smudge filter x failed: external filter" in twins.result.err
    assert leftovers(twins.ours / ".git") == [] and not (twins.ours / "ran").exists()
    assert tools.ask(twins.ours, "status", "--porcelain").splitlines() == [
        "A  a.up", " D b.up", "A  c.up", "D  gone", "A  sub/link", "M  zz"]
    assert (twins.ours / "a.up").read_text() == "A\n"

    mended(twins)
    tools.pfetch(*words, cwd=twins.ours).ok()
    tools.git(*words, cwd=twins.theirs)
    tools.git(words[0], "-f" if words[0] == "checkout" else "-q", *words[1:], cwd=twins.theirs).ok()
    twins.same(("said", "out", "reflogs", "operations"))
    assert tools.ask(twins.ours, "status", "--porcelain") == ("?? ran" if words[0] == "checkout" else "")


def test_the_way_back(tools, twins):
    """Who gives up gets everything back."""
    had = files_below(twins.ours)
    tools.pfetch("checkout", "other", cwd=twins.ours).refused(code=128)
    mended(twins)
    tools.pfetch("reset", "--hard", cwd=twins.ours).ok()
    assert files_below(twins.ours) == had and tools.ask(twins.ours, "status", "--porcelain") == ""


@pytest.mark.parametrize("words", [["other", "--", "."], ["other", "b.up"], ["other", "--", "a.up", "b.up", "c.up"],
                                   ["--no-overlay", "other", "--", "."], ["--", "b.up", "zz"]], ids=" ".join)
def test_paths(tools, twins, words):
    for repo in (twins.theirs, twins.ours):
        (repo / "b.up").unlink()
    twins.checkout(*words, code=128, differs=DIFFERS)
    assert fatal(twins.git_result) == "fatal: b.up: smudge filter x failed"
    assert fatal(twins.result).startswith("fatal: b.up: smudge filter x failed")
    assert leftovers(twins.ours / ".git") == [] and not (twins.ours / "b.up").exists()
    mended(twins).checkout(*words)
    assert (twins.ours / "b.up").read_text() == ("OLDER\n" if words[0] == "--" else "NEWER\n")


@pytest.mark.parametrize("name", ["error-b", "abort-b", "late-b", "delay-error", "delay-abort", "what-b"])
def test_a_filter_process(tools, tmp_path, name):
    history = History()
    history.commit("main", "main", {".gitattributes": b"*.up filter=x\n", "zz": b"1\n"})
    history.commit("other", "other", {"a.up": b"a\n", f"{name}.up": b"b\n", "slow-c.up": b"c\n", "zz": b"2\n"},
                   start="main")
    repo = history.write(tools, tmp_path / "src").config(filter__x__required="true",
                                                         filter__x__process=process(tmp_path / "log"))
    repo.git("reset", "-q", "--hard", "main")
    twins = SwitchTwins(tools, tmp_path, repo.path)
    for words in (["checkout", "other"], ["checkout", "-f", "other"], ["reset", "--hard", "other"],
                  ["checkout", "other", "--", "."]):
        for path in (twins.theirs, twins.ours):
            shutil.rmtree(path)
            shutil.copytree(repo.path, path, symlinks=True)
        twins.do(*words, code=128, differs=DIFFERS)
        assert fatal(twins.git_result).startswith("fatal: ") and " smudge filter x failed" in fatal(twins.git_result)
        assert f"error: {name}.up: smudge filter x failed: " in twins.result.err
        assert fatal(twins.result).startswith("fatal: ") and " smudge filter x failed" in fatal(twins.result)
        assert leftovers(twins.ours / ".git") == [] and (twins.ours / "zz").read_text() == "2\n"


@pytest.mark.ours
def test_a_worktree_without_an_index(tools, tmp_path):
    """As after `clone --no-checkout`: what is missing is not staged as deleted."""
    source = template(tools, tmp_path)
    source.git("checkout", "-q", "other")
    repo = tmp_path / "x"
    tools.git("clone", "-q", "--no-local", "--no-checkout", source.path, repo).ok()
    for setting, value in (("smudge", FAILS), ("clean", "tr A-Z a-z"), ("required", "true")):
        tools.ask(repo, "config", f"filter.x.{setting}", value)
    tools.pfetch("checkout", cwd=repo).refused("b.up: smudge filter x failed", code=128)
    assert tools.ask(repo, "status", "--porcelain").splitlines() == [" D b.up", " D sub/b.up"]
    tools.ask(repo, "config", "filter.x.smudge", "tr a-z A-Z")
    tools.pfetch("checkout", "-f", cwd=repo).ok()
    assert tools.ask(repo, "status", "--porcelain") == ""
    assert (repo / "b.up").read_text() == "NEWER\n"
