"""`pfetch checkout <tree> -- <pathspec>` beside git: the pathspec decides what of the tree is looked at."""
import os
import random
import shutil

import pytest

from checkout_test import write_tree
from checkout_twins import SwitchTwins
from compare import worktree
from history import History


@pytest.fixture
def bad(tools, tmp_path):
    """On `main`, beside a branch `bad` with a good folder, one with names that must not be written, and one that is not
    there."""
    history = History()
    history.commit("main", "main", {"good/file": b"old\n", "top": b"top\n"})
    repo = history.write(tools, tmp_path / "src")
    folders = [("40000", "bad", [("100644", "..", b"up\n"), ("40000", ".git", [("100644", "config", b"[core]\n")]),
                                 ("100644", ".goodness", b"fine\n")]),
               ("40000", "good", [("100644", "file", b"new\n"), ("100755", "more", b"more\n")])]
    entries = [(mode, name, write_tree(repo, content)) for mode, name, content in folders]
    repo.commit_tree(repo.tree(*entries), "refs/heads/bad")
    lost = write_tree(repo, [("100644", "file", b"lost\n")])
    repo.commit_tree(repo.tree(*entries, ("40000", "lost", lost)), "refs/heads/lost")
    os.unlink(repo.path / ".git" / "objects" / lost[:2] / lost[2:])
    repo.git("reset", "-q", "--hard", "main")
    return SwitchTwins(tools, tmp_path, repo.path)


@pytest.mark.parametrize("branch", ["bad", "lost"])
@pytest.mark.parametrize("words", [["good/file"], ["good"], ["g*"], [":(glob)good/**"], [":(icase)GOOD/File"],
                                   [":!bad", ":!lost"], ["good", ":(exclude)good/more"], ["bad/.goodness"],
                                   ["good", "bad/.goodness"]], ids=" ".join)
def test_what_is_not_meant_may_be_bad(bad, branch, words):
    differs = ("said",) if branch == "lost" else ()  # git looks into it for a pattern, and says so
    for overlay in ([], ["--no-overlay"]):
        bad.checkout(*overlay, branch, "--", *words, differs=differs).checkout("main", "--", "good").reset("--hard")


@pytest.mark.parametrize("words", [["."], ["bad"], ["*g"], ["bad/.git/config"], ["bad/.."], ["good", "bad/*/config"],
                                   [":!bad/.git"]], ids=" ".join)
def test_what_is_meant_may_not(tools, bad, words):
    """Git leaves it out and says that all went well."""
    had = worktree(bad.ours), tools.ask(bad.ours, "ls-files", "-s")
    tools.pfetch("checkout", "bad", "--", *words, cwd=bad.ours).refused("invalid path 'bad/.", code=128)
    assert had == (worktree(bad.ours), tools.ask(bad.ours, "ls-files", "-s"))


@pytest.mark.parametrize("words", [["lost/file"], ["good", "lost"], ["."]], ids=" ".join)
def test_a_tree_that_is_missing_and_meant_is_named(tools, bad, words):
    had = worktree(bad.ours), tools.ask(bad.ours, "ls-files", "-s")
    lost = tools.ask(bad.ours, "rev-parse", "lost:lost")
    tools.pfetch("checkout", "lost", "--", *words, ":!bad", cwd=bad.ours).refused(lost, code=128)
    assert had == (worktree(bad.ours), tools.ask(bad.ours, "ls-files", "-s"))


@pytest.mark.parametrize("words", [["a", ":!a"], ["d", "a", ":!d"], ["nowhere", ":!a"], ["d/f", "nowhere", ":!d"],
                                   [":!a"], [":!nowhere", "a"], ["d/", "a/"], ["m/", "m"]], ids=" ".join)
@pytest.mark.parametrize("start", [[], ["main"], ["other"], ["--no-overlay", "main"], ["--no-overlay", "other"]],
                         ids=" ".join)
def test_a_pathspec_whose_paths_are_all_excluded_matches_nothing(mixed, start, words):
    """In a tree, that is: in the index it is enough to name what is excluded."""
    mixed.checkout(*start, "--", *words, code=None)


@pytest.mark.ours
def test_a_pattern_that_is_the_name_of_a_file_too_means_all_that_match(tools, tmp_path):
    """Git takes the file of that name alone, or the others into the index, but not into the worktree."""
    repo = History()
    repo.commit("main", "one", {"[x]": b"1\n", "x": b"1\n"})
    repo.commit("main", "two", {"[x]": b"2\n", "x": b"2\n"})
    repo = repo.write(tools, tmp_path / "x")
    repo.git("reset", "-q", "--hard")
    tools.pfetch("checkout", "HEAD~1", "--", "[x]", cwd=repo.path).ok()
    assert repo.git("status", "--porcelain").splitlines() == ["M  [x]", "M  x"]


# By chance.

LINK = "1234567890" * 4
PATHS = ["a", "a.c", "d/a", "d/a.c", "d/f", "d/e/a", "d/e/g.c", "d.c/f", "sub/a", "sub/d/a.c", "[x]", "z*"]
SPECS = ["a", "a/", "d", "d/", "d/e", "d/e/", "m", "m/", "*.c", "d/*", "d/*.c", ":(glob)*.c", ":(glob)**/a",
         ":(glob)d/**", ":(glob)d/*", ":(glob)**/e/*", ":(icase)A", ":(icase)D/*.C", ":(icase,glob)**/F",
         ":(literal)*.c", ":(literal)z*",
         "[x]", "?", "fl*p", "flip", "flop/", ".", "nowhere", "sub/d", ":(top)a", ":(top)d", "d//e/../f"]


@pytest.fixture
def mixed(tools, tmp_path):
    """Branches `main` and `other`, which differ in most paths; among them a file that is a folder on the other side."""
    history = History()
    files = {path: path.encode() for path in PATHS}
    history.commit("main", "main", {**files, "flip": b"x\n", "flop/in": b"in\n", "m": ("160000", LINK)})
    other = {path: path.encode() * 2 for path in PATHS[::2]}
    history.commit("other", "other", {"d/e/a": None, "flip": None, "flop/in": None, **other, "flip/in": b"in\n",
                                      "flop": b"y\n", "m": b"m\n", "new/a.c": b"new\n"}, start="main")
    repo = history.write(tools, tmp_path / "src")
    repo.git("reset", "-q", "--hard", "main")
    return SwitchTwins(tools, tmp_path, repo.path)


def some_specs(chance) -> list:
    specs = [*chance.choices(SPECS, k=chance.choice([1, 1, 2, 3])),
             *(":!" + spec if not spec.startswith(":(") else ":(exclude," + spec[2:]
               for spec in chance.choices(SPECS, k=chance.choice([0, 0, 1, 2])))]
    chance.shuffle(specs)
    return specs


@pytest.mark.cost(2)
def test_random_pathspecs(mixed, seed):
    chance = random.Random(seed)
    for step in range(8):
        if chance.randrange(4) == 0:
            mixed.put(chance.choice(PATHS[:8]), f"{seed} {step}\n")
        if chance.randrange(5) == 0:
            mixed.reset("--hard", chance.choice(["main", "other"]))
        start = [*chance.choice([[], [], ["--no-overlay"]]), *chance.choice([["main"], ["other"], ["other"], []])]
        mixed.checkout(*start, "--", *some_specs(chance), code=None, below=chance.choice(["", "", "d", "sub"]))


# Attributes.

RULES = b"""*.c red blue=deep
*.h -red
d/** blue
d/*.c !red
bin* binary
[attr]loud red blue=sky
*.loud loud
"""
DEMANDS = [":(attr:red)", ":(attr:-red)", ":(attr:!red)", ":(attr:blue=deep)", ":(attr:blue)", ":(attr:red blue=deep)",
           ":(attr:red)d", ":(attr:binary)", ":(attr:-text)", ":(attr:loud)", ":(attr:blue=sky)*.loud",
           ":(attr:nowhere)", ":(glob,attr:red)**/*.c", ":(exclude,attr:red)", ":(top,icase,attr:-red)D"]


@pytest.fixture(scope="module")
def coloured(tools, tmp_path_factory):
    history = History()
    names = [folder + name for folder in ("", "d/", "d/e/", "o/") for name in ("a.c", "b.h", "c.txt", "bin1", "x.loud")]
    history.commit("main", "one", {**{name: b"one\n" for name in names}, ".gitattributes": RULES,
                                   "o/.gitattributes": b"*.h red\n*.c -red\n"})
    history.commit("other", "two", {name: b"two\n" for name in names}, start="one")
    repo = history.write(tools, tmp_path_factory.mktemp("coloured") / "src")
    repo.git("reset", "-q", "--hard", "main")
    return repo.path, names


@pytest.mark.parametrize("place", ["worktree", "index", "info"])
@pytest.mark.parametrize("demand", DEMANDS)
def test_paths_by_their_attributes(tools, tmp_path, coloured, demand, place):
    template, names = coloured
    twins = SwitchTwins(tools, tmp_path, template)
    for name in names:
        twins.put(name, "mine\n")
    if place == "index":  # the files are gone, and count all the same
        twins.put(".gitattributes", None).put("o/.gitattributes", None)
    if place == "info":
        twins.write("info/attributes", "a.c -red\n*.txt red\n")
    twins.do("checkout", "--", demand, code=None)


@pytest.mark.ours
def test_paths_of_a_tree_by_their_attributes(tools, tmp_path, coloured):
    """git 2.39 cannot do this; as in later ones, the attributes are those of the worktree."""
    repo = tmp_path / "x"
    shutil.copytree(coloured[0], repo, symlinks=True)
    tools.pfetch("checkout", "other", "--", ":(attr:red)", cwd=repo).ok()
    changed = set(tools.ask(repo, "diff", "--cached", "--name-only").split())
    assert changed == {"a.c", "x.loud", "d/e/a.c", "d/x.loud", "d/e/x.loud", "o/b.h", "o/x.loud"}
