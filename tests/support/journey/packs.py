"""Packs made by hand, right and wrong, following gitformat-pack(5)."""
import hashlib
import struct
import zlib

KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4, "ofs-delta": 6, "ref-delta": 7}


def object_id(kind: str, content: bytes) -> str:
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(content)) + content).hexdigest()


def tree_of(*entries) -> bytes:
    """(mode, name, id) in the order given."""
    return b"".join(mode.encode() + b" " + (name
                                            if isinstance(name, bytes) else name.encode()) + b"\0" + bytes.fromhex(oid)
                    for mode, name, oid in entries)


def commit_of(tree: str, *parents, message="made by hand") -> bytes:
    who = "A U Thor <author@example.com> 1600000000 +0000"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {who}", f"committer {who}", "",
             message, ""]
    return "\n".join(lines).encode()


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def copy(offset: int, size: int) -> bytes:
    """Delta instructions that copy size bytes of the base."""
    out = b""
    while size:
        part = min(size, 0xffffff)
        out += b"\xff" + struct.pack("<I", offset) + struct.pack("<I", part)[:3]
        offset, size = offset + part, size - part
    return out


def insert(data: bytes) -> bytes:
    return b"".join(bytes([len(data[at:at + 127])]) + data[at:at + 127] for at in range(0, len(data), 127))


def delta_of(base: bytes, target: bytes) -> bytes:
    """A delta that keeps the common head and tail."""
    head = 0
    while head < min(len(base), len(target)) and base[head] == target[head]:
        head += 1
    tail = 0
    while tail < min(len(base), len(target)) - head and base[-1 - tail] == target[-1 - tail]:
        tail += 1
    return (varint(len(base)) + varint(len(target)) + copy(0, head) + insert(target[head:len(target) - tail])
            + copy(len(base) - tail, tail))


class Pack:
    """Entries are appended one by one; `done` gives the bytes. `count` and `trailer` may lie."""

    def __init__(self):
        self.body, self.entries, self.offsets = bytearray(), 0, {}

    def entry(self, kind, payload: bytes, base=b"", size=None, raw=None, level=1) -> int:
        """One entry as it is: size may lie, raw replaces the deflated bytes, kind may be a number. Gives its offset."""
        offset = 12 + len(self.body)
        number = KINDS.get(kind, kind)
        length = len(payload) if size is None else size
        byte = (number << 4) | (length & 15)
        length >>= 4
        while length:
            self.body.append(byte | 128)
            byte, length = length & 127, length >> 7
        self.body.append(byte)
        self.body += base + (zlib.compress(payload, level) if raw is None else raw)
        self.entries += 1
        return offset

    def add(self, kind: str, content: bytes) -> str:
        oid = object_id(kind, content)
        self.offsets.setdefault(oid, self.entry(kind, content))
        return oid

    def ref_delta(self, base: str, delta: bytes) -> int:
        return self.entry("ref-delta", delta, bytes.fromhex(base))

    def ofs_delta(self, base_offset: int, delta: bytes, distance=None) -> int:
        back = 12 + len(self.body) - base_offset if distance is None else distance
        code = [back & 127]
        back >>= 7
        while back:
            back -= 1
            code.append(back & 127 | 128)
            back >>= 7
        return self.entry("ofs-delta", delta, bytes(reversed(code)))

    def done(self, count=None, version=2, signature=b"PACK", trailer=None) -> bytes:
        raw = signature + struct.pack(">II", version, self.entries if count is None else count) + bytes(self.body)
        return raw + (hashlib.sha1(raw).digest() if trailer is None else trailer)


def tip_of(pack: Pack, files, in_pack=True) -> str:
    """Adds the root tree and the commit for files: (mode, name, id); returns the commit's id."""
    add = pack.add if in_pack else object_id
    return add("commit", commit_of(add("tree", tree_of(*files))))


def sample(blobs=3) -> tuple:
    """A small sound pack: (Pack, tip)."""
    pack = Pack()
    files = [("100644", f"f{number}", pack.add("blob", b"content %d\n" % number * 20)) for number in range(blobs)]
    return pack, tip_of(pack, files)
