"""A tiny history builder: commits, merges, tags and odd entries, written by one `git fast-import`."""
import pathlib


def quoted(path) -> bytes:
    raw = path if isinstance(path, bytes) else path.encode()
    return b'"' + b"".join(b"\\%03o" % byte
                           if byte < 32 or byte > 126 or byte in b'"\\' else bytes([byte]) for byte in raw) + b'"'


class History:
    """`write` makes the repository. Files: path -> bytes, (mode, bytes or id), or None to remove."""

    def __init__(self):
        self._stream = bytearray()
        self._marks = {}
        self._tags = []
        self._tips = {}

    def commit(self, branch: str, name: str, files: dict | None = None, merge=(), start=None, date=1600000000) -> str:
        """One commit named `name` on top of `branch` (or of `start`); merge lists names of further parents."""
        mark = len(self._marks) + 1
        parent = start or self._tips.get(branch)
        message = f"{name}\n".encode()
        who = f"A U Thor <author@example.com> {date} +0000"
        add = self._stream.extend
        if not parent:
            add(f"reset refs/heads/{branch}\n".encode())
        add(f"commit refs/heads/{branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\n".encode())
        add(b"data %d\n%s" % (len(message), message))
        if parent:
            add(f"from :{self._marks[parent]}\n".encode())
        for other in merge:
            add(f"merge :{self._marks[other]}\n".encode())
        for path, value in (files if files is not None else {f"{name}.txt": f"{name}\n".encode()}).items():
            if value is None:
                add(b"D " + quoted(path) + b"\n")
                continue
            mode, content = value if isinstance(value, tuple) else ("100644", value)
            if mode == "160000":
                add(f"M 160000 {content} ".encode() + quoted(path) + b"\n")
            else:
                content = content if isinstance(content, bytes) else content.encode()
                add(f"M {mode} inline ".encode() + quoted(path) + b"\ndata %d\n%s\n" % (len(content), content))
        self._marks[name] = mark
        self._tips[branch] = name
        return name

    def linear(self, count: int, branch="main") -> "History":
        for number in range(1, count + 1):
            self.commit(branch, f"c{number}",
                        {"file.txt": b"line %d\n" % number, f"dir/{number}.txt": b"%d\n" % number},
                        date=1600000000 + number * 1000)
        return self

    def tag(self, name: str, target: str, annotated=False) -> None:
        """Tags a commit (by its name) or whatever expression git understands."""
        self._tags.append((name, target, annotated))

    def write(self, tools, path, bare=False) -> "Repo":
        path = pathlib.Path(path)
        tools.git("init", "-q", "-b", "main", *(["--bare"] if bare else []), path).ok()
        git_dir = path if bare else path / ".git"
        marks = git_dir / "marks"
        tools.git("-C", path, "fast-import", "--quiet", f"--export-marks={marks}", data=bytes(self._stream)).ok()
        by_mark = dict(line.split() for line in marks.read_text().splitlines())
        marks.unlink()
        repo = Repo(tools, path, {name: by_mark[f":{mark}"] for name, mark in self._marks.items()})
        for name, target, annotated in self._tags:
            repo.git("tag", *(["-a", "-m", name] if annotated else []), name, repo.ids.get(target, target))
        return repo


class Repo:
    """A repository on disk, with the ids of its commits by name."""

    def __init__(self, tools, path: pathlib.Path, ids: dict):
        self.tools, self.path, self.ids = tools, pathlib.Path(path), ids

    @property
    def url(self) -> str:
        return f"file://{self.path}"

    def git(self, *argv, **how) -> str:
        return self.tools.ask(self.path, *argv, **how)

    def config(self, **values) -> "Repo":
        for key, value in values.items():
            self.git("config", key.replace("__", "."), value)
        return self

    def object(self, kind: str, content: bytes) -> str:
        """Writes an object as it is, however wrong."""
        return self.git("hash-object", "-t", kind, "-w", "--literally", "--stdin", data=content)

    def tree(self, *entries) -> str:
        """A tree of (mode, name, id) in the order given, unchecked."""
        raw = b"".join(mode.encode() + b" " + (name
                                               if isinstance(name,
                                                             bytes) else name.encode()) + b"\0" + bytes.fromhex(oid)
                       for mode, name, oid in entries)
        return self.object("tree", raw)

    def commit_tree(self, tree: str, ref="refs/heads/main", parents=()) -> str:
        oid = self.git("commit-tree", "-m", "made by hand", *sum((["-p", parent] for parent in parents), []), tree)
        self.git("update-ref", ref, oid)
        return oid
