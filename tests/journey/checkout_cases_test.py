"""Checkouts into a worktree that is there, beside git: names that must not be written, attributes that change, many new
directories, paths that collide, stat data, gitlinks."""
import itertools
import os
import shutil
import subprocess
import time

import pytest

from checkout_test import (ATTRIBUTES, COLLISIONS, HOSTILE, NAMES, PROTECTION, TWO_IN_ONE, attributed,  # noqa: F401
                           folding, named, write_tree)
from checkout_twins import SwitchTwins, files_below
from compare import git_dir_of, leftovers, stat_data_are_true, worktree
from filters_test import encoded, errors  # noqa: F401
from history import History
from switching import clear
from tools import PYTHON, side_by_side

LINK = "1234567890" * 4


class Attempts(SwitchTwins):
    """`attempt` asks for the same decision of both: what git takes must look the same, what it refuses must leave ours as
    it was."""

    def all_of_ours(self):
        git_dir = git_dir_of(self.tools, self.ours)
        return (worktree(self.ours), self.tools.git("-C", self.ours, "ls-files", "-s", "-z", "-v").out,
                (git_dir / "HEAD").read_bytes(), self.tools.ask(self.ours, "for-each-ref"))

    def attempt(self, *words, before=(), differs=()) -> bool:
        had = self.all_of_ours()
        self.git_result, self.result = side_by_side(
            lambda: self.tools.git(*before, *words, cwd=self.theirs),
            lambda: self.tools.pfetch(*before, *words, cwd=self.ours))
        taken = self.git_result.code == 0
        assert (self.result.code == 0) == taken and self.result.code >= 0, f"{self.git_result}\n{self.result}"
        if taken:
            self.same(differs)
        else:
            assert self.all_of_ours() == had, f"{self.git_result}\n{self.result}"
        assert leftovers(git_dir_of(self.tools, self.ours)) == []
        return taken

    def back(self) -> "Attempts":
        """Both on `main`, without anything untracked."""
        for repo in (self.theirs, self.ours):
            self.tools.git("-C", repo, "checkout", "-q", "-f", "main")
            for name in worktree(repo):
                path = os.path.join(os.fsencode(repo), name)
                tracked = self.tools.git("-C", repo, "--literal-pathspecs", "ls-files", "--error-unmatch", "--", name)
                if tracked.code != 0 and (os.path.islink(path) or not os.path.isdir(path)):
                    os.unlink(path)
        return self.each("update-index", "-q", "--refresh")


def ready(repo):
    """A repository written without a worktree gets one, on `main`."""
    repo.git("reset", "-q", "--hard", "main")
    return repo


# Names that must not be written.

WAYS = {"checkout": ["checkout", "{}"], "force": ["checkout", "-f", "{}"], "reset": ["reset", "--hard", "{}"],
        "paths": ["checkout", "{}", "--", "."]}
# Git finds out when the rest is written.
TOO_LONG = ("256 bytes",)


@pytest.fixture(scope="module")
def named_here(named):  # noqa: F811
    ready(named)
    return named


@pytest.mark.parametrize("protection", PROTECTION)
@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind not in TOO_LONG])
def test_a_name_is_taken_or_refused_as_by_git(tools, tmp_path, named_here, kind, protection):
    twins = Attempts(tools, tmp_path, named_here.path)
    before = sum((("-c", setting) for setting in PROTECTION[protection]), ())
    differs = ("said",) if kind.endswith(" link") else ("out",) if kind == "slash" else ()
    for place in ("root", "deep") if protection == "default" else ("root",):
        branch, taken = f"{place}{list(NAMES).index(kind)}", False
        for way in ("checkout", "force", "reset", "paths") if protection == "default" else ("checkout",):
            words = [word.format(branch) for word in WAYS[way]]
            if way == "paths" and not taken:  # git takes the rest and still says that all went well
                had = twins.all_of_ours()
                tools.pfetch(*words, cwd=twins.ours).refused("invalid path" if kind != "empty" else "its name is empty")
                assert twins.all_of_ours() == had
            else:
                taken = twins.attempt(*words, before=before, differs=differs)
            assert not (twins.ours / ".git" / "hooks" / "post-checkout").exists()
            twins.back()
    assert not list(tmp_path.rglob("escape*")) and not os.path.exists("/tmp/pfetch-escape")
    assert sorted(path.name for path in twins.ours.parent.iterdir()) == ["x"]


@pytest.mark.parametrize("way", WAYS)
def test_a_name_that_the_system_cannot_have(tools, tmp_path, named_here, way):
    """The rest is there or not, nobody is told that all went well, and one can go back. Git switches all the same."""
    twins = Attempts(tools, tmp_path, named_here.path)
    for place in ("root", "deep"):
        branch = f"{place}{list(NAMES).index('256 bytes')}"
        words = [word.format(branch) for word in WAYS[way]]
        tools.pfetch(*words, cwd=twins.ours).refused("n" * 256, "File name too long")
        assert leftovers(twins.ours / ".git") == []
        tools.pfetch("checkout", "-f", "main", cwd=twins.ours).ok()
        assert tools.ask(twins.ours, "status", "--porcelain", "-uno") == ""
        twins.back()


@pytest.mark.parametrize("kind", HOSTILE)
def test_trees_that_want_to_write_elsewhere_or_twice(tools, tmp_path, kind):
    source = ready(History().linear(1).write(tools, tmp_path / "src"))
    source.commit_tree(write_tree(source, HOSTILE[kind]), "refs/heads/bad")
    twins = Attempts(tools, tmp_path, source.path)
    if kind in ("link too long", "link to an empty name"):  # git switches without it, and still says that all is well
        for way in WAYS.values():
            tools.pfetch(*[word.format("bad") for word in way], cwd=twins.ours).refused("unable to create symlink", "'a'")
            tools.pfetch("checkout", "-f", "main", cwd=twins.ours).ok()
            assert tools.ask(twins.ours, "status", "--porcelain") == ""
    elif kind in TWO_IN_ONE:  # git writes one of them and says nothing; to refuse is better
        had = twins.all_of_ours()
        for way in WAYS.values():
            tools.pfetch(*[word.format("bad") for word in way], cwd=twins.ours).refused()
            assert twins.all_of_ours() == had
    else:
        # Git takes a link with a NUL for changed when it looks, and sorts what is out of order.
        differs = {"link with a NUL": ("out", "status"), "out of order": ("status",)}.get(kind, ())
        for way in WAYS.values():
            twins.attempt(*[word.format("bad") for word in way], differs=differs)
            twins.back()
    assert "[core]\n\trepo" in (twins.ours / ".git" / "config").read_text()


@pytest.mark.parametrize("kind", ["null id", "blob as tree", "tree as blob", "commit as blob", "missing blob",
                                  "missing tree"])
@pytest.mark.parametrize("way", WAYS)
def test_entries_whose_object_is_not_what_they_say(tools, tmp_path, kind, way):
    source = ready(History().linear(1).write(tools, tmp_path / "src"))
    blob, tree = source.object("blob", b"x\n"), source.git("rev-parse", "HEAD^{tree}")
    mode, oid = {"null id": ("100644", "0" * 40), "blob as tree": ("40000", blob), "tree as blob": ("100644", tree),
                 "commit as blob": ("100644", source.ids["c1"]), "missing blob": ("100644", LINK),
                 "missing tree": ("40000", LINK)}[kind]
    source.commit_tree(source.tree(("100644", "a", blob), (mode, "bad", oid), ("100644", "z", blob)), "refs/heads/bad")
    repo = tmp_path / "our"
    shutil.copytree(source.path, repo, symlinks=True)
    words = [word.format("bad") for word in WAYS[way]]
    result = tools.pfetch(*words, cwd=repo).refused(oid, *(["bad"] if mode == "100644" else []))
    assert repo.joinpath(".git", "HEAD").read_text() == "ref: refs/heads/main\n"
    assert not (repo / "bad").exists() and leftovers(repo / ".git") == [], result
    tools.pfetch("checkout", "-f", "main", cwd=repo).ok()
    assert tools.ask(repo, "status", "--porcelain", "-uno") == ""


@pytest.mark.parametrize("depth", [15, 17, 25])
def test_paths_up_to_the_limit_of_the_system(tools, tmp_path, depth):
    history = History().linear(1)
    history.commit("long", "long", {"/".join(["d" * 250] * depth + ["file"]): b"deep\n"})
    source = ready(history.write(tools, tmp_path / "src"))
    twins = Attempts(tools, tmp_path, source.path)
    twins.git_result = tools.git("checkout", "long", cwd=twins.theirs)
    result = tools.pfetch("checkout", "long", cwd=twins.ours)
    if twins.git_result.code == 0:
        result.ok()
        assert tools.pfetch("checkout", "main", cwd=twins.ours).ok() and not list(twins.ours.glob("d" * 250))
    else:
        result.refused("d" * 150)


# Attributes.

SETS = ("none", "text", "auto", "auto-crlf", "some", "macro", "folder")


@pytest.fixture(scope="module")
def switching(attributed):  # noqa: F811
    """The sets of rules on branches of their own, and a branch without a file."""
    attributed.commit_tree(attributed.tree(), "refs/heads/main")
    return ready(attributed)


def anew(twins) -> None:
    """All files that may be converted are taken out of both worktrees."""
    for repo in (twins.theirs, twins.ours):
        for path in repo.rglob("*.txt"):
            path.unlink()


def settle(twins, count=itertools.count(1000000000)) -> None:
    """Whatever differs from its blob is seen to differ, however little time has passed."""
    time_of_all = next(count)
    for repo in (twins.theirs, twins.ours):
        for path in repo.rglob("*.txt"):
            os.utime(path, (time_of_all, time_of_all))
        twins.tools.git("-C", repo, "update-index", "-q", "--refresh")


@pytest.mark.parametrize("setting", [(), ("core.autocrlf=true",), ("core.autocrlf=input",), ("core.eol=crlf",)], ids=str)
def test_attributes_are_those_of_the_tree_that_comes(tools, tmp_path, switching, setting):
    twins = SwitchTwins(tools, tmp_path, switching.path)
    for value in setting:
        twins.each("config", *value.split("="))
    how = {"code": None, "differs": ("status", "out")}  # by what was seen last
    for number, kind in enumerate(SETS):
        twins.checkout("-f", "main", **how).checkout("-f", f"b-{kind}", **how)
        anew(twins)
        twins.checkout("--", "inner", **how)
        settle(twins)
        twins.checkout("-f", f"b-{SETS[number - 3]}", "--", ".", **how)
        settle(twins)
        twins.reset("--hard", f"b-{SETS[number - 1]}", **how)
        anew(twins)
        twins.checkout("-f", f"b-{SETS[number - 2]}", **how)


def test_every_set_of_rules_at_once(tools, tmp_path, switching):
    twins = SwitchTwins(tools, tmp_path, switching.path)
    how = {"code": None, "differs": ("status", "said")}  # git warns of odd rules, each time it reads them
    twins.checkout("all", **how)
    anew(twins)
    twins.checkout("--", ".", **how)
    for kind in ATTRIBUTES:
        assert (twins.ours / kind / "lf.txt").exists()


EARLY = ("!a.txt", "#b.txt", "+c.txt", "-d.txt", ".a.txt", "z.txt", "sub/!a.txt", "sub/z.txt")


@pytest.mark.parametrize("workers", [1, 16])
def test_a_file_that_comes_before_its_attributes(tools, tmp_path, workers):
    history = History()
    for branch, rules in (("main", b"*.txt -text\n"), ("other", b"*.txt eol=crlf\n")):
        files = {name: f"{branch}\nlines\n".encode() for name in EARLY}
        history.commit(branch, branch, {**files, "sub/.gitattributes": b"?a.txt text eol=lf\n", ".gitattributes": rules})
    twins = SwitchTwins(tools, tmp_path, ready(history.write(tools, tmp_path / "src")).path)
    twins.each("config", "checkout.workers", str(workers)).each("config", "checkout.thresholdForParallelism", "0")
    twins.checkout("other").checkout("main").checkout("-f", "other").checkout("main", "--", *EARLY[:3])
    assert (twins.ours / "!a.txt").read_bytes() == b"main\r\nlines\r\n"
    how = {"differs": ("status",)}  # git looks into what is younger than a second, and finds the odd line ends
    twins.reset("--hard", "main", **how)
    assert b"\r" not in (twins.ours / "z.txt").read_bytes()
    twins.reset("--hard", "@{1}", **how)
    assert (twins.ours / "!a.txt").read_bytes() == b"other\r\nlines\r\n"


@pytest.mark.parametrize("where", ["in the tree", "in the worktree", "below", "a folder", "untracked"])
def test_attributes_that_are_no_file(tools, tmp_path, where):
    history = History()
    history.commit("main", "main", {"rules": b"*.txt eol=crlf\n", "a.txt": b"main\n", "sub/a.txt": b"main\n"})
    files = {"a.txt": b"a\nb\n", "sub/a.txt": b"a\nb\n", "new.txt": b"n\n"}
    files.update({"in the tree": {".gitattributes": ("120000", b"rules")},
                  "below": {"sub/.gitattributes": ("120000", b"../rules")},
                  "a folder": {".gitattributes/x": b"*.txt eol=crlf\n"}}.get(where, {}))
    history.commit("other", "other", files, start="main")
    twins = SwitchTwins(tools, tmp_path, ready(history.write(tools, tmp_path / "src")).path)
    if where == "in the worktree":
        for repo in (twins.theirs, twins.ours):
            (repo / ".gitattributes").symlink_to("rules")
    if where == "untracked":
        twins.put(".gitattributes", "*.txt eol=crlf\n")
    # Git warns that links are not followed, each time it meets one.
    how = {"differs": ("said",) if where in ("in the tree", "in the worktree", "below") else ()}
    twins.checkout("other", **how).checkout("main", **how).checkout("other", "--", "sub", "new.txt", **how)
    twins.checkout("-f", "other", **how)
    assert (b"\r" in (twins.ours / "new.txt").read_bytes()) == (where == "untracked")


@pytest.mark.parametrize("place", ["info", "user"])
def test_attributes_from_elsewhere(tools, tmp_path, switching, place):
    twins = SwitchTwins(tools, tmp_path, switching.path)
    if place == "info":
        twins.write("info/attributes", "*.txt eol=crlf\ninner/lf.txt -text\nid.txt ident\n")
    else:
        (tmp_path / "attributes").write_text("*.txt eol=crlf\nid.txt ident\n")
        twins.each("config", "core.attributesFile", str(tmp_path / "attributes"))
    how = {"code": None, "differs": ("status",)}
    for kind in ("none", "text", "some"):
        twins.checkout("main", **how).checkout("-f", f"b-{kind}", **how)
        anew(twins)
        twins.checkout("--", ".", **how).reset("--hard", "main", **how)


def test_encodings_are_those_of_git(tools, tmp_path, encoded):  # noqa: F811
    """Unknown encodings and bytes that are none: an error is printed, the bytes are written as they are, exit code 0."""
    template = tmp_path / "template"
    shutil.copytree(encoded.path, template, symlinks=True)
    tools.ask(template, "update-ref", "refs/heads/full", "main")
    empty = tools.ask(template, "commit-tree", "-m", "empty", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    tools.ask(template, "update-ref", "refs/heads/main", empty)
    tools.ask(template, "reset", "-q", "--hard")
    twins = SwitchTwins(tools, tmp_path, template)
    for words in (["checkout", "full"], ["checkout", "-f", "main"], ["checkout", "full", "--", "."]):
        twins.do(*words, differs=("said", "status", "out"))
        assert errors(twins.result) == errors(twins.git_result)
        assert len(errors(twins.result)) > 100 or words[-1] == "main"


# Many directories, many workers, other processes.

def many_files(folders=1700, each=3) -> dict:
    return {f"{number % 7}/{number % 31}/d{number}/deep/f{file}": b"%d\n" % (number % 50)
            for number in range(folders) for file in range(each)}


@pytest.fixture(scope="module")
def many(tools, tmp_path_factory):
    """`main` has one file, `full` thousands of folders and one huge one; the tree of `full`, on disk, as git makes it."""
    history = History().linear(1)
    history.commit("full", "full", {**many_files(), **{f"huge/{n:05}": b"%d\n" % (n % 9) for n in range(4000)}},
                   start="c1")
    repo = ready(history.write(tools, tmp_path_factory.mktemp("many") / "src"))
    repo.git("worktree", "add", "-q", "--detach", "../full", "full")
    repo.expected = files_below(repo.path.parent / "full")
    repo.git("worktree", "remove", "-f", "../full")
    return repo


def on_full(tools, repo, many):
    assert files_below(repo) == many.expected
    assert tools.ask(repo, "status", "--porcelain") == "" and tools.ask(repo, "diff-files") == ""
    assert tools.ask(repo, "write-tree") == tools.ask(repo, "rev-parse", "full^{tree}")


def workers(count) -> tuple:
    return ("-c", f"checkout.workers={count}", "-c", "checkout.thresholdForParallelism=0")


@pytest.mark.ours
@pytest.mark.parametrize("count", [2, 8, 64])
def test_many_new_folders(tools, tmp_path, many, count):
    repo = tmp_path / "x"
    shutil.copytree(many.path, repo)
    tools.pfetch(*workers(count), "checkout", "full", cwd=repo).ok()
    on_full(tools, repo, many)
    for folder in ("0", "3", "huge"):
        shutil.rmtree(repo / folder)
    tools.pfetch(*workers(count), "checkout", "--", "0", "3", "hug*", cwd=repo).ok()
    on_full(tools, repo, many)
    shutil.rmtree(repo / "1")
    tools.pfetch(*workers(count), "checkout", "full", "--", "1", cwd=repo).ok()
    on_full(tools, repo, many)
    tools.pfetch(*workers(count), "checkout", "main", cwd=repo).ok()
    assert sorted(path.name for path in repo.iterdir()) == [".git", "dir", "file.txt"]


@pytest.mark.ours
@pytest.mark.parametrize("words", [["checkout", "-f"], ["reset", "--hard"], ["checkout", "HEAD", "--", "."],
                                   ["checkout", "full"], ["checkout"]], ids=" ".join)
def test_a_worktree_that_was_added_without_files(tools, tmp_path, many, words):
    repo = tmp_path / "x"
    shutil.copytree(many.path, repo)
    tools.ask(repo, "worktree", "add", "-q", "--no-checkout", "../linked", "full")
    tools.pfetch(*words, cwd=tmp_path / "linked").ok()
    on_full(tools, tmp_path / "linked", many)
    assert tools.ask(repo, "status", "--porcelain") == ""


REMOVER = """
import os, sys
folders = [folder for folder in open(sys.argv[1]).read().split("\\n") if folder]
while True:
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            pass
"""


@pytest.mark.ours
@pytest.mark.parametrize("count", [2, 64])
def test_somebody_removes_empty_folders_all_the_time(tools, tmp_path, many, count):
    repo = tmp_path / "x"
    shutil.copytree(many.path, repo)
    folders = sorted({os.path.dirname(path) for path in many.expected}, key=len, reverse=True)
    (tmp_path / "folders").write_text("\n".join(folder for path in folders for folder in (path, os.path.dirname(path))))
    remover = subprocess.Popen([PYTHON, "-c", REMOVER, tmp_path / "folders"], cwd=repo)
    try:
        for _ in range(4):
            tools.pfetch(*workers(count), "checkout", "full", cwd=repo).ok()
            assert files_below(repo) == many.expected
            tools.pfetch(*workers(count), "checkout", "main", cwd=repo).ok()
    finally:
        remover.kill()
        remover.wait()
    tools.pfetch("checkout", "full", cwd=repo).ok()
    on_full(tools, repo, many)


# Colliding paths, on a file system that folds case.

@pytest.mark.ours
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", COLLISIONS)
def test_every_member_of_a_colliding_group_is_named(tools, tmp_path, folding, kind, way):  # noqa: F811
    history = History().linear(1)
    history.commit("other", "other", {**COLLISIONS[kind], "file.txt": None, "dir/1.txt": None}, start="c1")
    repo = tmp_path / "x"
    shutil.copytree(ready(history.write(tools, tmp_path / "src")).path, repo)
    result = tools.pfetch("-c", "core.ignoreCase=true", *workers(8), *[word.format("other") for word in WAYS[way]],
                          cwd=repo, env={**folding, "FOLD_BELOW": str(tmp_path)}).ok()
    named_ones = {line.strip().strip("'") for line in result.err.splitlines() if line.startswith("  ")}
    members = {name for name in COLLISIONS[kind] if name not in ("other", "a/y") and not name.startswith("d/")}
    if kind == "link and folder":
        assert not list(repo.rglob("evil")) and "evil" not in (repo / ".git" / "config").read_text()
        assert (repo / "d").is_dir() and not (repo / "d").is_symlink()
    assert "the following paths have collided" in result.err and members <= named_ones, result
    kept = {os.fsdecode(name).lower() for name in worktree(repo)}
    assert {name.lower() for name in COLLISIONS[kind]} & kept
    # One of them is kept, whole.
    for name in kept & {name.lower() for name in COLLISIONS[kind]}:
        if (repo / name).is_file():
            contents = [content for other, content in COLLISIONS[kind].items() if other.lower() == name]
            assert (repo / name).read_bytes() in [c[1] if isinstance(c, tuple) else c for c in contents]


@pytest.mark.ours
@pytest.mark.parametrize("way", ["checkout", "force", "reset"])
def test_names_that_change_their_case_alone(tools, tmp_path, folding, way):  # noqa: F811
    history = History()
    history.commit("main", "lower", {"file": b"1\n", "dir/x": b"2\n", "stays": b"3\n"})
    history.commit("upper", "upper", {"FILE": b"1\n", "DIR/x": b"4\n", "file": None, "dir/x": None}, start="lower")
    history.commit("both", "both", {"STAYS": b"5\n"}, start="lower")
    repo = tmp_path / "x"
    shutil.copytree(ready(history.write(tools, tmp_path / "src")).path, repo)

    def go(branch):
        words = [word.format(branch) for word in WAYS[way]]
        return tools.pfetch("-c", "core.ignoreCase=true", *workers(8), *words, cwd=repo,
                            env={**folding, "FOLD_BELOW": str(tmp_path)}).ok()

    tools.git("-C", repo, "branch", "lower")
    for branch, x in (("upper", b"4\n"), ("lower", b"2\n"), ("upper", b"4\n")):
        assert "collided" not in go(branch).err
        assert {os.fsdecode(name).lower() for name in worktree(repo)} == {"file", "dir", "dir/x", "stays"}
        assert (repo / "dir" / "x").read_bytes() == x
    # A path that comes beside one that was there.
    go("lower")
    result = go("both")
    assert "the following paths have collided" in result.err and "'STAYS'" in result.err and "'stays'" in result.err


# Stat data.

@pytest.mark.ours
@pytest.mark.parametrize("way", WAYS)
def test_stat_data_are_those_of_the_files(tools, tmp_path, way):
    repo = tmp_path / "x"
    shutil.copytree(empties(tools, tmp_path).path, repo, symlinks=True)
    tools.pfetch(*[word.format("other") for word in WAYS[way]], cwd=repo).ok()
    assert stat_data_are_true(tools, repo) > 30


def empties(tools, folder):
    history = History()
    history.commit("main", "one", {"f": b"main\n", "empty": b"", "same": b"same\n", "was": b"was\n"})
    history.commit("other", "two", {"f": b"othr\n", "e2": b"", "d/e3": b"", "was": b"", "empty": b"no\n",
                                    "run": ("100755", b""), "link": ("120000", b"f")}, start="one")
    return ready(history.write(tools, folder / "src"))


@pytest.mark.ours
def test_a_change_in_the_same_second_is_seen(tools, tmp_path):
    repo = empties(tools, tmp_path).path
    for _ in range(5):
        for branch, change in (("other", b"OTHR\n"), ("main", b"MAIN\n")):
            tools.pfetch("checkout", branch, cwd=repo).ok()
            (repo / "f").write_bytes(change)
            assert tools.ask(repo, "diff-files", "--name-only") == "f", "a change of the same length was not seen"
            refused = tools.pfetch("checkout", "main" if branch == "other" else "other", cwd=repo).refused(code=1)
            assert "\tf\n" in refused.err
            tools.pfetch("checkout", "--", "f", cwd=repo).ok()
            assert tools.ask(repo, "diff-files") == ""


def test_what_a_switch_writes_is_younger_than_what_was_built_before(tools, tmp_path):
    """make(1) compares times. A clone may date its files back; here something may have been built a moment ago."""
    repo = empties(tools, tmp_path).path
    subprocess.run(["git", "config", "filter.same.smudge", "cat"], cwd=repo, check=True)
    (repo / ".git" / "info" / "attributes").write_text("was filter=same\n")
    names = ("f", "was", "link")
    for words in (["checkout", "other"], ["checkout", "main", "--", "f", "was"], ["reset", "--hard", "HEAD"],
                  ["checkout", "-f", "main"]):
        before = {name: (repo / name).lstat().st_mtime_ns for name in names if os.path.lexists(repo / name)}
        (repo / "product").write_bytes(b"built")
        built = (repo / "product").stat().st_mtime_ns
        tools.pfetch(*words, cwd=repo).ok()
        written = [name for name in names if os.path.lexists(repo / name)]
        changed = {name for name in written if (repo / name).lstat().st_mtime_ns != before.get(name)}
        assert changed, words
        for name in changed:
            assert (repo / name).lstat().st_mtime_ns >= built, (words, name)


@pytest.mark.ours
def test_files_from_the_future(tools, tmp_path):
    """The clock was set back: entries are younger than their index, and changes are seen all the same."""
    repo = empties(tools, tmp_path).path
    for name in ("same", "f"):
        os.utime(repo / name, (4000000000, 4000000000))
    tools.ask(repo, "update-index", "--refresh")
    tools.pfetch("checkout", "other", cwd=repo).ok()
    (repo / "same").write_bytes(b"SAME\n")
    os.utime(repo / "same", (4000000000, 4000000000))
    assert tools.ask(repo, "diff-files", "--name-only") == "same"
    result = tools.pfetch("checkout", "main", cwd=repo).ok()
    assert result.out == "M\tsame\n"


# Gitlinks.

GITLINK_SHIFTS = {
    "comes": ({}, {"m": ("160000", LINK), "in/m": ("160000", LINK)}),
    "from a file": ({"m": b"m\n"}, {"m": ("160000", LINK)}),
    "from a folder": ({"m/f": b"m\n"}, {"m": ("160000", LINK)}),
    "from a link": ({"m": ("120000", b"f")}, {"m": ("160000", LINK)}),
    "moves on": ({"m": ("160000", LINK)}, {"m": ("160000", LINK[::-1])}),
}
IN_THE_WAY = {"nothing": [], "an empty folder": ["m/"], "a file below": ["m/mine"], "deeper": ["m/d/mine"],
              "a file": ["m"], "a repository": ["m/.git/"]}


@pytest.mark.parametrize("there", IN_THE_WAY)
@pytest.mark.parametrize("kind", GITLINK_SHIFTS)
def test_gitlinks(tools, tmp_path, kind, there):
    main, other = GITLINK_SHIFTS[kind]
    history = History()
    history.commit("main", "main", {"f": b"f\n", **main})
    history.commit("other", "other", {**{name: None for name in main}, **other, "f": b"f2\n"}, start="main")
    twins = Attempts(tools, tmp_path, ready(history.write(tools, tmp_path / "src")).path)
    for repo in (twins.theirs, twins.ours):
        for name in IN_THE_WAY[there]:
            path = repo / name.rstrip("/")
            if name == "m/.git/":
                clear(repo / "m")
                tools.ask(repo, "init", "-q", "m")
                (repo / "m" / "mine").write_bytes(b"mine\n")
                continue
            if (repo / "m").is_symlink() or not (repo / "m").is_dir() or name == "m":
                clear(repo / "m")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(exist_ok=True) if name.endswith("/") else path.write_bytes(b"mine\n")
    mine = [path for path in IN_THE_WAY[there] if not path.endswith("/")]
    if kind == "moves on" and there == "a file":  # git removes it
        had = twins.all_of_ours()
        tools.pfetch("checkout", "other", cwd=twins.ours).refused("overwritten by checkout", "\tm\n", code=1)
        assert twins.all_of_ours() == had
        return
    said = ("out",) if there == "a repository" else ()  # git tells of what is untracked in there
    went = twins.attempt("checkout", "other", differs=said)
    assert all((twins.ours / path).read_bytes() == b"mine\n" for path in mine)
    if went and kind == "comes":
        twins.attempt("checkout", "main", differs=said)
        assert all((twins.ours / path).read_bytes() == b"mine\n" for path in mine)


def test_a_gitlink_without_and_with_gitmodules_and_the_empty_tree(tools, tmp_path):
    history = History()
    history.commit("main", "one", {"module": ("160000", LINK), "in/module": ("160000", LINK), "f": b"f\n"})
    history.commit("empty", "two", {})
    history.commit("cr", "three", {"sub\r": ("160000", LINK),
                                   ".gitmodules": b"[submodule \"s\"]\n\tpath = \"sub\r\"\n\turl = ../s\n"})
    history.commit("only", "four", {"deep/er/module": ("160000", LINK)})
    twins = SwitchTwins(tools, tmp_path, ready(history.write(tools, tmp_path / "src")).path)
    for branch in ("empty", "only", "main", "only", "empty", "main", "empty"):
        twins.checkout(branch).reset("--hard", branch)
    assert list(twins.ours.iterdir()) == [twins.ours / ".git"]
    twins.checkout("cr", differs=("status",), code=None)
    assert (twins.ours / "sub\r").is_dir()
    twins.checkout("-f", "empty", differs=("status",), code=None).checkout("main", code=None)


@pytest.mark.ours
@pytest.mark.parametrize("way", WAYS)
def test_a_link_named_as_a_folder_of_a_module_cannot_lead_into_git(tools, tmp_path, folding, way):  # noqa: F811
    source = ready(History().linear(1).write(tools, tmp_path / "src"))
    blob = source.object("blob", b".git")
    source.commit_tree(source.tree(("40000", "A", source.tree(("160000", "modules", LINK))), ("120000", "a", blob)),
                       "refs/heads/other")
    repo = tmp_path / "x"
    shutil.copytree(source.path, repo)
    tools.pfetch("-c", "core.ignoreCase=true", *[word.format("other") for word in WAYS[way]], cwd=repo,
                 env={**folding, "FOLD_BELOW": str(tmp_path)})
    assert not (repo / ".git" / "modules").exists()
    assert leftovers(repo / ".git") == []
