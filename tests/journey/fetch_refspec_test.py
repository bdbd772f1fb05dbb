"""Refspecs on the command line, on standard input and in the configuration; FETCH_HEAD; sources without a remote."""
import os

import pytest

ALL = ("refs/heads/*:refs/other/*",)
SAME = {
    "branch": ["main"], "two branches": ["main", "topic"], "full name": ["refs/heads/topic"], "HEAD": ["HEAD"],
    "at sign": ["@"], "stored": ["main:copy"], "stored under refs/": ["main:refs/x/copy"], "plus": ["+forced:forced"],
    "stored nowhere": ["main:"],
    "tag": ["tag", "v2"], "tags": ["tag", "v2-again", "tag", "blob"], "tag by name": ["v2"],
    "tag as a branch": ["-n", "v2:refs/heads/v2"], "tag of a tag": ["refs/tags/v2-again:refs/tags/x"],
    "glob": ALL, "glob within": ["refs/heads/f*:refs/other/f*"], "glob in the middle": ["refs/heads/*/er/inner:refs/a/*/z"],
    "all but one": [*ALL, "^refs/heads/fresh"], "all but some": [*ALL, "^refs/heads/f*"],
    "all but what is not there": [*ALL, "^refs/heads/nosuch"], "one twice": ["main", "main"],
    "one to two": ["main:refs/heads/a", "main:refs/heads/b"], "pattern of nothing": ["refs/nosuch/*:refs/other/*"],
    "both kinds": ["main:refs/heads/a", "topic"], "note": ["refs/notes/hidden:refs/notes/hidden"],
    "pull": ["refs/pull/1/head"], "pulls": ["+refs/pull/*:refs/remotes/origin/pull/*"], "blob": ["tag", "blob"],
    "other name of the tracking branch": ["-n", "topic:refs/remotes/origin/main"],
    "forced tracking": ["+forced:refs/remotes/origin/forced", "main"], "partial name": ["heads/main"],
    "remotes": ["main:remotes/origin/x"], "tags by glob": ["refs/tags/v*:refs/tags/v*"],
    "long names": ["refs/pull/1/head", "main", "topic:refs/heads/a-name-that-is-long"],
    "everything": ["-f", "refs/*:refs/all/*"],
}


@pytest.mark.parametrize("name", SAME)
def test_a_refspec_means_what_it_means_in_git(moved, tmp_path, name):
    moved.twins(tmp_path).fetch("origin", *SAME[name], code=None)


@pytest.mark.parametrize("refspec", ["HEAD:refs/heads/h", ":refs/heads/x"])
def test_head_is_named_where_it_is_stored(moved, tmp_path, refspec):
    """git 2.39 leaves its column empty; newer versions do not."""
    twins = moved.twins(tmp_path).fetch("origin", refspec, differs=["said"])
    assert " * [new ref]         HEAD       -> " in twins.result.err
    assert " * [new ref]                    -> " in twins.git_result.err or "HEAD" in twins.git_result.err


@pytest.mark.parametrize("name", ["branch", "stored", "tag", "glob", "HEAD", "all but some", "pulls"])
@pytest.mark.parametrize("where", ["url", "path", "relative path"])
def test_without_a_remote(moved, tmp_path, where, name):
    address = {"url": moved.url, "path": str(moved.path), "relative path": "../../moved-here"}[where]
    if where == "relative path":
        os.symlink(moved.path, tmp_path / "moved-here")
    moved.twins(tmp_path).fetch(address, *SAME[name], code=None)


@pytest.mark.parametrize("where", ["url", "slash", "git dir", "path"])
def test_a_bare_address_fetches_head(moved, tmp_path, where):
    address = {"url": moved.url, "slash": f"{moved.url}//", "git dir": f"{moved.url}/.git", "path": moved.path}[where]
    moved.twins(tmp_path).fetch(str(address))


@pytest.mark.parametrize("what, options", [
    ("c7", []), ("c7 stored", []), ("c2", []), ("tag object", []), ("reached by nothing", []), ("c7", ["--depth=1"]),
    ("c5", ["--depth=2"]), ("blob", []), ("tree", []),
], ids=str)
@pytest.mark.parametrize("kind", ["full", "depth"])
def test_by_id(moved, tmp_path, kind, what, options):
    ask = moved.source.git
    words = {"tag object": lambda: ask("rev-parse", "v2"), "blob": lambda: ask("rev-parse", "main:c7"),
             "tree": lambda: ask("rev-parse", "main^{tree}"), "reached by nothing": lambda: ask("rev-parse", "apart^{}"),
             "c7 stored": lambda: moved.ids["c7"] + ":refs/heads/by-id"}
    word = words[what]() if what in words else moved.ids[what]
    moved.twins(tmp_path, kind).fetch(*options, "origin", word, code=None)


@pytest.mark.parametrize("what", ["unknown id", "short id", "id to two"])
def test_ids_that_cannot_be_had(moved, tmp_path, what):
    word = {"unknown id": "1" * 40, "short id": moved.ids["c7"][:12], "id to two": moved.ids["c7"] + ":a:b"}[what]
    twins = moved.twins(tmp_path).run("origin", word)
    assert twins.result.code == twins.git_result.code > 0, f"{twins.git_result}\n{twins.result}"
    twins.same(differs=["said", "FETCH_HEAD"])


@pytest.mark.parametrize("text", ["main\ntopic\n", "main:refs/heads/copy\n\n+forced:f\n", "tag v2\nmain", "", "nosuch",
                                  "refs/heads/*:refs/other/*\n^refs/heads/fresh\n"])
def test_refspecs_on_standard_input(moved, tmp_path, text):
    twins = moved.twins(tmp_path).run("--stdin", "origin", data=text.encode())
    assert twins.result.code == twins.git_result.code, f"{twins.git_result}\n{twins.result}"
    twins.same(differs=["said", "FETCH_HEAD"] if twins.git_result.code else [])


def test_fetch_head_is_appended_to(moved, tmp_path):
    twins = moved.twins(tmp_path).fetch("origin", "topic")
    twins.fetch("--append", "origin", "main").fetch("-a", moved.url, "refs/notes/hidden")
    assert twins.read("FETCH_HEAD")[1].count("\n") == 3
    twins.fetch("--no-write-fetch-head", "origin", "fresh").fetch("origin")


FOR_MERGE = {
    "one branch": {"branch.main.merge": "refs/heads/main"},
    "short name": {"branch.main.merge": "topic"},
    "another branch": {"branch.main.merge": "refs/heads/topic"},
    "a tag": {"branch.main.merge": "refs/tags/v2"},
    "no longer there": {"branch.main.merge": "refs/heads/gone"},
    "another remote": {"branch.main.remote": "elsewhere"},
    "without a refspec": {"remote.origin.fetch": None},
    "one refspec without a star": {"remote.origin.fetch": "refs/heads/topic:refs/remotes/origin/topic"},
    "a refspec that leaves it out": {"remote.origin.fetch": "+refs/heads/f*:refs/remotes/origin/f*"},
    "this repository": {"branch.main.remote": "."},
}


@pytest.mark.parametrize("name", FOR_MERGE)
@pytest.mark.parametrize("args", [[], ["origin"]], ids=["", "origin"])
def test_what_is_for_merge(moved, tmp_path, name, args):
    twins = moved.twins(tmp_path)
    twins.each("config", "remote.elsewhere.url", moved.url)
    for key, value in FOR_MERGE[name].items():
        twins.each("config", *(["--unset", key] if value is None else [key, value]))
    twins.fetch(*args)


def test_two_branches_to_merge_and_a_detached_head(moved, tmp_path):
    twins = moved.twins(tmp_path)
    twins.each("config", "--add", "branch.main.merge", "refs/heads/topic").fetch()
    twins.each("checkout", "-q", "--detach").fetch("--prune")
    twins.each("symbolic-ref", "HEAD", "refs/heads/unborn").fetch("origin", "main")
