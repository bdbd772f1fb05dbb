#!/usr/bin/env python3
"""What the fuzzers start from: sound inputs, which they would not find by themselves (a deflate stream, a whole
conversation, a colliding message).

    make_seeds.py DIRECTORY      writes DIRECTORY/<fuzzer without _fuzz>/<name>, the same bytes every time
"""
import pathlib
import re
import struct
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support/journey"))
sys.dont_write_bytecode = True

from packs import Pack, commit_of, copy, delta_of, insert, object_id, sample, tip_of, tree_of, varint  # noqa: E402

A, B = "a" * 40, "b" * 40
THIN_BASE = b"a base that was here before"  # ingest_fuzz has it
TEXT = b"a line that is long enough to be worth copying\n" * 6


def pkt(text, newline=True) -> bytes:
    data = (text if isinstance(text, bytes) else text.encode()) + (b"\n" if newline else b"")
    return b"%04x" % (len(data) + 4) + data


def band(number: int, data: bytes) -> bytes:
    return pkt(bytes([number]) + data, newline=False)


def packs() -> dict:
    made = {"sample": sample()[0]}
    deltas = made["deltas"] = Pack()
    offset = deltas.entry("blob", TEXT)
    for number in range(3):
        offset = deltas.ofs_delta(offset, delta_of(TEXT + b"v" * number, TEXT + b"v" * (number + 1)))
    early = made["ref deltas before their base"] = Pack()
    files = []
    for number in range(3):
        early.ref_delta(object_id("blob", TEXT), delta_of(TEXT, TEXT + b"%d" % number))
        files.append(("100644", f"f{number}", object_id("blob", TEXT + b"%d" % number)))
    early.add("blob", TEXT)
    tip_of(early, files)
    thin = made["thin"] = Pack()
    thin.ref_delta(object_id("blob", THIN_BASE), delta_of(THIN_BASE, THIN_BASE + b", and more"))
    streamed = made["streamed"] = Pack()  # above the fuzzer's threshold for big files
    streamed.add("blob", bytes(5000))
    streamed.add("blob", b"")
    stored = made["stored and fixed blocks"] = Pack()
    stored.entry("blob", TEXT, level=0)
    deflate = zlib.compressobj(9, strategy=zlib.Z_FIXED)
    stored.entry("blob", TEXT, raw=deflate.compress(TEXT) + deflate.flush())
    twice = made["the same twice"] = Pack()
    twice.entry("blob", TEXT)
    twice.entry("blob", TEXT)
    cycle = made["a cycle of ref deltas"] = Pack()
    cycle.ref_delta(object_id("blob", b"one"), delta_of(b"one", b"two"))
    cycle.ref_delta(object_id("blob", b"two"), delta_of(b"two", b"one"))
    made["lying count"] = sample()[0].done(count=9)
    return {name: pack if isinstance(pack, bytes) else pack.done() for name, pack in made.items()}


def deltas() -> dict:
    """The first byte is the size of the base, which is all `b`."""
    base = b"b" * 200
    head = varint(200)
    return {
        "copy and insert": delta_of(base, base[:50] + b"inserted" + base[60:]),
        "every size byte": head + varint(3 * 7) + b"\x90\x07" + b"\x91\x09\x07" + copy(3, 7),
        "copy of 64 KiB": head + varint(0x10000) + b"\x80",
        "insert only": head + varint(130) + insert(b"i" * 130),
        "reserved": head + varint(1) + b"\0",
        "large claim": head + varint(1 << 40) + copy(0, 200),
    }


def server_v2(pack: bytes, shallow: bool) -> bytes:
    greeting = b"".join(map(pkt, ("version 2", "agent=git/2.39.5", "ls-refs=unborn", "fetch=shallow wait-for-done filter",
                                  "server-option", "object-format=sha1"))) + b"0000"
    refs = (pkt(f"{A} HEAD symref-target:refs/heads/main") + pkt(f"{A} refs/heads/main")
            + pkt(f"{B} refs/tags/v1 peeled:{A}") + b"0000")
    acks = pkt("acknowledgments") + pkt(f"ACK {B}") + pkt("ready") + b"0001"
    boundary = pkt("shallow-info") + pkt(f"shallow {A}") + pkt(f"unshallow {B}") + b"0001" if shallow else b""
    data = band(2, b"Counting objects: 100%\rdone\n") + band(1, pack[:20]) + band(1, pack[20:]) + b"0000"
    return greeting + refs + acks + boundary + pkt("packfile") + data


def server_v0(pack: bytes, capabilities: str, sideband: bool, version=b"") -> bytes:
    refs = (pkt(f"{A} HEAD\0{capabilities}") + pkt(f"{A} refs/heads/main") + pkt(f"{B} refs/tags/v1")
            + pkt(f"{A} refs/tags/v1^{{}}") + pkt(f"shallow {B}") + b"0000")
    answer = pkt(f"shallow {A}") + b"0000" + pkt(f"ACK {B} common") + pkt(f"ACK {B} ready") + pkt(f"ACK {B}")
    return version + refs + answer + (band(1, pack) + band(2, b"done\n") + b"0000" if sideband else pack)


def conversations() -> dict:
    """The first byte, and one, is the size of the pieces; even: with a depth; by three: with haves."""
    pack = sample(1)[0].done()
    rich = "multi_ack_detailed side-band-64k ofs-delta shallow no-done symref=HEAD:refs/heads/main object-format=sha1"
    made = {
        "v2": server_v2(pack, False), "v2 shallow": server_v2(pack, True), "v0": server_v0(pack, rich, True),
        "v1": server_v0(pack, rich, True, pkt("version 1")), "v0 plain": server_v0(pack, "shallow", False),
        "unborn": server_v2(pack, False).replace(pkt(f"{A} HEAD symref-target:refs/heads/main"),
                                                 pkt("unborn HEAD symref-target:refs/heads/main")),
        "empty": pkt("0" * 40 + " capabilities^{}\0shallow symref=HEAD:refs/heads/x") + b"0000",
        "err": pkt("ERR access denied"), "fatal": server_v2(pack, False)[:-4] + band(3, b"fatal: no more\n"),
    }
    return {f"{name} {piece}": bytes([piece]) + script for name, script in made.items() for piece in (1, 5, 254)}


def objects() -> dict:
    person = "A U Thor <author@example.com> 1600000000 +0000"
    return {
        "tree": tree_of(("100644", "file", A), ("40000", "folder", B), ("120000", "link", A), ("160000", "module", B)),
        "commit": commit_of(A, B, A), "root": commit_of(A),
        "signed": commit_of(A).replace(b"\n\n", b"\nencoding latin-1\ngpgsig -----BEGIN\n line\n \n -----END\n\n"),
        "tag": f"object {A}\ntype commit\ntag v1\ntagger {person}\n\nmessage\n".encode(),
    }


def packed_refs() -> dict:
    head = "# pack-refs with: peeled fully-peeled sorted \n"
    lines = "".join(f"{A} refs/heads/b{number:02}\n" for number in range(40))
    tags = f"{A} refs/tags/v1\n^{B}\n{B} refs/tags/v2\n"
    return {"sorted": (head + lines + tags).encode(), "without a header": (lines + tags).encode(),
            "unsorted": ("# pack-refs with: peeled \n" + tags + lines).encode(), "no last newline": tags[:-1].encode()}


def index_entry(path: str, version: int, before="", mode=0o100644, flags=0, extended=None) -> bytes:
    """`before`: the path of the entry before, which version 4 builds upon."""
    more = b"" if extended is None else struct.pack(">H", extended)
    flags |= len(path) | (0 if extended is None else 0x4000)
    fixed = struct.pack(">10I", 1, 2, 3, 4, 5, 6, mode, 7, 8, 9) + bytes.fromhex(A) + struct.pack(">H", flags) + more
    if version == 4:
        return fixed + bytes([len(before)]) + path.encode() + b"\0"
    return fixed + path.encode() + bytes(8 - (len(fixed) + len(path)) % 8)


def index_of(version: int, entries, *extensions) -> bytes:
    body, before = b"", ""
    for path, options in entries:
        body += index_entry(path, version, before, **options)
        before = path
    for signature, content in extensions:
        body += signature + struct.pack(">I", len(content)) + content
    return b"DIRC" + struct.pack(">2I", version, len(entries)) + body


def ewah(bits: int, word: int) -> bytes:
    return struct.pack(">2I2QI", bits, 2, 1 << 33, word, 0)


def indexes() -> dict:
    """What index_fuzz wants: the size of the index, the index, a shared index; none with a checksum."""
    plain = [("a", {}), ("d/e", {"flags": 0x8000}), ("d/f", {"mode": 0o120000}), ("z", {"mode": 0o160000})]
    flags = [("a", {"extended": 0x2000}), ("b", {"extended": 0x4000})]
    stages = [("a", {"flags": stage << 12}) for stage in (1, 2, 3)]
    tree = (b"TREE", b"\0" + b"4 1\n" + bytes(20) + b"d\0" + b"2 0\n" + bytes(20))
    untracked = b"\1\0" + bytes(2 * 36 + 4 + 2 * 20) + b".gitignore\0\0"
    bitmap = ewah(4, 0b0101)
    monitor = struct.pack(">I", 2) + b"token\0" + struct.pack(">I", len(bitmap)) + bitmap
    caches = [tree, (b"REUC", b"a\0" + b"0\0" * 3), (b"UNTR", untracked), (b"FSMN", monitor), (b"EOIE", bytes(24))]
    link = (b"link", bytes(20) + ewah(4, 0b0010) + ewah(4, 0b1001))
    made = {f"version {version}": (index_of(version, plain, *caches), b"") for version in (2, 3, 4)}
    made["flags"] = (index_of(3, flags), b"")
    made["stages"] = (index_of(2, stages), b"")
    made["sparse"] = (index_of(3, [("d/", {"mode": 0o40000, "extended": 0x4000})], (b"sdir", b"")), b"")
    made["split"] = (index_of(2, [("", {}), ("", {}), ("n", {})], link), index_of(2, plain))
    return {name: struct.pack(">H", len(own)) + own + shared for name, (own, shared) in made.items()}


def messages() -> dict:
    text = (ROOT / "tests/support/sha1_collisions.h").read_text(encoding="ascii")
    values = {name: bytes.fromhex("".join(re.findall(r'"([0-9a-f]+)"', body)))
              for name, body in re.findall(r"string_view (k\w+) =(.*?);", text, re.DOTALL)}
    start = values.pop("kShatteredStart")
    made = {name: (start if "Shattered" in name else b"") + value for name, value in values.items()}
    made.update({f"{size} bytes": (bytes(range(256)) * 2)[:size] for size in (0, 1, 55, 56, 63, 64, 65, 128, 300)})
    return {name: b"\7" + value for name, value in made.items()}


def patterns() -> dict:
    pairs = [("*.c", "main.c"), ("**/lib/*.[ch]", "src/lib/a.h"), ("a/**/b", "a/x/y/b"), ("[[:alpha:]]?\\*", "ab*"),
             ("**", "a/b"), ("foo*bar**baz", "foo/bar/baz"), ("[!a-z]*", "Z"), ("a[]-]b", "a]b")]
    return {f"{number} {flags}": bytes([flags]) + pattern.encode() + b"\n" + text.encode()
            for number, (pattern, text) in enumerate(pairs) for flags in range(8)}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    conversation = conversations()
    corpora = {
        "ingest": packs(), "delta": {name: b"\xc8" + delta for name, delta in deltas().items()},
        "handshake": conversation, "pkt_line": {name: b"\x06" + script for name, script in conversation.items()},
        "views": objects(), "packed_refs": packed_refs(), "index": indexes(), "sha1": messages(),
        "wildmatch": patterns(),
    }
    for fuzzer, seeds in corpora.items():
        folder = pathlib.Path(sys.argv[1]) / fuzzer
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / name.replace(" ", "-")).write_bytes(content)


main()
