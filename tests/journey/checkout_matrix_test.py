"""Random pairs of trees × what somebody did in the worktree × every way to check out: each beside git."""
import random
import shutil

import pytest

from compare import worktree
from history import History
from switching import STATES, SwitchTwins, clear, make_world


def some_paths(dice, trees) -> list:
    """Pathspecs: files and folders of either tree, patterns, and now and then one that matches nothing."""
    chosen = []
    for _ in range(dice.randint(1, 3)):
        path = dice.choice(trees.paths())
        folder = path.rpartition("/")[0]
        chosen.append(dice.choice([path, path, folder or path, "*.t", ":(glob)**/a*", ":(top,icase)SUB*"]))
    if dice.random() < 0.1:
        chosen.append("nowhere")
    if dice.random() < 0.1:
        chosen = ["."] + [":!" + path for path in chosen]
    return chosen


COMMANDS = {
    "checkout": lambda dice, trees: ["checkout", "other"],
    "force": lambda dice, trees: ["checkout", "-f", "other"],
    "detach": lambda dice, trees: ["checkout", "--detach", "other"],
    "new branch": lambda dice, trees: ["checkout", "-b", "new", "other"],
    "keep ignored": lambda dice, trees: ["checkout", "--no-overwrite-ignore", "other"],
    "stay": lambda dice, trees: ["checkout", *dice.choice([[], ["main"], ["-f"], ["--detach"], ["-q"]])],
    "reset": lambda dice, trees: ["reset", "--hard", *dice.choice([[], ["other"], ["other"], ["-q", "other"]])],
    "paths of a tree": lambda dice, trees: ["checkout", *dice.choice([[], ["--no-overlay"]]), "other", "--",
                                            *some_paths(dice, trees)],
    "paths": lambda dice, trees: ["checkout", *dice.choice([[], [], ["-f"], ["--ours"], ["--theirs"]]), "--",
                                  *some_paths(dice, trees)],
}
# Each seed tries a few of them, on one worktree.
COMMANDS_OF_A_SEED = 4


def with_workers(count: int) -> tuple:
    return ("-c", f"checkout.workers={count}", "-c", "checkout.thresholdForParallelism=0")


def test_a_checkout_is_what_git_makes(tools, tmp_path, seed):
    dice = random.Random(seed)
    state = STATES[seed % len(STATES)]
    template, trees = make_world(tools, tmp_path, dice, state)
    for name in dice.sample(sorted(COMMANDS), COMMANDS_OF_A_SEED):
        twins = SwitchTwins(tools, tmp_path / name, template, trees)
        twins.run(*COMMANDS[name](dice, trees), before=dice.choice([(), with_workers(1), with_workers(16)])).same()
        shutil.rmtree(tmp_path / name)  # all seeds together have a million files


@pytest.mark.parametrize("workers", [1, 16])
def test_there_and_back(tools, tmp_path, workers):
    """Many files, with any number of workers: the same bytes, and a clean worktree after each switch."""
    dice = random.Random(workers)
    for number in range(3):
        template, trees = make_world(tools, tmp_path / str(number), dice, "clean", attributes_change=False)
        twins = SwitchTwins(tools, tmp_path / str(number), template, trees)
        for args in (["checkout", "other"], ["checkout", "--detach", "main"], ["checkout", "other"],
                     ["reset", "--hard", "main"], ["checkout", "main", "--", "."]):
            twins.run(*args, before=with_workers(workers)).same()
            assert twins.tools.ask(twins.ours, "diff-files") == ""


# --- staged entries where a file and a directory clash: git drops them without a word


def clash(tools, path, main: dict, other: dict, staged: dict):
    """On `main`, with these staged beside what is there."""
    history = History()
    history.commit("main", "main", {"keep": b"keep\n", **main})
    history.commit("other", "other", {**{name: None for name in main if name not in other}, **other}, start="main")
    repo = history.write(tools, path)
    repo.git("reset", "-q", "--hard", "main")
    for name, content in staged.items():
        if content is None:
            repo.git("rm", "-q", name)
    for name, content in staged.items():
        if content is not None:
            (repo.path / name).parent.mkdir(exist_ok=True)
            (repo.path / name).write_bytes(content)
            repo.git("add", name)
    return repo


@pytest.mark.ours
@pytest.mark.parametrize("main, other, staged, removed, named", [
    ({}, {"a": b"file\n"}, {"a/y": b"y\n"}, False, "a/y"),
    ({}, {"a": b"file\n"}, {"a/y": b"y\n"}, True, "a/y"),
    ({"d/x": b"x\n"}, {"d": b"file\n"}, {"d/y": b"y\n"}, False, "d/y"),
    ({}, {"a/x": b"x\n"}, {"a": b"staged\n"}, False, "a"),
    ({}, {"a/x": b"x\n"}, {"a": b"staged\n"}, True, "a"),
], ids=["file over directory", "file over lost directory", "file over tracked directory", "directory over file",
        "directory over lost file"])
def test_a_staged_file_in_neither_tree_stops_a_switch(tools, tmp_path, main, other, staged, removed, named):
    repo = clash(tools, tmp_path / "r", main, other, staged)
    if removed:
        clear(repo.path / next(iter(staged)))
    before = repo.git("ls-files", "-s"), worktree(repo.path), repo.git("symbolic-ref", "HEAD")
    result = tools.pfetch("checkout", "other", cwd=repo.path).refused("would be overwritten by checkout", code=1)
    assert f"\n\t{named}\n" in result.err
    assert before == (repo.git("ls-files", "-s"), worktree(repo.path), repo.git("symbolic-ref", "HEAD"))


@pytest.mark.ours
@pytest.mark.parametrize("other", [{}, {"a/x": b"x\n"}], ids=["without it", "with a directory"])
def test_a_directory_staged_in_place_of_a_file_is_kept(tools, tmp_path, other):
    repo = clash(tools, tmp_path / "r", {"a": b"a\n"}, other, {"a": None, "a/q": b"q\n"})
    tools.pfetch("checkout", "other", cwd=repo.path).ok()
    assert repo.git("status", "--porcelain") == "A  a/q"
    assert (repo.path / "a" / "q").read_bytes() == b"q\n"
