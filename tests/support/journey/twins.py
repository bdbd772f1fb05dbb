"""Two copies of one clone: git fetches into the one, pfetch into the other, and both must end alike."""
import difflib
import pathlib
import re
import shutil

from compare import anonymous, existing_boundary, git_dir_of, reflogs, six_checks
from tools import side_by_side

# Lines that only pfetch says; git's own must be there word for word (docs/deviations.md, "Fetch").
OUR_WORDS = re.compile(r"^(note: |warning: this repository was complete; )")

GIT_SAYS_NOTHING = "error: "  # beside an --atomic fetch that is refused


def said(text: str, repo) -> list:
    """What was said on stderr, line by line, without the folder of this twin."""
    lines = anonymous(text, pathlib.Path(repo)).splitlines()
    # Newer versions of git, as ours, align what is deleted with the other lines; 2.39 does not.
    lines = [re.sub(r" +->", " ->", line) if line.startswith(" - [deleted]") else line for line in lines]
    return [line for line in lines if not OUR_WORDS.match(line) and line != GIT_SAYS_NOTHING]


def content_of(path):
    return path.read_bytes() if path.exists() else None


def state_of(tools, repo) -> dict:
    """All that a fetch may change, but for how the objects are stored."""
    repo = pathlib.Path(repo)
    git_dir = git_dir_of(tools, repo)
    return {
        "refs": tools.ask(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)").splitlines(),
        "HEAD": content_of(git_dir / "HEAD"),
        "FETCH_HEAD": content_of(git_dir / "FETCH_HEAD"),
        "config": anonymous((git_dir / "config").read_text(), repo).splitlines(),
        "shallow": existing_boundary(tools, repo, git_dir),
        "history": sorted(tools.ask(repo, "rev-list", "--parents", "--all").splitlines()),
        "reflogs": reflogs(git_dir, repo),
    }


def objects_of(tools, repo) -> set:
    return set(tools.ask(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def difference(part: str, theirs, ours) -> str:
    """Line by line: `-` only git's, `+` only ours."""
    if isinstance(theirs, dict) and isinstance(ours, dict):  # what is the same would hide the rest
        theirs, ours = ({key: text for key, text in one.items() if other.get(key) != text}
                        for one, other in ((theirs, ours), (ours, theirs)))
    lists = [value if isinstance(value, list) else
             [f"{key}: {line}" for key, text in sorted(value.items()) for line in text.splitlines()]
             if isinstance(value, dict) else (value or b"").decode().splitlines() if isinstance(value, bytes)
             else str(value).splitlines() for value in (theirs, ours)]
    lines = [line for line in difflib.ndiff(*lists) if line[0] in "+-"]
    return "\n  ".join([f"'{part}' differs from git's:", *(lines or [f"git's {theirs!r}, ours {ours!r}"])])


class Twins:
    """`fetch` runs both commands and compares everything; `differs` names the parts ("shallow", "history", "said", …)
    in which pfetch means to differ, each of which the test then has to look at itself."""

    def __init__(self, tools, folder: pathlib.Path, template: pathlib.Path):
        self.tools, self.theirs, self.ours = tools, folder / "git" / "x", folder / "our" / "x"
        for repo in (self.theirs, self.ours):
            repo.parent.mkdir(parents=True)
            shutil.copytree(template, repo, symlinks=True)
        self.git_result = self.result = None

    @classmethod
    def cloned(cls, tools, folder: pathlib.Path, url, *options) -> "Twins":
        template = folder / "template"
        tools.git("clone", "-q", "--no-local", *options, url, template).ok()
        return cls(tools, folder, template)

    def each(self, *argv, **how) -> "Twins":
        """A git command in both."""
        for repo in (self.theirs, self.ours):
            self.tools.ask(repo, *argv, **how)
        return self

    def write(self, name: str, content) -> "Twins":
        """A file of both, below the git directory."""
        for repo in (self.theirs, self.ours):
            path = git_dir_of(self.tools, repo) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def hook(self, name: str, text: str) -> "Twins":
        self.write(f"hooks/{name}", text)
        for repo in (self.theirs, self.ours):
            (git_dir_of(self.tools, repo) / "hooks" / name).chmod(0o755)
        return self

    def read(self, name: str) -> list:
        """What such a file holds, [git's, ours], the folders apart."""
        contents = [content_of(git_dir_of(self.tools, repo) / name) for repo in (self.theirs, self.ours)]
        return [content and anonymous(content.decode(), repo)
                for content, repo in zip(contents, (self.theirs, self.ours))]

    def run(self, *args, before=(), below="", **how) -> "Twins":
        """Fetches with both, at the same time, in the folder `below` the top. Compares nothing."""
        self.git_result, self.result = side_by_side(
            lambda: self.tools.git(*before, "fetch", *args, cwd=self.theirs / below, **how),
            lambda: self.tools.pfetch(*before, "fetch", *args, cwd=self.ours / below, **how))
        return self

    def fetch(self, *args, code: int | None = 0, differs=(), again=False, **how) -> "Twins":
        """Runs, compares, and makes the six checks. code: the exit code that both must have; None: git's, whatever.

        again: git fetches twice before boundaries are compared. With a depth it asks only for the refs that moved, if
        some did, and for all when none did; pfetch asks for all or none."""
        had = objects_of(self.tools, self.ours)
        self.run(*args, **how)
        assert self.result.code == self.git_result.code, f"{self.git_result}\n{self.result}"
        assert code is None or self.git_result.code == code, self.git_result
        self.same([*differs, "shallow", "history"] if again else differs)
        if again:
            self.tools.git(*how.get("before", ()), "fetch", *args, cwd=self.theirs).ok()
            self.same([part for part in self.parts if part not in ("shallow", "history")])
        six_checks(self.tools, self.ours)
        lost = had - objects_of(self.tools, self.ours)
        assert not lost, f"objects are gone: {lost}"
        return self

    parts = ("refs", "HEAD", "FETCH_HEAD", "config", "shallow", "history", "reflogs", "said", "out")

    def same(self, differs=()) -> None:
        """Compares all parts but these."""
        expected, actual = side_by_side(*(lambda repo=repo: {**state_of(self.tools, repo), **self.state(repo)}
                                          for repo in (self.theirs, self.ours)))
        for result, repo, state in ((self.git_result, self.theirs, expected), (self.result, self.ours, actual)):
            state["said"], state["out"] = said(result.err, repo), anonymous(result.out, repo)
        found = "\n".join(difference(part, expected[part], actual[part]) for part in self.parts
                          if part not in differs and expected[part] != actual[part])
        assert not found, f"{found}\n\n{self.git_result}\n{self.result}"

    def state(self, repo) -> dict:
        """What else there is to compare."""
        return {}

    def realign(self) -> None:
        """Makes git's twin what ours is, where they have parted for a reason."""
        shutil.rmtree(self.theirs)
        shutil.copytree(self.ours, self.theirs, symlinks=True)

    def roots(self) -> list:
        """The lines of our .git/shallow, sorted; [] without such a file."""
        return sorted((content_of(git_dir_of(self.tools, self.ours) / "shallow") or b"").decode().split())

    def count(self, ref="HEAD") -> int:
        """How many commits `ref` reaches on our side."""
        return int(self.tools.ask(self.ours, "rev-list", "--count", ref))
