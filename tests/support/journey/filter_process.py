"""A long-running filter that turns text into capitals, and misbehaves as the name of a file tells it.

Run as `filter_process.py LOG [WORD…]`; LOG gets one line for each start and each request. Words: no-delay (does not
have the capability), clean-only, and-clean, silent (says nothing), stray (offers what it did not delay), list-hang (hangs up when
asked what is ready), list-error. A file name begins with what is to be done to it:
  error, abort, what (a status that is none), hang (goes away)   late (an error behind half of the content)
  delay    asked for later; then, by the next word: error, abort, hang, or never offered (drop)
  slow     delayed until everything else has been fetched        rot      rot13 in place of capitals
"""
import codecs
import os
import sys

inp, out = sys.stdin.buffer, sys.stdout.buffer
words = sys.argv[2:]


def log(text):
    with open(sys.argv[1], "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text + "\n")


def packets():
    """The payloads up to a flush."""
    while True:
        head = inp.read(4)
        if len(head) < 4:
            log("end")
            sys.exit(0)
        size = int(head, 16)
        if size == 0:
            return
        yield inp.read(size - 4)


def lines():
    return [packet.decode("utf-8", "surrogateescape").removesuffix("\n") for packet in packets()]


def say(*texts):
    for text in texts:
        raw = text.encode("utf-8", "surrogateescape") + b"\n"
        out.write(b"%04x" % (len(raw) + 4) + raw)
    out.write(b"0000")
    out.flush()


def send(content, status="success"):
    say("status=success")
    for at in range(0, len(content), 60000):
        piece = content[at:at + 60000]
        out.write(b"%04x" % (len(piece) + 4) + piece)
    say()
    say(*([] if status == "success" else [f"status={status}"]))


def converted(name, content):
    if name.startswith("rot"):
        return codecs.encode(content.decode(), "rot13").encode()
    return content.upper()


def answer(request, content, delayed):
    path = request["pathname"]
    name = os.path.basename(path)
    how = name.split(".")[0].split("-")
    if path in delayed:
        content, how = delayed.pop(path), how[1:]
    elif how[0] in ("delay", "slow") and "can-delay" in request:
        delayed[path] = content
        say("status=delayed")
        return
    if how[:1] == ["hang"]:
        sys.exit(1)
    if how[:1] == ["late"]:
        send(content[:3], status="error")
    elif how[:1] in (["error"], ["abort"], ["what"]):
        say(f"status={how[0]}")
    else:
        send(converted(name, content))


def offer(delayed):
    names = {path: os.path.basename(path) for path in delayed}
    ready = [path for path, name in names.items() if not name.startswith(("slow", "delay-drop"))]
    ready = ready or [path for path, name in names.items() if name.startswith("slow")]
    if "list-hang" in words:
        sys.exit(1)
    say(*[f"pathname={path}" for path in ready + (["stray"] if "stray" in words else [])])
    say("status=error" if "list-error" in words else "status=success")


def main():
    log("start")
    if "silent" in words:
        sys.exit(0)
    lines()
    say("git-filter-server", "version=2")
    log("capabilities " + " ".join(lines()))
    have = ["clean"] if "clean-only" in words else ["smudge"] if "no-delay" in words else ["smudge", "delay"]
    have += ["clean"] if "and-clean" in words else []
    say(*[f"capability={name}" for name in have])
    delayed = {}
    while True:
        request = lines()
        log(" ".join(request))
        request = dict(line.split("=", 1) for line in request)
        if request["command"] == "list_available_blobs":
            offer(delayed)
        else:
            answer(request, b"".join(packets()), delayed)


main()
