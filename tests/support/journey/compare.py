"""What must hold for a repository after any command, and what must be equal between git's clone and ours."""
import os
import pathlib
import re
import stat

from tools import side_by_side

LEFTOVER = re.compile(r"(\.lock$)|(^tmp_)|(^shallow_)|(^\.tmp)|(^incoming-)|(\.keep$)|(^tmp-)")


def git_dir_of(tools, repo) -> pathlib.Path:
    for usual in (pathlib.Path(repo) / ".git", pathlib.Path(repo)):
        if (usual / "HEAD").is_file():
            return usual.absolute()
    return pathlib.Path(tools.ask(repo, "rev-parse", "--absolute-git-dir"))


def leftovers(git_dir) -> list:
    return [os.path.join(folder, name) for folder, _,
            names in os.walk(git_dir) for name in names if LEFTOVER.search(name)]


def boundary(git_dir) -> list:
    """The lines of .git/shallow, sorted; None when there is no such file."""
    path = pathlib.Path(git_dir) / "shallow"
    return sorted(path.read_text().split()) if path.exists() else None


def existing_boundary(tools, repo, git_dir) -> list:
    """The boundary without commits that are not there: git writes those down where a server names them, we must not."""
    lines = boundary(git_dir)
    if not lines:
        return lines
    answers = tools.git("-C", repo, "cat-file", "--batch-check", data="\n".join([*lines, ""]).encode()).out.splitlines()
    return [line for line, answer in zip(lines, answers) if not answer.endswith("missing")] or None


def raw_parents(tools, repo) -> dict:
    """The parents as the commit objects name them, whatever the boundary says, of every commit that a ref reaches."""
    commits = tools.ask(repo, "rev-list", "--all", "HEAD") if tools.git("-C", repo, "rev-parse", "-q", "--verify",
        "HEAD").code == 0 \
        else tools.ask(repo, "rev-list", "--all")
    raw = tools.git("-C", repo, "cat-file", "--batch", data=(commits + "\n").encode()).raw if commits else b""
    parents, at = {}, 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        oid, _, size = raw[at:end].decode().split()
        header = raw[end + 1:end + 1 + int(size)].split(b"\n\n", 1)[0]
        parents[oid] = re.findall(r"^parent ([0-9a-f]{40})$", header.decode("latin-1"), re.M)
        at = end + 1 + int(size) + 1
    return parents


def six_checks(tools, repo, counts: dict | None = None, tidy=True) -> None:
    """The six checks that end every shallow case; counts: ref -> the number of commits it must have. tidy: nothing may
    lie about, as it may when somebody was killed."""
    git_dir = git_dir_of(tools, repo)
    tools.git("-C", repo, "fsck", "--connectivity-only").ok()
    present = set(tools.ask(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())
    roots = set(boundary(git_dir) or ())
    assert roots <= present, f"the boundary names missing commits: {roots - present}"
    parents = raw_parents(tools, repo)
    for commit, above in parents.items():
        if commit not in roots:
            assert set(above) <= present, f"{commit} is not a root, but its parents are missing"
    assert not tidy or leftovers(git_dir) == []
    for ref, count in (counts or {}).items():
        assert int(tools.ask(repo, "rev-list", "--count", ref)) == count, f"commits of {ref}"


def worktree(path) -> dict:
    """Every entry below path but .git: relative path -> (type and permission bits, content or link target)."""
    path, found = os.fsencode(path), {}
    for folder, folders, names in os.walk(path):
        if folder == path and b".git" in folders:
            folders.remove(b".git")
        for name in [*folders, *names]:
            full = os.path.join(folder, name)
            relative = os.path.relpath(full, path)
            if relative == b".git":
                continue
            info = os.lstat(full)
            if stat.S_ISLNK(info.st_mode):
                content = os.readlink(full)
            elif stat.S_ISREG(info.st_mode):
                with open(full, "rb") as file:
                    content = file.read()
            else:
                content = None
            found[relative] = (oct(info.st_mode), content)
    return found


def anonymous(text: str, own_path: pathlib.Path) -> str:
    """The text without the folder that differs between git's clone and ours."""
    return text.replace(str(own_path), "@").replace(str(own_path.parent), "@@")


def reflogs(git_dir, own_path) -> dict:
    logs = pathlib.Path(git_dir) / "logs"
    return {str(path.relative_to(logs)): anonymous(path.read_text(),
                                                   own_path) for path in logs.rglob("*") if path.is_file()}


def describe(tools, repo) -> dict:
    """Everything about a fresh clone that must be the same whoever made it. Run before anything refreshes the index."""
    repo = pathlib.Path(repo)
    git_dir = git_dir_of(tools, repo)
    head = (git_dir / "HEAD").read_text()
    config = (git_dir / "config").read_text()
    objects = tools.git("-C", repo, "rev-list", "--objects", "--no-object-names", "--all",
                        *([] if head.startswith("ref: ") else ["HEAD"]))
    state = {
        "refs": tools.ask(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)").splitlines(),
        "HEAD": head,
        "shallow": existing_boundary(tools, repo, git_dir),
        "config": anonymous(config, repo).splitlines(),
        "reflogs": reflogs(git_dir, repo),
        "objects": sorted(objects.out.split()) if objects.code == 0 else objects.err,
    }
    if "\tbare = true\n" not in config:
        state["index"] = tools.git("-C", repo, "ls-files", "-s", "-z").out.split("\0")
        state["worktree"] = worktree(repo)
    return state


def assert_same(expected: dict, actual: dict) -> None:
    """Compares two descriptions part by part, so that a failure says which part."""
    for part in expected:
        if actual[part] == expected[part]:
            continue  # what follows takes too long for large lists
        if part == "worktree":
            paths = sorted(path for path in expected[part].keys() | actual[part].keys()
                           if actual[part].get(path) != expected[part].get(path))
            assert not paths, "worktree entries differ: " + ", ".join(
                f"{path!r} is {str(actual[part].get(path))[:60]} for {str(expected[part].get(path))[:60]}"
                for path in paths[:20])
        if isinstance(expected[part], list) and isinstance(actual[part], list):
            lacks, extra = ([item for item in one[part] if item not in other[part]] for one,
                            other in ((expected, actual), (actual, expected)))
            assert not lacks and not extra, f"'{part}' lacks {lacks[:20]} and has {extra[:20]} beside git's"
        raise AssertionError(f"'{part}' differs from git's")


def describe_and_check(tools, repo, clean: bool) -> dict:
    """As describe, for ours: nothing has to be read again, nothing differs from HEAD, nothing was left lying about."""
    if clean and (repo / ".git").exists():
        assert tools.git("-C", repo, "diff-files").out == ""
    state = describe(tools, repo)
    if clean and "index" in state:
        assert tools.git("-C", repo, "status", "--porcelain").out == ""
    assert leftovers(git_dir_of(tools, repo)) == []
    return state


def compare_repositories(tools, theirs, ours, fsck="--strict", clean=True) -> dict:
    """git's clone and ours are the same, ours is sound, nothing was left lying about. Returns what ours is.

    clean: whether there is nothing to see for git status; where that depends on how much time passed between a file and
    the index, it is not asked."""
    expected, actual = side_by_side(lambda: describe(tools, theirs),
                                    lambda: describe_and_check(tools, pathlib.Path(ours), clean))
    assert_same(expected, actual)
    if fsck is not None:
        tools.git("-C", ours, "fsck", *([fsck] if fsck else [])).ok()
    return actual


def stat_data_are_true(tools, repo) -> int:
    """The index has the stat data of each file as they are. Returns how many lines it was told in, six for each."""
    lines = tools.ask(repo, "ls-files", "--debug").splitlines()
    for at in range(0, len(lines), 6):
        info = os.lstat(pathlib.Path(repo) / lines[at])
        text = " ".join(lines[at + 1:at + 6])
        for part in (f"ctime: {info.st_ctime_ns // 10**9}:{info.st_ctime_ns % 10**9}",
                     f"ino: {info.st_ino & 0xffffffff}",
                     f"mtime: {info.st_mtime_ns // 10**9}:{info.st_mtime_ns % 10**9}", f"uid: {info.st_uid}",
                     f"size: {info.st_size}"):
            assert part in text, f"{lines[at]}: {part} is not in {text}"
    return len(lines)
