"""Random histories and random fetches: after each step both twins agree, and nothing is lost."""
import random
import re

import pytest

from compare import six_checks
from history import History
from moving import commit
from twins import Twins, state_of

YEAR = 31557600


class Moving:
    """A source that grows, is set back, and loses refs, as the dice say."""

    def __init__(self, tools, path, dice):
        self.dice, self.count = dice, 0
        history = History()
        tips = {}
        for number in range(dice.randint(4, 14)):
            branch = dice.choice(("main", "a", "b", "c"))
            merge = [name for name in {dice.choice(list(tips.values()))}] if tips and dice.random() < 0.3 else []
            merge = [name for name in merge if name != tips.get(branch)]
            start = dice.choice(list(tips.values())) if tips and branch not in tips and dice.random() < 0.8 else None
            tips[branch] = history.commit(branch, f"h{number}", merge=[] if start or branch not in tips else merge,
                                          start=start, date=self.date())
        if "main" not in tips:
            history.commit("main", "first", start=dice.choice(list(tips.values())), date=self.date())
        self.repo = history.write(tools, path)
        self.tag("light"), self.tag("noted", "-a", "-m", "noted"), self.tag("nested", "-a", "-m", "nested", "noted")

    def date(self):
        """Mostly forward in time, sometimes years off."""
        self.count += 1
        return 1500000000 + self.count * 86400 + (self.dice.choice((-3, 2)) * YEAR if self.dice.random() < 0.15 else 0)

    def branches(self):
        return self.repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def any_commit(self):
        return self.dice.choice(self.repo.git("rev-list", "--all").split())

    def tag(self, name, *options):
        named = [option for option in options if option in ("noted",)]
        self.repo.git("tag", "-f", *[option for option in options if option not in named],
                      f"{name}{self.count}", *([f"noted{self.count}"] if named else [self.any_commit()]))

    def step(self) -> str:
        what = self.dice.choice(("grow", "grow", "grow", "merge", "set back", "new", "delete", "tag", "root"))
        branch = self.dice.choice(self.branches())
        name = f"n{self.count}"
        if what == "grow":
            for number in range(self.dice.randint(1, 4)):
                commit(self.repo, branch, f"{name}-{number}", [self.repo.git("rev-parse", branch)], date=self.date())
        elif what == "merge":
            parents = list(dict.fromkeys([self.repo.git("rev-parse", branch), self.any_commit(), self.any_commit()]))
            commit(self.repo, branch, name, parents, date=self.date())
        elif what == "set back":
            self.repo.git("update-ref", f"refs/heads/{branch}", self.any_commit())
        elif what == "new":
            commit(self.repo, f"b{self.count}", name, [self.any_commit()], date=self.date())
        elif what == "delete" and branch != "main":
            self.repo.git("update-ref", "-d", f"refs/heads/{branch}")
        elif what == "tag":
            self.date()
            self.tag("light"), self.tag("noted", "-a", "-m", "noted")
        elif what == "root":
            commit(self.repo, f"r{self.count}", name, [], date=self.date())
        return f"{what} {branch}"


def a_fetch(dice, moving, is_shallow) -> list:
    branch = ["origin", dice.choice(moving.branches())] if dice.random() < 0.25 else []
    prune = ["--prune"] if dice.random() < 0.4 and not branch else []
    kind = dice.choice(("plain", "plain", "depth", "depth", "deepen", "since", "exclude", "unshallow"))
    if kind == "plain" or (kind == "unshallow" and not is_shallow):
        return [*prune, *branch]
    option = {"depth": f"--depth={dice.randint(1, 5)}", "deepen": f"--deepen={dice.randint(1, 4)}",
              "since": f"--shallow-since={1500000000 + dice.randint(0, moving.count) * 86400}",
              "exclude": f"--shallow-exclude={dice.choice(moving.branches())}", "unshallow": "--unshallow"}[kind]
    return [option, "--no-tags", *prune, *branch]


@pytest.mark.cost(6)
def test_random_fetches_of_random_histories(tools, tmp_path, seed):
    dice = random.Random(seed)
    moving = Moving(tools, tmp_path / "src", dice)
    first = dice.choice(([], ["--depth=1"], ["--depth=2", "--no-single-branch"], ["--depth=3"]))
    twins = Twins.cloned(tools, tmp_path, moving.repo.url, *first)
    steps = [f"seed {seed}: clone {first}"]
    for _ in range(8):
        for _ in range(dice.randint(0, 2)):
            steps.append(moving.step())
        args = a_fetch(dice, moving, (twins.ours / ".git" / "shallow").exists())
        try:
            if args and args[0].startswith("--deepen"):  # then no ref moves with it, and git asks for all
                steps.append("fetch")
                one_step(tools, twins, [])
            steps.append(f"fetch {args}")
            one_step(tools, twins, args)
        except AssertionError as error:
            raise AssertionError("; ".join(steps) + f"\n{error}") from None


def one_step(tools, twins, args) -> None:
    """All agrees; boundaries do once git, which asks only for what moved, is asked a second time."""
    before = state_of(tools, twins.ours)
    twins.run(*args)
    # Of a root that git wrote down though it is not there; or git has asked for what has moved alone.
    stumbles = re.search("error in object: unshallow|no commits selected", twins.git_result.err)
    if stumbles and twins.result.code == 0:
        six_checks(tools, twins.ours)
        twins.realign()
        return
    assert twins.result.code == twins.git_result.code, f"{twins.git_result}\n{twins.result}"
    if twins.result.code:  # git has pruned by then, and emptied FETCH_HEAD
        assert state_of(tools, twins.ours) == before
        twins.realign()
        return
    again = bool(args) and args[0].startswith(("--depth", "--shallow", "--unshallow"))
    twins.same(differs=["shallow", "history"] if again else [])
    if again:
        tools.git("fetch", *(word.replace("--unshallow", "--depth=2147483647") for word in args), cwd=twins.theirs).ok()
        twins.same(differs=[part for part in twins.parts if part not in ("shallow", "history")])
    six_checks(tools, twins.ours)
