"""Two copies of one worktree: git switches the one, pfetch the other, and both must end alike, files and all."""
import os
import pathlib

from compare import git_dir_of
from tools import side_by_side
from twins import Twins, content_of

# What a command in progress leaves in the git directory, or takes away from there.
OPERATIONS = ("ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "CHERRY_PICK_HEAD", "REVERT_HEAD",
              "SQUASH_MSG", "AUTO_MERGE", "sequencer/todo", "index.lock", "HEAD.lock")

# Git says so only when the worktree is changed already; pfetch changes nothing.
FOUND_OUT_LATE = ("cannot set up tracking information; starting point", "ambiguous object name:", "cannot lock ref")


def files_below(top) -> dict:
    """Every file of a worktree, without its git directory: what it is and holds."""
    found = {}
    for folder, folders, names in os.walk(top):
        for name in list(folders):
            path = pathlib.Path(folder, name)
            if name == ".git":
                folders.remove(name)
            elif path.is_symlink():
                folders.remove(name)
                names.append(name)
            elif not any(path.iterdir()):
                found[str(path.relative_to(top))] = "an empty folder"
        for name in names:
            path = pathlib.Path(folder, name)
            if name == ".git":
                continue
            what = f"-> {os.readlink(path)}" if path.is_symlink() else path.read_bytes().decode("utf-8", "replace")
            found[str(path.relative_to(top))] = f"{oct(path.lstat().st_mode)} {what}"
    return found


class SwitchTwins(Twins):
    """`do("checkout", …)` runs the same command of git and pfetch and compares everything."""

    parts = ("refs", "HEAD", "config", "reflogs", "said", "out", "index", "status", "files", "operations")

    def __init__(self, tools, folder, template):
        super().__init__(tools, folder, template)
        self.each("update-index", "-q", "--refresh")

    def do(self, command, *args, code=0, differs=(), below="", before=(), **how) -> "SwitchTwins":
        """code: the exit code that both must have; None: git's, whatever."""
        self.git_result, self.result = side_by_side(
            lambda: self.tools.git(*before, command, *args, cwd=self.theirs / below, **how),
            lambda: self.tools.pfetch(*before, command, *args, cwd=self.ours / below, **how))
        assert self.result.code == self.git_result.code, f"{self.git_result}\n{self.result}"
        assert code is None or self.git_result.code == code, self.git_result
        last = self.git_result.err.rstrip("\n").rsplit("\n", 1)[-1]
        if any(f"fatal: {words}" in last for words in FOUND_OUT_LATE):
            assert self.result.err.endswith(last + "\n"), f"{self.git_result}\n{self.result}"
            self.realign()
            return self.each("update-index", "-q", "--refresh")
        self.same(differs)
        return self

    def checkout(self, *args, **how) -> "SwitchTwins":
        return self.do("checkout", *args, **how)

    def reset(self, *args, **how) -> "SwitchTwins":
        return self.do("reset", *args, **how)

    def state(self, repo) -> dict:
        git_dir = git_dir_of(self.tools, repo)
        return {"index": self.tools.ask(repo, "ls-files", "-s", "-v").splitlines(),
                "status": self.tools.ask(repo, "status", "--porcelain=v1", "--ignored").splitlines(),
                "files": files_below(repo),
                "operations": {name: (content_of(git_dir / name) or b"").decode() for name in OPERATIONS}}

    def put(self, path, text) -> "SwitchTwins":
        """A file in both worktrees; None removes it."""
        for repo in (self.theirs, self.ours):
            file = pathlib.Path(repo) / path
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return self

    def commit(self, message, *options) -> "SwitchTwins":
        return self.each("add", "-A").each("commit", "-q", "--allow-empty", "-m", message, *options)
