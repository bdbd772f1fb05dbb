"""The repositories that are measured: prepared once, kept in the data directory. Each appears whole or not at all."""

import base64
import os
import pathlib
import random
import shutil
import subprocess
import sys

from .measure import BenchError

LINUX_SOURCE = "/usr/src/linux-source-6.1.tar.xz"  # Debian's package linux-source-6.1
DATE = "1700000000 +0000"
SERVERS = pathlib.Path(__file__).resolve().parent.parent / "servers"
PYTHON = [sys.executable, "-I", "-S"]


def mixed_tree(count, bytes_mean=4000, seed=1):
    """`count` files of words, as sources are: [(path, contents)], the same every time."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz_", k=chance.randint(2, 11))) for _ in range(3000)]
    files = []
    for number in range(count):
        length = max(1, int(chance.expovariate(1 / bytes_mean)) // 7)
        text = " ".join(chance.choices(words, k=length))
        lines = [text[at:at + 72] for at in range(0, len(text), 72)]
        files.append((f"part{number // 400}/room{number // 20}/file{number}.txt", ("\n".join(lines) + "\n").encode()))
    return files


def dense_files(pack_megabytes, seed=2):
    """Files of base64 text, hardly compressible, that make a pack of about this size: [(path, contents)]."""
    chance = random.Random(seed)
    size = min(100_000, pack_megabytes * 100_000)
    return [(f"part{number // 100}/file{number}.txt", base64.encodebytes(chance.randbytes(size)))
            for number in range(pack_megabytes * 1_000_000 // size)]


class Data:
    def __init__(self, directory, git, env):
        self.directory, self.git = pathlib.Path(directory), git
        self.env = {**env, "GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE}
        self.directory.mkdir(parents=True, exist_ok=True)

    def run(self, *command, cwd, feed=None):
        done = subprocess.run([str(word) for word in command], cwd=cwd, env=self.env, capture_output=True,
                              input=b"" if feed is None else feed)
        if done.returncode != 0:
            raise BenchError(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace')[-2000:]}")
        return done.stdout

    def once(self, name, make):
        """The path of `name` in the data directory; `make(path)` fills it when it is not there yet."""
        path = self.directory / name
        if not path.exists():
            print(f"bench: preparing {path}", file=sys.stderr, flush=True)
            unfinished = self.directory / f"{name}.unfinished-{os.getpid()}"
            try:
                make(unfinished)
                unfinished.rename(path)
            finally:
                if unfinished.is_dir():
                    shutil.rmtree(unfinished)
                else:
                    unfinished.unlink(missing_ok=True)
        return path

    def repository(self, name):
        """The bare repository `linux` or `small`: one commit, one pack."""
        if name == "linux":
            return self.once("linux.git", self._make_linux)
        return self.generated("small", lambda: mixed_tree(3000))

    def _make_linux(self, path):
        if not os.path.exists(LINUX_SOURCE):
            raise BenchError(f"{LINUX_SOURCE} is missing; run `scripts/deps bench`, or choose --tree small")
        tree = path.with_name(path.name + ".tree")
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        try:
            self.run("tar", "-xJf", LINUX_SOURCE, "--strip-components=1", cwd=tree)
            self.run(self.git, "init", "-q", "-b", "main", cwd=tree)
            self.run(self.git, "config", "gc.auto", "0", cwd=tree)
            self.run(self.git, "add", "-Af", ".", cwd=tree)
            self.run(self.git, "commit", "-q", "-m", "The Linux tree", cwd=tree)
            self.run(self.git, "repack", "-q", "-ad", cwd=tree)
            self.run(self.git, "config", "core.bare", "true", cwd=tree)
            (tree / ".git").rename(path)
        finally:
            shutil.rmtree(tree, ignore_errors=True)

    def generated(self, name, files):
        """A bare repository whose one commit holds the files that `files()` gives: [(path, contents)]."""

        def make(path):
            self.run(self.git, "init", "-q", "--bare", "-b", "main", path, cwd=self.directory)
            stream = [f"commit refs/heads/main\ncommitter bench <bench@example.com> {DATE}\ndata 5\nfiles\n".encode()]
            for file, contents in files():
                stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (file.encode(), len(contents), contents))
            self.run(self.git, "fast-import", "--quiet", cwd=path, feed=b"".join(stream))
            self.run(self.git, "-c", "repack.writeBitmaps=false", "repack", "-q", "-a", "-d", "-f", cwd=path)

        return self.once(f"{name}.git", make)

    def tar(self, name):
        """The tree of a repository as an uncompressed tar."""
        repository = self.repository(name)
        return self.once(f"{name}.tar", lambda path: self.run(
            self.git, "archive", "--format=tar", "-o", path, "HEAD", cwd=repository))

    def recording(self, name):
        """What a server says to `clone --depth 1` of a repository, for servers/replay.py."""
        repository = self.repository(name)
        return self.recorded(f"{name}.recording", lambda upload_pack, scratch: self.run(
            self.git, "clone", "-q", "--bare", "--depth", "1", "--upload-pack", upload_pack, f"file://{repository}",
            scratch / "clone", cwd=scratch))

    def recorded(self, name, talk):
        """What a server says while `talk(upload_pack, scratch)` runs a client of that upload-pack, for replay.py."""

        def make(path):
            scratch = path / "scratch"
            scratch.mkdir(parents=True)
            wrapper = scratch / "upload-pack"
            words = " ".join(f"'{word}'" for word in [*PYTHON, SERVERS / "record.py", path, "git-upload-pack"])
            wrapper.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
            wrapper.chmod(0o755)
            talk(wrapper, scratch)
            shutil.rmtree(scratch)

        return self.once(name, make)

    def pack(self, name):
        packs = list((self.repository(name) / "objects" / "pack").glob("*.pack"))
        if len(packs) != 1:
            raise BenchError(f"{self.repository(name)} has {len(packs)} packs, not one; delete it, it is made again")
        return packs[0]

    @staticmethod
    def warm(*paths):
        """Reads files, so that no run pays for the disk."""
        for path in paths:
            for file in [path] if path.is_file() else (p for p in path.rglob("*") if p.is_file()):
                with open(file, "rb") as stream:
                    while stream.read(1 << 20):
                        pass
