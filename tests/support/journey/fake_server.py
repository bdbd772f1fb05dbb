"""An upload-pack that speaks just enough of protocol 2 and 0 to serve a pack made by hand, and misbehaves as told.

Run as `fake_server.py ORDERS.json [PATH]`. Orders: refs (list of [id, name]), head (the branch HEAD names), pack,
optionally
  shallow      ids sent as the boundary when a depth is asked for; beside the refs with `source_shallow`
  cut          end the pack after so many bytes        exit      the exit code
  chunk, pause send so many bytes at a time, with a pause of so many seconds after each
  silent_at    say nothing for `silent` seconds when so many bytes of the pack are out
  progress     text for sideband 2                     fatal     text for sideband 3, sent in place of the pack's end
  garbage      raw bytes (latin-1) written after the pack, outside of the protocol
  no_sideband  protocol 0 without sideband             err       answer everything with an ERR line
  no_flush     leave out the last flush
"""
import json
import os
import sys
import time

out, inp = sys.stdout.buffer, sys.stdin.buffer


def line(data, newline=True):
    data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    data += b"\n" if newline else b""
    out.write(b"%04x" % (len(data) + 4) + data)


def special(code):
    out.write(code)
    out.flush()


def read_line():
    """One pkt-line; None for flush, b"" for delim, EOFError at the end."""
    head = inp.read(4)
    if len(head) < 4:
        raise EOFError
    size = int(head, 16)
    return None if size == 0 else b"" if size < 4 else inp.read(size - 4).rstrip(b"\n")


def read_until_flush():
    lines = []
    while (text := read_line()) is not None:
        lines.append(text.decode("utf-8", "surrogateescape"))
    return lines


def send_pack(orders, sideband):
    with open(orders["pack"], "rb") as file:
        pack = file.read()
    end = min(orders.get("cut", len(pack)), len(pack))
    chunk = orders.get("chunk", 60000)
    if "progress" in orders:
        line(b"\2" + orders["progress"].encode("latin-1"), newline=False)
    at = 0
    while at < end:
        stop = min(at + chunk, end)
        if "silent_at" in orders and at < orders["silent_at"]:
            stop = min(stop, orders["silent_at"])
        if sideband:
            line(b"\1" + pack[at:stop], newline=False)
        else:
            out.write(pack[at:stop])
        at = stop
        if at == orders.get("silent_at"):
            out.flush()
            time.sleep(orders["silent"])
        if "pause" in orders:
            out.flush()
            time.sleep(orders["pause"])
    if "fatal" in orders:
        line(b"\3" + orders["fatal"].encode("latin-1"), newline=False)
    if sideband and not orders.get("no_flush"):
        special(b"0000")
    out.write(orders.get("garbage", "").encode("latin-1"))
    out.flush()


def serve_v2(orders):
    for text in ("version 2", "agent=fake/1", "ls-refs=unborn", "fetch=shallow", "object-format=sha1"):
        line(text)
    special(b"0000")
    while True:
        request = read_until_flush()
        if "command=ls-refs" in request:
            if "head" in orders:
                line(f"{orders['refs'][0][0]} HEAD symref-target:refs/heads/{orders['head']}")
            for oid, name in orders["refs"]:
                line(f"{oid} {name}")
            special(b"0000")
            continue
        if "done" not in request:
            line("acknowledgments")
            line("NAK")
            special(b"0000")
            continue
        if any(text.startswith("deepen") for text in request) and "shallow" in orders:
            line("shallow-info")
            for oid in orders["shallow"]:
                line(f"shallow {oid}")
            special(b"0001")
        line("packfile")
        send_pack(orders, sideband=True)
        return


def serve_v0(orders):
    sideband = not orders.get("no_sideband")
    caps = "ofs-delta shallow no-progress agent=fake/1" + (" side-band-64k" if sideband else "")
    refs = list(orders["refs"])
    if "head" in orders:
        refs.insert(0, [refs[0][0], "HEAD"])
        caps += f" symref=HEAD:refs/heads/{orders['head']}"
    for number, (oid, name) in enumerate(refs):
        line(f"{oid} {name}\0{caps}" if number == 0 else f"{oid} {name}")
    if orders.get("source_shallow"):
        for oid in orders["shallow"]:
            line(f"shallow {oid}")
    special(b"0000")
    wants = read_until_flush()
    if not wants:
        return
    if any(text.startswith("deepen") for text in wants):
        for oid in orders.get("shallow", ()):
            line(f"shallow {oid}")
        special(b"0000")
    while True:
        text = read_line()
        if text == b"done":
            break
        if text is None:
            line("NAK")
            out.flush()
    line("NAK")
    send_pack(orders, sideband)


def main():
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
        orders = json.load(file)
    try:
        if "err" in orders:
            line("ERR " + orders["err"])
            special(b"0000")
        elif "version=2" in os.environ.get("GIT_PROTOCOL", ""):
            serve_v2(orders)
        else:
            serve_v0(orders)
    except (EOFError, BrokenPipeError):
        pass
    try:
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(orders.get("exit", 0))


main()
