"""Every kind of damaged pack and every kind of server that goes wrong: refused, the place named, nothing left."""
import re
import struct
import subprocess
import tempfile
import time

import pytest

from packs import Pack, commit_of, copy, insert, object_id, sample, tip_of, tree_of, varint
from tools import PFETCH, SANITIZED, TIME_LIMIT_SECONDS, Result, speaking

BASE = b"a base that is long enough to copy from it\n"
PLACE = re.compile(r"[0-9a-f]{40}|offset \d+|byte \d+|after \d+ bytes")


def whole(**lies):
    pack, tip = sample()
    return pack.done(**lies), tip


def cut_at(where):
    pack, tip = sample()
    raw = pack.done()
    return raw[:where] if where < len(raw) else raw, tip


def one_byte_changed():
    pack, tip = sample()
    raw = bytearray(pack.done())
    raw[pack.offsets[object_id("blob", b"content 1\n" * 20)] + 12] ^= 0x55
    return bytes(raw), tip


def sizes(claimed, payload=b"twenty bytes of text"):
    pack = Pack()
    files = [("100644", "f", object_id("blob", payload))]
    pack.entry("blob", payload, size=claimed)
    tip = tip_of(pack, files)
    return pack.done(), tip


def missing(*kinds):
    """A pack without the blob, tree, commit or parent that something in it names."""
    pack = Pack()
    blob, tree = b"some content\n", tree_of(("100644", "f", object_id("blob", b"some content\n")))
    parent = commit_of(object_id("tree", tree), message="parent")
    commit = commit_of(object_id("tree", tree), object_id("commit", parent))
    for name, kind, content in (("blob", "blob", blob), ("tree", "tree", tree), ("parent", "commit", parent),
                                ("tip", "commit", commit)):
        if name not in kinds:
            pack.add(kind, content)
    return pack.done(), object_id("commit", commit)


def broken_delta(delta, **how):
    pack = Pack()
    offset = pack.entry("blob", BASE)
    if "base" in how:
        pack.ref_delta(how["base"], delta)
    else:
        pack.ofs_delta(offset, delta, distance=how.get("distance"))
    tip = tip_of(pack, [("100644", "f", object_id("blob", how.get("result", BASE[:9])))])
    return pack.done(), tip


def cycle():
    """Two ref-deltas, each on the other."""
    pack = Pack()
    one, two = b"one of the two\n", b"two of the two\n"
    for base, other in ((one, two), (two, one)):
        pack.ref_delta(object_id("blob", base), varint(len(base)) + varint(len(other)) + insert(other))
    tip = tip_of(pack, [("100644", "1", object_id("blob", one)), ("100644", "2", object_id("blob", two))])
    return pack.done(), tip


def twice(kind):
    pack, tip = sample()
    pack.entry("blob", b"content 1\n" * 20)
    if kind == "base":
        pack.ref_delta(object_id("blob", b"content 1\n" * 20), varint(200) + varint(9) + copy(0, 9))
    return pack.done(), tip


def of_type(number):
    pack = Pack()
    pack.entry(number, b"what am I?")
    return pack.done(), tip_of(pack, [])


def wrong_kind(mode, kind, content=b"", in_pack=True):
    """A tree entry whose mode does not fit the object it names."""
    pack = Pack()
    tip = tip_of(pack, [(mode, "f", pack.add(kind, content))])
    return pack.done(), tip


def raw_tip(kind, content):
    pack = Pack()
    tip = pack.add(kind, content)
    return pack.done(), tip


def bad_tree(content):
    pack = Pack()
    tip = pack.add("commit", commit_of(pack.add("tree", content)))
    return pack.done(), tip


def size_without_end():
    pack, tip = sample()
    pack.body[:0] = b"\xb0" + b"\xff" * 20 + b"\x01"
    return pack.done(), tip


def right(base, result, *code):
    return varint(base) + varint(result) + b"".join(code)


LONG = len(BASE)
GONE = "1" * 40
DAMAGE = {
    "checksum": lambda: whole(trailer=b"\1" * 20),
    "byte in a blob": one_byte_changed,
    "signature": lambda: whole(signature=b"PUCK"),
    "version 4": lambda: whole(version=4),
    "count too high": lambda: whole(count=9),
    "count absurd": lambda: whole(count=0xffffffff),
    "count too low": lambda: whole(count=2),
    "count zero": lambda: whole(count=0),
    "empty stream": lambda: cut_at(0),
    "cut in the header": lambda: cut_at(7),
    "cut after the header": lambda: cut_at(12),
    "cut in an entry": lambda: cut_at(30),
    "cut before the checksum": lambda: (cut_at(9999)[0][:-20], cut_at(9999)[1]),
    "cut in the checksum": lambda: (cut_at(9999)[0][:-7], cut_at(9999)[1]),
    "size too small": lambda: sizes(7),
    "size zero": lambda: sizes(0),
    "size too big": lambda: sizes(29),
    "size huge": lambda: sizes(1 << 40),
    "size at the edge of 64 bits": lambda: sizes((1 << 63) - 1),
    "size without end": size_without_end,
    "missing blob": lambda: missing("blob"),
    "missing tree": lambda: missing("tree"),
    "missing parent": lambda: missing("parent"),
    "missing tip": lambda: missing("tip"),
    "missing everything": lambda: missing("blob", "tree", "parent", "tip"),
    "type 0": lambda: of_type(0),
    "type 5": lambda: of_type(5),
    "delta on the wrong base size": lambda: broken_delta(right(LONG - 1, 9, copy(0, 9))),
    "delta with less than it promised": lambda: broken_delta(right(LONG, 10, copy(0, 9))),
    "delta with more than it promised": lambda: broken_delta(right(LONG, 8, copy(0, 9))),
    "delta promising the sky": lambda: broken_delta(right(LONG, 1 << 40, copy(0, 9))),
    "delta copying past the end": lambda: broken_delta(right(LONG, 9, copy(LONG - 8, 9))),
    "delta copying from afar": lambda: broken_delta(right(LONG, 9, copy(0xfffffff0, 9))),
    "delta with instruction 0": lambda: broken_delta(right(LONG, 9, b"\0", copy(0, 9))),
    "delta cut in a copy": lambda: broken_delta(right(LONG, 9, copy(0, 9)[:-3])),
    "delta cut in an insert": lambda: broken_delta(right(LONG, 9, b"\x09short")),
    "delta without instructions": lambda: broken_delta(right(LONG, 9)),
    "delta of no bytes": lambda: broken_delta(b""),
    "delta size without end": lambda: broken_delta(b"\xff" * 30 + right(1, 9)),
    "delta before the pack": lambda: broken_delta(right(LONG, 9, copy(0, 9)), distance=1 << 20),
    "delta on the pack's header": lambda: broken_delta(right(LONG, 9, copy(0, 9)), distance=60),
    "delta on the middle of an entry": lambda: broken_delta(right(LONG, 9, copy(0, 9)), distance=5),
    "delta on itself": lambda: broken_delta(right(LONG, 9, copy(0, 9)), distance=0),
    "delta on a missing base": lambda: broken_delta(right(LONG, 9, copy(0, 9)), base=GONE),
    "deltas in a circle": cycle,
    "blob twice": lambda: twice("blob"),
    "base twice": lambda: twice("base"),
    "tree where a blob should be": lambda: wrong_kind("100644", "tree"),
    "blob where a tree should be": lambda: wrong_kind("40000", "blob", b"no tree\n"),
    "commit where a blob should be": lambda: wrong_kind("100644", "commit", commit_of(object_id("tree", b""))),
    "tree without end of name": lambda: bad_tree(b"100644 name"),
    "tree with half an id": lambda: bad_tree(b"100644 name\0" + b"\1" * 11),
    "tree with a mode that is none": lambda: bad_tree(b"1x0644 name\0" + b"\1" * 20),
    "tree naming the null id": lambda: bad_tree(b"100644 name\0" + bytes(20)),
    "commit without a tree": lambda: raw_tip("commit", b"author nobody\n\nhello\n"),
    "commit of no bytes": lambda: raw_tip("commit", b""),
}
SERVER = {
    "exit code after a full pack": {"exit": 3},
    "fatal in place of the end": {"cut": 40, "fatal": "the disk is on fire\n"},
    "no flush after a cut": {"cut": 40, "no_flush": True},
    "ERR at once": {"err": "access denied, said the server"},
    "garbage in place of the pack's end": {"cut": 40, "no_flush": True, "garbage": "zzzzgarbage"},
    "line shorter than its head": {"cut": 40, "no_flush": True, "garbage": "00ffabc"},
    "line of length 3": {"cut": 40, "no_flush": True, "garbage": "0003"},
    "unknown sideband": {"cut": 40, "no_flush": True, "garbage": "0006\x07a0000"},
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_pack_is_refused(both, fake_server, name):
    server = fake_server(*DAMAGE[name]())
    both.clone(*server["args"], url=server["url"]).both_refused(code=128)


@pytest.mark.parametrize("name", sorted(DAMAGE.keys() - {"signature", "version 4", "checksum", "empty stream",
                                                         "cut in the header",
                                                         "blob twice", "base twice"}))
@pytest.mark.ours
def test_a_refusal_names_the_object_or_the_offset(tools, tmp_path, fake_server, name):
    server = fake_server(*DAMAGE[name]())
    result = tools.pfetch("clone", *server["args"], server["url"], tmp_path / "x").refused(code=128)
    assert PLACE.search(result.err), result


@pytest.mark.parametrize("protocol", [0, 2])
@pytest.mark.parametrize("name", SERVER)
def test_a_server_that_fails_is_reported(both, fake_server, name, protocol):
    pack, tip = sample(40)
    server = fake_server(pack.done(), tip, **SERVER[name])
    both.clone(*server["args"], url=server["url"], before=speaking(protocol)).both_refused(code=128)


@pytest.mark.parametrize("orders, words", [({"cut": 40, "fatal": "the disk is on fire\n"}, "the disk is on fire"),
                                           ({"err": "access denied, said the server"},
                                            "access denied, said the server")])
def test_the_servers_own_words_are_shown(both, fake_server, orders, words):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, **orders)
    both.clone(*server["args"], url=server["url"]).both_refused(words)


@pytest.mark.ours
@pytest.mark.parametrize("orders", [{"progress": "evil \x1b]0;title\x07 \x1b[31mred\x9b2J\n"},
                                    {"cut": 40, "fatal": "evil \x1b[2J\x07\n"},
                                    {"err": "evil \x1b[2J\x07"}], ids=["progress", "fatal", "ERR"])
def test_control_characters_of_the_server_never_reach_the_terminal(tools, tmp_path, fake_server, orders):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, **orders)
    result = tools.pfetch("clone", "--progress", *server["args"], server["url"], tmp_path / "x")
    assert "evil" in result.err
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", result.err.replace("\x1b[K", "")), repr(result.err)


def peak_bytes(tools, *argv) -> tuple:
    """Runs it and returns its result and the most memory the process itself ever had (0 with a sanitizer, whose own
    memory it would be), polled until it ends."""
    peak, deadline = 0, time.monotonic() + TIME_LIMIT_SECONDS
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen([PFETCH, *map(str, argv)], env=tools.env, stdin=subprocess.DEVNULL, stdout=err,
                                   stderr=err)
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
                peak = max([peak, *(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))])
            time.sleep(0.002)
        err.seek(0)
        return Result(argv, process.returncode, b"", err.read()), 0 if SANITIZED else peak


@pytest.mark.ours
@pytest.mark.parametrize("name", ["size huge", "size at the edge of 64 bits", "delta promising the sky", "count absurd",
                                  "600 MB claimed",
                                  "600 MB claimed by many"])
def test_memory_follows_the_bytes_seen_not_the_sizes_claimed(tools, tmp_path, fake_server, name):
    if name == "600 MB claimed":
        pack, tip = sizes(600 << 20)
    elif name == "600 MB claimed by many":
        lying = Pack()
        for number in range(60):
            lying.entry("tree", struct.pack(">I", number) * 50, size=10 << 20)
        pack, tip = lying.done(), GONE
    else:
        pack, tip = DAMAGE[name]()
    server = fake_server(pack, tip)
    result, peak = peak_bytes(tools, "clone", *server["args"], server["url"], tmp_path / "x")
    result.refused(code=128)
    assert peak < 100 << 20, f"{peak >> 20} MB at the peak"
    assert not (tmp_path / "x").exists()


def test_a_big_blob_streams(tools, tmp_path, fake_server):
    """200 MB of zeros in 200 kB of pack: legal, and written without ever holding it."""
    pack, size = Pack(), 200 << 20
    tip = tip_of(pack, [("100644", "zeros", pack.add("blob", bytes(size)))])
    server = fake_server(pack.done(), tip)
    result, peak = peak_bytes(tools, "-c", "core.bigFileThreshold=16m", "clone", *server["args"], server["url"],
                              tmp_path / "x")
    result.ok()
    assert (tmp_path / "x" / "zeros").stat().st_size == size
    assert peak < 100 << 20, f"{peak >> 20} MB at the peak"
