"""Pairs of random trees whose paths change into each other, and worktrees in which somebody has worked."""
import os
import pathlib
import random
import shutil
import stat

from compare import anonymous, leftovers, reflogs, worktree
from history import History
from tools import side_by_side
from twins import difference

LONG_AGO = 1000000000  # older than any index: what has this time is clean or dirty by its stat data alone
NAMES = ["a", "a.t", "a0", "b.i", "c.u", "d.b", "sub", "sub-x", "sub.t", "sp ace.t", "\u00fc", "quo\"te"]
GITLINKS = ["%040d" % number for number in (1, 2)]
# What each kind of file may hold. Stored as git would store it under any of the attributes below, so that nobody takes
# a file for changed because it is looked at under other attributes.
CONTENTS = {
    ".t": ["one\ntwo\n", "two\n", "three\nlines\nhere\n"], ".i": ["$Id$\n", "x $Id$ y\n", "none\n"],
    ".u": ["\u00e4\n", "b\n", "\u20ac uro\n"], ".b": ["\0\r\n\n", "\r\n\1", ""], "": ["one\n", "2", "$Id$ three\n"],
}
ATTRIBUTES = {
    ".t": ["text eol=crlf", "text eol=lf", "-text"], ".i": ["ident", "-ident", "ident text eol=crlf"],
    ".u": ["working-tree-encoding=UTF-16", "working-tree-encoding=UTF-16LE-BOM", "!working-tree-encoding"],
}
ALL_ATTRIBUTES = "".join(f"*{kind} {choices[0]}\n" for kind, choices in ATTRIBUTES.items())
STATES = ("clean", "dirty", "staged", "untracked", "ignored", "conflict", "all")


def kind_of(path: str) -> str:
    suffix = os.path.splitext(path)[1]
    return suffix if suffix in CONTENTS else ""


class RandomTrees:
    """`main` and `other`: path -> (mode, content or commit)."""

    def __init__(self, dice: random.Random, attributes_change=True):
        self.dice, self.attributes_change, self.main, self.other = dice, attributes_change, {}, {}
        self.fill(self.main, "", 0)
        self.other = dict(self.main)
        others = {}
        self.fill(others, "", 0)
        for path in dice.sample(sorted(self.main), dice.randint(0, len(self.main) // 2)):
            self.other.pop(path)
        for path in dice.sample(sorted(others), dice.randint(1, len(others))):
            put(self.other, path, others[path])
        for files in (self.main, self.other):
            put(files, "keep", ("100644", "keep\n"))
            if not attributes_change:
                put(files, ".gitattributes", ("100644", ALL_ATTRIBUTES))

    def fill(self, files: dict, folder: str, depth: int) -> None:
        if self.attributes_change and self.dice.random() < (0.6 if depth == 0 else 0.2):
            lines = [f"*{kind} {self.dice.choice(choices)}\n" for kind, choices in ATTRIBUTES.items()
                     if self.dice.random() < 0.6]
            files[f"{folder}.gitattributes"] = ("100644", "".join(lines))
        for name in NAMES:
            toss = self.dice.random()
            if toss < 0.3:
                files[folder + name] = self.entry(folder + name)
            elif toss < 0.5 and depth < 2:
                self.fill(files, f"{folder}{name}/", depth + 1)

    def entry(self, path: str) -> tuple:
        mode = self.dice.choice(["100644"] * 6 + ["100755", "120000", "160000"])
        if mode == "160000":
            return mode, self.dice.choice(GITLINKS)
        if mode == "120000":
            return mode, self.dice.choice(["a", "sub", "../a", "nowhere/x", "."])
        return mode, self.dice.choice(CONTENTS[kind_of(path)])

    def paths(self) -> list:
        return sorted({**self.main, **self.other})


def put(files: dict, path: str, value) -> None:
    """Whatever stood in the way goes."""
    for there in [there for there in files if there.startswith(path + "/") or path.startswith(there + "/")]:
        del files[there]
    files[path] = value


def clear(path: pathlib.Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or path.exists():
        path.unlink()


class Work:
    """What somebody did in a worktree, in the words of the dice."""

    def __init__(self, tools, repo: pathlib.Path, trees: RandomTrees, dice: random.Random):
        self.tools, self.repo, self.trees, self.dice = tools, repo, trees, dice

    def do(self, state: str) -> None:
        if state in ("staged", "all"):
            self.stage()
        if state == "conflict":
            self.conflict()
        if state in ("dirty", "all"):
            for _ in range(self.dice.randint(1, 3)):
                self.dirty()
        if state in ("untracked", "all"):
            for _ in range(self.dice.randint(1, 3)):
                self.untracked()
        if state in ("ignored", "all"):
            ignored = [self.untracked() for _ in range(self.dice.randint(1, 3))]
            self.ignore([path for path in ignored if path])

    def some_path(self) -> str:
        """Rather one that the trees have differently."""
        differ = [path for path in self.trees.paths()
                  if self.trees.main.get(path) != self.trees.other.get(path)]
        return self.dice.choice(differ if differ and self.dice.random() < 0.7 else self.trees.paths())

    def content(self, path: str) -> bytes:
        if kind_of(path) == ".u":
            return "\ufeffdirty".encode("utf-16-le")
        return self.dice.choice([b"dirty\n", b"dirtier\n", b""])

    def write(self, path: str) -> bool:
        """A new file, or one more; False where something else stands in the way."""
        full = self.repo / path
        if full.is_symlink() or full.is_dir():
            return False
        for above in full.relative_to(self.repo).parents:
            place = self.repo / above
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                return False
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(self.content(path))
        return True

    def in_lost_module(self, path: str) -> bool:
        """At or below a gitlink that gives way to a file: git removes whatever is in it, and we do not."""
        def gives_way(there):
            return (self.trees.other.get(there, ("160000",))[0] != "160000" or
                    any(there.startswith(above + "/") for above in self.trees.other))
        return any((path + "/").startswith(there + "/") and mode == "160000" and gives_way(there)
                   for there, (mode, _) in self.trees.main.items())

    def dirty(self) -> None:
        path = self.dice.choice(sorted(self.trees.main))
        full = self.repo / path
        if not (full.is_symlink() or full.exists()) or self.in_lost_module(path):
            return
        what = self.dice.choice(["change", "change", "change", "remove", "mode", "link", "folder"])
        if what == "mode" and full.is_file() and not full.is_symlink():
            full.chmod(stat.S_IMODE(full.stat().st_mode) ^ 0o111)
            return
        clear(full)
        if what == "change":
            full.write_bytes(self.content(path))
        elif what == "link":
            full.symlink_to(self.dice.choice(["elsewhere", "keep"]))
        elif what == "folder":
            full.mkdir()
            if self.dice.random() < 0.7:
                (full / self.dice.choice(["a", "new"])).write_bytes(b"new\n")

    def stage(self) -> None:
        """Never a file in neither tree where the other one has a directory, or below a file: those are for tests of their own."""
        staged = {}
        for _ in range(self.dice.randint(1, 4)):
            path = self.dice.choice([self.some_path(), self.some_path(), "new.t", "new/er"])
            value = self.dice.choice([None, self.trees.main.get(path), self.trees.other.get(path),
                                      ("100644", "staged\n"), ("100755", "staged\n")])
            if not self.clashes(path):
                staged[path] = value
        listing, keep_files = [], self.dice.random() < 0.3
        for path, value in sorted(staged.items()):
            if value is None:
                listing.append(f"0 {'0' * 40}\t{path}")
            else:
                mode, content = value
                oid = content if mode == "160000" else self.tools.ask(
                    self.repo, "hash-object", "-w", "--stdin", data=content.encode())
                listing.append(f"{mode} {oid}\t{path}")
        if not listing:
            return
        self.tools.ask(self.repo, "update-index", "-z", "--index-info", data="".join(f"{line}\0" for line in listing).encode())
        if keep_files:
            return
        for path, value in staged.items():
            if value is None and (self.repo / path).is_file():
                clear(self.repo / path)
        self.tools.git("-C", self.repo, "--literal-pathspecs", "checkout-index", "-f", "-q", "--",
                       *[path for path, value in staged.items() if value])

    def conflict(self) -> None:
        for path in self.dice.sample(sorted(self.trees.main), min(2, len(self.trees.main))):
            stages = self.dice.choice(["123", "23", "12", "13", "1", "2"])
            oids = [self.tools.ask(self.repo, "hash-object", "-w", "--stdin", data=f"side {stage}\n".encode())
                    for stage in stages]
            lines = [f"0 {'0' * 40}\t{path}\0", *(f"100644 {oid} {stage}\t{path}\0" for oid, stage in zip(oids, stages))]
            self.tools.ask(self.repo, "update-index", "-z", "--index-info", data="".join(lines).encode())

    def clashes(self, path: str) -> bool:
        return any(there.startswith(path + "/") or path.startswith(there + "/") for there in self.trees.paths())

    def untracked(self) -> str | None:
        path = self.dice.choice([self.some_path(), self.some_path() + "/more", "untracked", "some/untracked.o"])
        if self.dice.random() < 0.2:
            path = os.path.dirname(path) or path
        if path in self.trees.main or (self.repo / path).exists() or self.in_lost_module(path):
            return None
        return path if self.write(path) else None

    def ignore(self, paths: list) -> None:
        patterns = ["*.o"]
        for path in paths:
            folder = os.path.dirname(path)
            patterns.append(f"/{path}" if not folder or self.dice.random() < 0.6 else f"/{folder}/")
        exclude = self.repo / ".git" / "info" / "exclude"
        exclude.parent.mkdir(exist_ok=True)
        exclude.write_text("".join(f"{pattern}\n" for pattern in patterns))


def age(repo: pathlib.Path) -> None:
    for folder, _, names in os.walk(repo):
        if ".git" in pathlib.Path(folder).relative_to(repo).parts:
            continue
        for name in names:
            os.utime(os.path.join(folder, name), (LONG_AGO, LONG_AGO), follow_symlinks=False)


def make_world(tools, folder: pathlib.Path, dice: random.Random, state: str, attributes_change=True) -> tuple:
    """A repository on `main` beside a branch `other`; returns its path and the trees."""
    trees, history = RandomTrees(dice, attributes_change), History()
    history.commit("main", "main", trees.main)
    history.commit("other", "other", {**{path: None for path in trees.main if path not in trees.other}, **trees.other},
                   start="main")
    repo = history.write(tools, folder / "template").path
    tools.ask(repo, "reset", "-q", "--hard", "main")
    Work(tools, repo, trees, dice).do(state)
    return repo, trees


def lines_of(value) -> list:
    if isinstance(value, dict):
        return [f"{key!r}: {what!r}" for key, what in sorted(value.items())]
    return [repr(one) for one in value] if isinstance(value, list) else str(value).splitlines()


def with_first_below(lines: list, files: dict) -> list:
    """Of the paths that are listed below a directory that becomes a file, git names the first alone, we name all. What
    stands above several wanted paths it names once for each of them."""
    kept, last = [], None
    for line in lines:
        if line.startswith("\t") and kept[-1:] == [line]:
            continue
        file = next((path for path in files if line.startswith(f"\t{path}/")), None)
        if file is None or file != last:
            kept.append(line if file is None else f"\t{file}/…")
        last = file
    return kept


class SwitchTwins:
    """Two copies of a worktree; `run` brings git into the one and pfetch into the other, which must end alike."""

    def __init__(self, tools, folder: pathlib.Path, template: pathlib.Path, trees: RandomTrees):
        self.tools, self.theirs, self.ours = tools, folder / "git" / "x", folder / "our" / "x"
        self.trees = trees
        for repo in (self.theirs, self.ours):
            repo.parent.mkdir(parents=True)
            tools.run("cp", "-a", template, repo).ok()
            age(repo)
            tools.git("-C", repo, "update-index", "-q", "--refresh")
        self.git_result = self.result = None

    def run(self, *args, before=(), **how) -> "SwitchTwins":
        """before: options in front of the command, for pfetch alone."""
        self.git_result, self.result = side_by_side(
            lambda: self.tools.git(*args, cwd=self.theirs, **how),
            lambda: self.tools.pfetch(*before, *args, cwd=self.ours, **how))
        return self

    def same(self) -> "SwitchTwins":
        expected, actual = side_by_side(lambda: self.describe(self.theirs, self.git_result),
                                        lambda: self.describe(self.ours, self.result))
        found = "\n".join(difference(part, lines_of(expected[part]), lines_of(actual[part]))
                          for part in expected if expected[part] != actual[part])
        assert not found, f"{found}\n\n{self.git_result}\n{self.result}"
        return self

    def status(self, repo: pathlib.Path) -> list:
        """Its words if it fails: it does for a gitlink where a symbolic link is."""
        result = self.tools.git("-C", repo, "status", "-z", "--porcelain", "--ignored", "--untracked-files=all")
        return result.out.split("\0") if result.code == 0 else [anonymous(result.err, repo)]

    def describe(self, repo: pathlib.Path, result) -> dict:
        git_dir = repo / ".git"
        files = worktree(repo)
        return {
            "exit code": result.code,
            "out": anonymous(result.out, repo),
            "said": with_first_below(anonymous(result.err, repo).splitlines(), self.trees.other),
            "files": files,
            "index": self.tools.ask(repo, "ls-files", "-z", "-s", "-v").split("\0"),
            "status": self.status(repo),
            "HEAD": (git_dir / "HEAD").read_text(),
            "refs": self.tools.ask(repo, "for-each-ref").splitlines(),
            "ORIG_HEAD": (git_dir / "ORIG_HEAD").exists() and (git_dir / "ORIG_HEAD").read_text(),
            "config": (git_dir / "config").read_text(),
            "reflogs": reflogs(git_dir, repo),
            "left over": leftovers(git_dir),
        }
