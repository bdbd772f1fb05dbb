"""Sound packs in every odd form: a clone from a server that sends them is what git makes of the same bytes."""
import random
import zlib

import pytest

from packs import Pack, commit_of, copy, delta_of, insert, object_id, sample, tip_of, tree_of, varint
from tools import speaking

TEXT = "".join(f"line {number} of a text that is long enough to be worth a delta\n" for number in range(40)).encode()


def version_of(text: bytes, number: int) -> bytes:
    return text + b"version %d\n" % number


def shuffled(seed: int) -> tuple:
    """A random history in random order: objects whole or as deltas of either kind, on bases before or after them."""
    dice = random.Random(seed)
    whole, tip, files = {}, None, {}
    for number in range(dice.randint(1, 6)):
        for _ in range(dice.randint(1, 8)):
            name = f"{dice.choice('abc')}/{dice.choice('abcdefgh')}"
            body = dice.choice((TEXT, b"", b"short\n", TEXT * 30))
            files[name] = ("blob", version_of(body, dice.randint(0, 5)) if dice.random() < 0.9 else b"")
        if dice.random() < 0.5:
            files[f"{dice.choice('abc')}/.gitattributes"] = ("blob",
                                                             dice.choice((b"* text\n", b"* -text\n", b"a* eol=crlf\n")))
        folders = {}
        for name, (kind, content) in sorted(files.items()):
            folder, leaf = name.split("/")
            whole[object_id(kind, content)] = (kind, content)
            folders.setdefault(folder, []).append(("100644", leaf, object_id(kind, content)))
        top = []
        for folder, entries in sorted(folders.items()):
            tree = tree_of(*entries)
            whole[object_id("tree", tree)] = ("tree", tree)
            top.append(("40000", folder, object_id("tree", tree)))
        tree = tree_of(*top)
        whole[object_id("tree", tree)] = ("tree", tree)
        commit = commit_of(object_id("tree", tree), *([tip] if tip else []), message=f"number {number}")
        tip = object_id("commit", commit)
        whole[tip] = ("commit", commit)
    return write_in_any_order(whole, dice), tip


def write_in_any_order(whole: dict, dice: random.Random) -> bytes:
    order = list(whole)
    dice.shuffle(order)
    pack, bases, offsets = Pack(), {}, {}

    def rests_on(oid, other):
        while oid in bases:
            oid = bases[oid]
            if oid == other:
                return True
        return False

    for oid in order:
        kind, content = whole[oid]
        fitting = [base for base in order if base != oid and whole[base][0] == kind and not rests_on(base, oid)]
        if content and fitting and dice.random() < 0.6:  # git refuses a delta whose result is empty
            base = dice.choice(fitting)
            bases[oid] = base
            delta = delta_of(whole[base][1], content)
            if base in offsets and dice.random() < 0.6:
                offsets[oid] = pack.ofs_delta(offsets[base], delta)
            else:
                offsets[oid] = pack.ref_delta(base, delta)
        else:
            offsets[oid] = pack.entry(kind, content, level=dice.choice((0, 1, 9)))
    return pack.done()


def test_any_order_and_any_delta_gives_the_same(clone_both, fake_server, seed):
    server = fake_server(*shuffled(seed))
    clone_both(*server["args"], url=server["url"])


def deltas_before_their_base():
    pack, base = Pack(), object_id("blob", TEXT)
    files = []
    for number in range(20):
        text = version_of(TEXT, number)
        pack.ref_delta(base, delta_of(TEXT, text))
        files.append(("100644", f"f{number:02}", object_id("blob", text)))
    tip = tip_of(pack, files)
    pack.add("blob", TEXT)
    return pack, tip


def deep_chain(kind, backwards=False, depth=10000):
    pack, steps, text = Pack(), [], b"start of a long chain\n"
    for number in range(depth):
        after = b"version %08d\n" % number
        steps.append((object_id("blob", text), delta_of(text, after)))
        text = after
    tip = None
    if backwards:
        tip = tip_of(pack, [("100644", "file", object_id("blob", text))])
        for base, delta in reversed(steps):
            pack.ref_delta(base, delta)
    offset = pack.entry("blob", b"start of a long chain\n")
    if not backwards:
        for base, delta in steps:
            offset = pack.ofs_delta(offset, delta) if kind == "ofs" else pack.ref_delta(base, delta)
        tip = tip_of(pack, [("100644", "file", object_id("blob", text))])
    return pack, tip


def attributes_come_last_as_a_delta():
    pack, plain = Pack(), b"# nothing here yet, only a long line to be copied from\n"
    attributes = plain + b"*.txt eol=crlf\n"
    files = [("100644", ".gitattributes", object_id("blob", attributes))]
    files += [("100644", f"f{number}.txt", pack.add("blob", b"line\n" * number)) for number in range(1, 9)]
    inner = pack.add("tree", tree_of(*files[1:]))
    tip = tip_of(pack, [*files, ("40000", "inner", inner), ("100644", "plain", object_id("blob", plain))])
    pack.ref_delta(object_id("blob", plain), delta_of(plain, attributes))
    pack.add("blob", plain)
    return pack, tip


def one_blob_at_a_thousand_paths():
    pack = Pack()
    blob = pack.add("blob", TEXT)
    leaves = pack.add("tree", tree_of(*[("100644", f"leaf{number:02}", blob) for number in range(50)]))
    return pack, tip_of(pack, [("40000", f"folder{number:02}", leaves) for number in range(20)])


def a_thousand_deltas_on_one_base():
    pack, files = Pack(), []
    base = pack.add("blob", TEXT)
    for number in range(1000):
        text = version_of(TEXT, number)
        pack.ref_delta(base, delta_of(TEXT, text))
        files.append(("100644", f"f{number:04}", object_id("blob", text)))
    return pack, tip_of(pack, files)


def streams_longer_than_the_usual_bound():
    """Legal deflate streams far longer than any compressor makes: an empty stored block after every few bytes."""
    pack, files = Pack(), []
    for number, text in enumerate((TEXT, b"x", b"")):
        deflate = zlib.compressobj(0)
        raw = b"".join(deflate.compress(text[at:at + 3]) + deflate.flush(zlib.Z_FULL_FLUSH)
                       for at in range(0, len(text), 3))
        raw += b"".join(deflate.flush(zlib.Z_FULL_FLUSH) + b"\0\0\0\xff\xff" * 40 for _ in range(40)) + deflate.flush()
        pack.entry("blob", text, raw=raw)
        files.append(("100644", f"f{number}", object_id("blob", text)))
    return pack, tip_of(pack, files)


def every_copy_form():
    """Copies with every subset of size and offset bytes, the size 0 that means 64 KiB, and an empty result."""
    pack, base = Pack(), bytes(random.Random(7).randbytes(0x20000))
    offset, files = pack.entry("blob", base), []
    pack.add("blob", b"")
    bodies = {"whole": (b"\x80", base[:0x10000]), "from1": (b"\x81\x05", base[5:0x10005]),
              "from256": (b"\x82\x01", base[0x100:0x10100]), "far": (b"\x84\x01", base[0x10000:]),
              "short": (b"\x90\x07", base[:7]), "long": (b"\xa0\x02", base[:0x200]), "padded": (copy(3, 9), base[3:12]),
              "mixed": (insert(b"ab" * 100) + copy(1, 2) + insert(b"c"), b"ab" * 100 + base[1:3] + b"c")}
    for name, (code, result) in sorted(bodies.items()):
        pack.ofs_delta(offset, varint(len(base)) + varint(len(result)) + code)
        files.append(("100644", name, object_id("blob", result)))
    empty = pack.offsets[object_id("blob", b"")]
    pack.ofs_delta(empty, varint(0) + varint(4) + insert(b"four"))
    files.append(("100644", "zero", object_id("blob", b"four")))
    return pack, tip_of(pack, files)


def deltas_of_trees_commits_and_tags():
    pack = Pack()
    blob = pack.add("blob", b"b\n")
    trees = [tree_of(*[("100644", f"f{number:03}", blob) for number in range(count)]) for count in (50, 51)]
    offset = pack.entry("tree", trees[0])
    pack.ofs_delta(offset, delta_of(*trees))
    first = commit_of(object_id("tree", trees[0]))
    second = commit_of(object_id("tree", trees[1]), object_id("commit", first))
    pack.ref_delta(object_id("commit", first), delta_of(first, second))
    pack.add("commit", first)
    return pack, object_id("commit", second)


def big_blobs():
    """Over a megabyte, compressible and not, whole and as a delta."""
    pack, dice = Pack(), random.Random(3)
    noise, zeros = dice.randbytes(3 << 20), bytes(20 << 20)
    changed = noise[:1 << 20] + b"changed" + noise[1 << 20:]
    files = [("100644", "changed", object_id("blob", changed)), ("100644", "noise", pack.add("blob", noise)),
             ("100644", "zeros", pack.add("blob", zeros))]
    pack.ref_delta(object_id("blob", noise), delta_of(noise, changed))
    return pack, tip_of(pack, files)


def size_with_more_bytes_than_needed():
    pack, files = Pack(), []
    text = b"ten bytes\n"
    pack.body += bytes([3 << 4 | 10 | 128, 128, 128, 0]) + zlib.compress(text)
    pack.entries += 1
    files.append(("100644", "f", object_id("blob", text)))
    return pack, tip_of(pack, files)


GOOD = [deltas_before_their_base, attributes_come_last_as_a_delta, one_blob_at_a_thousand_paths,
        a_thousand_deltas_on_one_base,
        streams_longer_than_the_usual_bound, every_copy_form, deltas_of_trees_commits_and_tags, big_blobs,
        size_with_more_bytes_than_needed]


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_a_sound_pack_is_taken_as_git_takes_it(clone_both, fake_server, make):
    pack, tip = make()
    server = fake_server(pack.done(), tip)
    clone_both(*server["args"], url=server["url"])


@pytest.mark.parametrize("kind, backwards", [("ofs", False), ("ref", False), ("ref", True)])
def test_a_chain_of_ten_thousand_deltas(clone_both, fake_server, kind, backwards):
    pack, tip = deep_chain(kind, backwards)
    server = fake_server(pack.done(), tip)
    clone_both(*server["args"], url=server["url"])


@pytest.mark.parametrize("protocol", [0, 1, 2])
@pytest.mark.parametrize("orders", [{"chunk": 1}, {"chunk": 7, "progress": "Counting\r"}, {"chunk": 65515},
                                    {"no_sideband": True}],
                         ids=["single bytes", "odd chunks", "largest lines", "no sideband"])
def test_however_the_pack_is_cut_into_lines(clone_both, fake_server, protocol, orders):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, **orders)
    clone_both(*server["args"], url=server["url"], before=speaking(protocol))


@pytest.mark.parametrize("jobs", [1, 2, 16])
def test_any_number_of_jobs(clone_both, fake_server, jobs):
    pack, tip = a_thousand_deltas_on_one_base()
    server = fake_server(pack.done(), tip)
    clone_both("--jobs", str(jobs), *server["args"], url=server["url"])


@pytest.mark.parametrize("setting", ["core.deltaBaseCacheLimit=1", "core.bigFileThreshold=1", "pack.packSizeLimit=1m",
                                     "core.compression=0"])
def test_memory_settings_do_not_change_the_result(clone_both, fake_server, setting):
    pack, tip = deltas_of_trees_commits_and_tags()
    server = fake_server(pack.done(), tip)
    clone_both(*server["args"], url=server["url"], before=("-c", setting))
