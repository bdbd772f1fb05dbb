"""A long history as a repository: the graph of a real project, or one of like shape, rebuilt with a file of 3.5 kB that
each commit changes whole. So a pack of all of it has 270 MB, which is what such a history is sent as.

PFETCH_BENCH_HISTORY names a gzipped file with a graph: a line "commits N", N lines "SECONDS PARENT…" (a parent is the
number of an earlier line, from 0), a line "tips M", M lines with the number of a commit. Lines with "#" say nothing.
"""

import base64
import dataclasses
import gzip
import hashlib
import os
import pathlib
import random
import shutil

from .measure import BenchError

IDS = "commit-ids"  # a file in each repository: the id of every commit, in the order of the graph
CONTENT_BYTES = 2800  # of chance in each commit's file; written with 85 signs they are 3,500 and compress to as many
MAIN = "refs/heads/main"
PACKED_REFS_HEADER = "# pack-refs with: peeled fully-peeled sorted \n"


@dataclasses.dataclass
class Graph:
    commits: list  # of (seconds since the epoch, [number of a parent])
    tips: list  # numbers of commits; main is the last commit


def read_graph(path):
    with gzip.open(path, "rt", encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    count = int(lines[0][1])
    rows = [list(map(int, line)) for line in lines[1:1 + count]]
    return Graph([(row[0], row[1:]) for row in rows], [int(line[0]) for line in lines[2 + count:]])


def generate_graph(count=85_365, tips=1_009, seed=3):
    """Topics of about three commits, each merged: a quarter of all commits. Some fork off far back in the past."""
    chance = random.Random(seed)
    parents, main, topics = [[]], [0], []
    while len(parents) < count - 1:
        number = len(parents)
        if topics and chance.random() < 0.25:
            parents.append([main[-1], topics.pop(chance.randrange(len(topics)))])
            main.append(number)
        elif topics and chance.random() < 0.66:
            at = chance.randrange(len(topics))
            parents.append([topics[at]])
            topics[at] = number
        else:
            back = min(int(chance.expovariate(1 / 30)), len(main) - 1)
            parents.append([main[-1 - back]])
            topics.append(number)
    parents.append([main[-1]])
    times = [1_100_000_000 + 7_000 * number for number in range(count)]
    return Graph(list(zip(times, parents)), sorted(chance.sample(range(count - 1), tips - 1)) + [count - 1])


def import_stream(graph):
    """What `git fast-import` makes the commits from; each has its number as its mark, from 1."""
    for number, (seconds, parents) in enumerate(graph.commits):
        text = f"{number}\n"
        content = base64.b85encode(random.Random(number).randbytes(CONTENT_BYTES)).decode("ascii")
        if not parents:
            yield "reset refs/import\n"
        yield (f"commit refs/import\nmark :{number + 1}\ncommitter bench <bench@example.com> {seconds} +0000\n"
               f"data {len(text)}\n{text}")
        for word, parent in zip(["from"] + ["merge"] * len(parents), parents):
            yield f"{word} :{parent + 1}\n"
        yield f"M 100644 inline file\ndata {len(content)}\n{content}\n"


class Histories:
    """Bare repositories of one history in the data directory, and clones of them. All are made once."""

    def __init__(self, data):
        self.data = data
        source = os.environ.get("PFETCH_BENCH_HISTORY")
        name = hashlib.sha1(pathlib.Path(source).read_bytes()).hexdigest()[:8] if source else "generated"
        self.name = f"history-{name}-{CONTENT_BYTES}"
        self.graph = read_graph(source) if source else generate_graph()

    def tips(self):
        """The tips as branches t/NNNNN, and main."""
        return self.data.once(f"{self.name}-tips.git", self._import)

    def refs(self, count):
        """`count` branches c/NNNNNN, so that each commit is one before any is a second one; main is the last."""
        base = self.tips()
        ids = self.commit_ids(base)

        def make(path):
            shutil.copytree(base, path, copy_function=os.link)
            self._pack_refs(path, {f"refs/heads/c/{at:06}": ids[at % len(ids)] for at in range(count - 1)}, ids[-1])

        return self.data.once(f"{self.name}-{count}-refs.git", make)

    def ahead(self):
        """As `tips`, with one commit more on main."""

        def make(path):
            shutil.copytree(self.tips(), path)
            self.data.run(self.data.git, "fast-import", "--quiet", cwd=path, feed=(
                f"commit {MAIN}\ncommitter bench <bench@example.com> 1800000000 +0000\ndata 4\nnew\nfrom {MAIN}^0\n"
                "M 100644 inline file\ndata 4\nnew\n\n").encode())

        return self.data.once(f"{self.name}-ahead.git", make)

    def clone(self, source, *words):
        """A clone that git made with these options."""
        name = "".join(word.replace("--", "-") if word.startswith("--") else word for word in words)
        return self.data.once(f"{source.stem}.clone{name}", lambda path: self.data.run(
            self.data.git, "clone", "-q", *words, f"file://{source}", path, cwd=self.data.directory))

    def commit_ids(self, repository):
        return (repository / IDS).read_text(encoding="ascii").split()

    def _import(self, path):
        run, git = self.data.run, self.data.git
        run(git, "init", "-q", "--bare", "-b", "main", path, cwd=self.data.directory)
        run(git, "fast-import", "--quiet", "--export-marks=marks", cwd=path,
            feed="".join(import_stream(self.graph)).encode())
        marks = (line.split() for line in (path / "marks").read_text(encoding="ascii").splitlines())
        ids = [commit for _, commit in sorted((int(mark[1:]), commit) for mark, commit in marks)]
        if len(ids) != len(self.graph.commits):
            raise BenchError(f"git fast-import made {len(ids)} of {len(self.graph.commits)} commits")
        (path / "marks").unlink()
        (path / IDS).write_text("\n".join(ids) + "\n", encoding="ascii")
        (path / "refs/import").unlink()
        self._pack_refs(path, {f"refs/heads/t/{tip:06}": ids[tip] for tip in self.graph.tips[:-1]}, ids[-1])
        run(git, "repack", "-q", "-a", "-d", "-f", cwd=path)

    @staticmethod
    def _pack_refs(repository, refs, main):
        lines = [f"{commit} {name}\n" for name, commit in sorted({**refs, MAIN: main}.items())]
        new = repository / "packed-refs.new"  # the old file may be shared with another repository
        new.write_text(PACKED_REFS_HEADER + "".join(lines), encoding="ascii")
        new.rename(repository / "packed-refs")
