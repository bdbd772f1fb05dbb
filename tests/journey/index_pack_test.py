"""`pfetch index-pack` beside git's: the same index byte for byte, the same answers, the same refusals."""
import struct
import subprocess

import pytest

from compare import leftovers
from damage_test import DAMAGE
from history import History
from pack_test import GOOD, deep_chain, shuffled
from packs import Pack, delta_of, object_id, sample
from tools import PFETCH, TIME_LIMIT_SECONDS


class Bench:
    """Two copies of a pack in two folders, one for git and one for us, and index-pack run on both."""

    def __init__(self, tools, folder):
        self.tools, self.folders = tools, (folder / "git", folder / "our")

    def fill(self, pack: bytes, repository=None) -> "Bench":
        for folder in self.folders:
            folder.mkdir()
            if repository is not None:
                self.tools.git("clone", "-q", "--bare", repository, folder / "repo").ok()
            (folder / "a.pack").write_bytes(pack)
        return self

    def run(self, *args, stdin=False, inside=None) -> tuple:
        results = []
        for folder, run in zip(self.folders, (self.tools.git, self.tools.pfetch)):
            where = folder / inside if inside else folder
            results.append(run("index-pack", *args, cwd=where,
                               data=(folder / "a.pack").read_bytes() if stdin else None))
        return tuple(results)

    def same(self, *args, **how) -> None:
        theirs, ours = self.run(*args, **how)
        theirs.ok()
        ours.ok()
        assert ours.out == theirs.out
        self.same_files()

    def same_files(self) -> None:
        """The two folders hold the same names, bytes and modes."""
        trees = [{str(path.relative_to(folder)): (oct(path.stat().st_mode),
                                                  path.read_bytes()) for path in folder.rglob("*")
                  if path.is_file()
                  and not path.name.startswith("tmp_pack_")} for folder in self.folders]  # git forgets its own
        for name in [name for name in trees[1] if name.endswith(".rev") and name not in trees[0]]:
            del trees[1][name]  # written unless refused, as newer versions of git do
        assert sorted(trees[1]) == sorted(trees[0])
        for name in trees[0]:
            assert trees[1][name] == trees[0][name], f"{name} differs from git's"

    def same_refusal(self, *args, **how) -> None:
        theirs, ours = self.run(*args, **how)
        theirs.refused()
        ours.refused(code=theirs.code)
        self.same_files()


@pytest.fixture
def bench(tools, tmp_path) -> Bench:
    return Bench(tools, tmp_path)


@pytest.fixture(scope="module")
def real_pack(tools, rich):
    return tools.git("-C", rich.path, "pack-objects", "--all", "--revs", "--stdout", "-q", data=b"").ok().raw


@pytest.mark.parametrize("args", [["a.pack"], ["-v", "a.pack"], ["-o", "other.idx", "a.pack"], ["--keep", "a.pack"],
                                  ["--keep=because of this", "a.pack"], ["--strict", "a.pack"],
                                  ["--threads=1", "a.pack"],
                                  ["--threads=4", "a.pack"], ["--rev-index", "a.pack"], ["--no-rev-index", "a.pack"],
                                  ["--index-version=2", "a.pack"], ["--index-version=2,0x80", "a.pack"],
                                  ["--max-input-size=10000000", "a.pack"]], ids=" ".join)
def test_a_file_is_indexed_as_git_does(bench, real_pack, args):
    bench.fill(real_pack).same(*args)


@pytest.mark.parametrize("args", [["--stdin"], ["--stdin", "--keep"], ["--stdin", "--keep=fetch from here"],
                                  ["--stdin", "--strict"],
                                  ["--stdin", "--fix-thin"], ["--stdin", "--max-input-size=10000000"],
                                  ["--stdin", "--threads=3"],
                                  ["--stdin", "../given.pack"]], ids=" ".join)
def test_a_stream_is_stored_as_git_does(bench, tools, tmp_path, real_pack, args):
    tools.git("init", "-q", "--bare", tmp_path / "empty").ok()
    bench.fill(real_pack, repository=tmp_path / "empty").same(*args, stdin=True, inside="repo")


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_odd_sound_packs(bench, make):
    bench.fill(make()[0].done()).same("a.pack")


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_ten_thousand(bench, backwards):
    bench.fill(deep_chain("ref", backwards)[0].done()).same("a.pack")


def test_any_order(bench, seed):
    bench.fill(shuffled(seed)[0]).same("--threads=2", "a.pack")


def test_a_pack_without_objects(bench):
    bench.fill(Pack().done()).same("a.pack")


def test_a_thin_pack_is_completed(bench, tools, src, tmp_path):
    changed = b"changed\n" + src.git("show", "main:file.txt").encode() + b"\n"
    base = src.git("rev-parse", "main:file.txt")
    pack = Pack()
    pack.add("blob", b"beside\n")
    pack.ref_delta(base, delta_of(tools.git("-C", src.path, "cat-file", "blob", base).raw, changed))
    bench.fill(pack.done(), repository=src.path)
    bench.same_refusal("--stdin", stdin=True, inside="repo")
    bench.same("--stdin", "--fix-thin", stdin=True, inside="repo")
    for folder in bench.folders:
        assert tools.ask(folder / "repo", "cat-file", "-t", object_id("blob", changed)) == "blob"
    bench.same_refusal("--fix-thin", "../a.pack", inside="repo")


def test_a_duplicate_is_taken_unless_strict(bench, fake_server):
    pack, _ = sample()
    pack.entry("blob", b"content 1\n" * 20)
    bench.fill(pack.done()).same("a.pack")
    for folder in bench.folders:
        (folder / "a.idx").unlink()
    theirs, ours = bench.run("--strict", "a.pack")
    assert theirs.code == 128  # though git leaves the index there
    ours.refused("appears twice in the pack", code=128)
    assert not (bench.folders[1] / "a.idx").exists()


BAD_FILES = sorted(DAMAGE.keys() - {name for name in DAMAGE if name.startswith(("missing", "commit", "tree", "blob",
    "base"))})


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stream"])
def test_damage_is_refused(bench, tools, tmp_path, name, stdin):
    raw, _ = DAMAGE[name]()
    if stdin:
        tools.git("init", "-q", "--bare", tmp_path / "empty").ok()
        bench.fill(raw, repository=tmp_path / "empty")
        theirs, ours = bench.run("--stdin", stdin=True, inside="repo")
    else:
        theirs, ours = bench.fill(raw).run("a.pack")
    theirs.refused()
    ours.refused(code=theirs.code)
    bench.same_files()


@pytest.mark.ours
@pytest.mark.parametrize("name", ["checksum", "cut in an entry", "delta of no bytes", "deltas in a circle"])
def test_nothing_is_left_of_a_damaged_stream(bench, tools, tmp_path, name):
    tools.git("init", "-q", "--bare", tmp_path / "empty").ok()
    bench.fill(DAMAGE[name]()[0], repository=tmp_path / "empty").run("--stdin", stdin=True, inside="repo")[1].refused()
    assert leftovers(bench.folders[1]) == []


@pytest.mark.parametrize("args, stdin", [(["a.txt"], False), (["nosuch.pack"], False), ([], False),
                                         (["--stdin", "--keep=two\nlines"], True),
                                         (["--nosuch", "a.pack"], False), (["--max-input-size=100", "--stdin"], True),
                                         (["-o", "a.pack", "a.pack"], False), (["--threads=-1", "a.pack"], False)],
                         ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_refusals(bench, tools, tmp_path, real_pack, args, stdin):
    tools.git("init", "-q", "--bare", tmp_path / "empty").ok()
    bench.fill(real_pack, repository=tmp_path / "empty" if stdin else None)
    theirs, ours = bench.run(*args, stdin=stdin, inside="repo" if stdin else None)
    assert ours.code == theirs.code, (theirs, ours)
    bench.same_files()


def test_junk_after_the_pack(bench, real_pack):
    bench.fill(real_pack + b"junk at the end").same_refusal("a.pack")


def test_a_stream_needs_a_repository(bench, real_pack):
    bench.fill(real_pack)
    theirs, ours = bench.run("--stdin", stdin=True)
    assert (ours.code, ours.err) == (theirs.code, theirs.err)


def test_a_pipe_that_stays_open_after_the_pack_is_not_waited_for(tools, tmp_path, real_pack):
    tools.git("init", "-q", "--bare", tmp_path / "repo").ok()
    with tools.start(PFETCH, "index-pack", "--stdin", cwd=tmp_path / "repo", stdin=subprocess.PIPE) as process:
        try:
            process.stdin.write(real_pack)
            process.stdin.flush()
            assert process.wait(timeout=TIME_LIMIT_SECONDS) == 0
        finally:
            process.kill()


def test_an_index_of_64_bit_offsets_verifies(bench, tools, real_pack):
    bench.fill(real_pack).same("--index-version=2,0x100", "a.pack")
    tools.git("verify-pack", bench.folders[1] / "a.idx").ok()
    raw = (bench.folders[1] / "a.idx").read_bytes()
    count = struct.unpack(">I", raw[8 + 255 * 4:8 + 256 * 4])[0]
    offsets = struct.unpack(f">{count}I", raw[8 + 1024 + count * 24:8 + 1024 + count * 28])
    assert any(offset & 0x80000000 for offset in offsets)


def test_a_collision_with_what_is_here_is_not_silent(bench, tools, tmp_path):
    """An object with the id of one here whose copy is corrupt: told, or the object taken as it came."""
    source = History().linear(2).write(tools, tmp_path / "src")
    raw = tools.git("-C", source.path, "pack-objects", "--all", "--revs", "--stdout", "-q", data=b"").ok().raw
    bench.fill(raw, repository=source.path)
    for folder in bench.folders:
        tools.ask(folder / "repo", "unpack-objects", "-q", data=raw)
        for pack in (folder / "repo" / "objects" / "pack").iterdir():
            pack.unlink()
        tools.ask(folder / "repo", "unpack-objects", "-q", data=raw)
        oid = source.git("rev-parse", "main:file.txt")
        loose = folder / "repo" / "objects" / oid[:2] / oid[2:]
        loose.chmod(0o644)
        loose.write_bytes(loose.read_bytes()[:-5])
    theirs, ours = bench.run("--stdin", stdin=True, inside="repo")
    theirs.refused()
    assert ours.code in (0, theirs.code), ours
    assert "collision" not in ours.err.lower()
    if ours.code == 0:
        tools.ask(bench.folders[1] / "repo", "cat-file", "blob", source.git("rev-parse", "main:file.txt"))
