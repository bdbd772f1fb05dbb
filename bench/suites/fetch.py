"""`fetch` in a repository that lives: nothing new, one commit, a boundary that moves, and very many refs."""

from harness.data import PYTHON, SERVERS
from harness.history import Histories
from harness.measure import BenchError
from harness.runner import PEAK, Test, Variant

MEGABYTE = 1 << 20
SHORT_REPEATS = 4  # times --runs, where a run takes less than a second
LONG_ROUNDS = 3  # at most, where git takes more than half a minute
LEVELS = 100
MANY_REFS = 100_000
# Settings of git that its documentation recommends for speed and that change nothing of what is fetched.
TUNED = {"noop": ("maintenance.auto=false",),
         "some": ("maintenance.auto=false", "fetch.showForcedUpdates=false", "fetch.negotiationAlgorithm=skipping")}


class Fetch:
    """A test of one fetch in a copy of `client`, and what its result must be."""

    def __init__(self, bench, client, server, words, recording=None):
        self.bench, self.client, self.server, self.words = bench, client, server, words
        self.recording = recording
        self.first_result = None  # of whichever variant comes first; the others must have the same
        bench.data.warm(client, server, *([recording] if recording else []))

    def test(self, name, tuned=None, **options):
        bench = self.bench
        variants = [self._variant("git", bench.git)]
        if tuned:
            settings = [word for setting in TUNED[tuned] for word in ("-c", setting)]
            variants.append(self._variant("git tuned", bench.git, *settings))
        variants.append(self._variant("pfetch", bench.pfetch))
        return Test(name, variants, space=2048 * MEGABYTE, **options)

    def _variant(self, column, *program):
        def command(directory):
            server = []
            if self.recording:
                server = ["--upload-pack", self.bench.script(directory, "upload-pack", *PYTHON, SERVERS / "replay.py",
                                                             self.recording)]
            return [*program, "-C", directory / "client", "fetch", "-q", *server, *self.words]

        return Variant(column, command, prepare=self._prepare, check=self._check)

    def _prepare(self, directory):
        self.bench.ask("cp", "-a", self.client, directory / "client")
        self.bench.ask(self.bench.git, "-C", directory / "client", "config", "remote.origin.url",
                       f"file://{self.server}")

    def _check(self, directory):
        """Refs and boundary are as after the first variant, that is git; what the refs need is there."""
        client = directory / "client"
        git_dir = client / ".git" if (client / ".git").exists() else client
        shallow = git_dir / "shallow"
        result = {"refs": self.bench.ask(self.bench.git, "-C", client, "for-each-ref", "refs/remotes", "refs/tags"),
                  "boundary": sorted(shallow.read_text(encoding="ascii").split()) if shallow.exists() else [],
                  "FETCH_HEAD": (git_dir / "FETCH_HEAD").read_text(encoding="utf-8")}
        self.bench.ask(self.bench.git, "-C", client, "rev-list", "--objects", "--all", "--quiet")
        self.first_result = self.first_result or result
        for part, value in result.items():
            if value != self.first_result[part]:
                raise BenchError(f"after fetch {' '.join(self.words)}: {part} not as after git's")


def empty_client(data, source):
    """A bare repository with a remote and nothing in it."""

    def make(path):
        data.run(data.git, "init", "-q", "--bare", path, cwd=data.directory)
        data.run(data.git, "remote", "add", "origin", f"file://{source}", cwd=path)

    return data.once(f"{source.stem}.empty", make)


def shallow_client(data, source):
    """The same after `fetch --depth 1` of all branches; its refs are packed."""
    empty = empty_client(data, source)

    def make(path):
        data.run("cp", "-a", empty, path, cwd=data.directory)
        data.run(data.git, "fetch", "-q", "--depth", "1", cwd=path)
        data.run(data.git, "pack-refs", "--all", cwd=path)

    return data.once(f"{source.stem}.depth1", make)


def recorded(bench, client, *words):
    """What the server says to git for this fetch."""
    data = bench.data

    def talk(upload_pack, scratch):
        data.run("cp", "-a", client, scratch / "client", cwd=scratch)
        data.run(data.git, "-C", scratch / "client", "fetch", "-q", "--upload-pack", upload_pack, *words, cwd=scratch)

    return data.recorded(f"{client.name}.{'-'.join(words)}.recording", talk)


def small_changes(bench, histories):
    tips = histories.tips()
    full = histories.clone(tips)
    many = histories.refs(MANY_REFS)
    yield Fetch(bench, full, tips, []).test(
        f"nothing new, {len(histories.graph.tips):,} refs", tuned="noop", repeats=SHORT_REPEATS)
    yield Fetch(bench, histories.clone(many), many, []).test(
        f"nothing new, {MANY_REFS:,} refs", tuned="noop")
    yield Fetch(bench, full, histories.ahead(), []).test("one new commit", tuned="some", repeats=SHORT_REPEATS)


def boundaries(bench, histories):
    tips = histories.tips()
    one = histories.clone(tips, "--depth", "1", "--no-single-branch")
    yield Fetch(bench, one, tips, ["--deepen", str(LEVELS)]).test(
        f"--deepen {LEVELS} from depth 1", rounds_max=LONG_ROUNDS)
    hundred = histories.clone(tips, "--depth", str(LEVELS))
    yield Fetch(bench, hundred, tips, ["--unshallow"]).test(f"--unshallow from depth {LEVELS}")
    recording = recorded(bench, hundred, "--unshallow")
    yield Fetch(bench, hundred, tips, ["--unshallow"], recording).test(
        f"client time of --unshallow (server replayed), from depth {LEVELS}", figures=[PEAK])


def many_refs(bench, histories):
    """Each commit of the history is a branch."""
    count = len(histories.graph.commits)
    source = histories.refs(count)
    empty = empty_client(bench.data, source)
    recording = recorded(bench, empty, "--depth", "1")
    yield Fetch(bench, empty, source, ["--depth", "1"], recording).test(
        f"client time of a first --depth 1 (server replayed), {count:,} refs", figures=[PEAK], rounds_max=LONG_ROUNDS)
    shallow = shallow_client(bench.data, source)
    yield Fetch(bench, shallow, source, ["--depth", "1"]).test(
        f"--depth 1 with nothing new, {count:,} refs", figures=[PEAK], rounds_max=LONG_ROUNDS)
    yield Fetch(bench, shallow, source, []).test(f"nothing new, {count:,} refs, all of them roots", tuned="noop")


def tests(bench):
    histories = Histories(bench.data)
    yield from small_changes(bench, histories)
    yield from boundaries(bench, histories)
    yield from many_refs(bench, histories)
