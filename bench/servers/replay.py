#!/usr/bin/python3
"""An upload-pack that costs next to nothing: it answers with what record.py has written, whatever is asked in detail.

    replay.py DIR REPOSITORY
"""

import os
import sys


def read_exactly(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit(0)  # the client has what it wants
    return data


def read_request():
    """The lines of one request, up to its flush packet."""
    lines = []
    while True:
        length = int(read_exactly(4), 16)
        if length == 0:
            return lines
        if length > 4:
            lines.append(read_exactly(length - 4))


def send(path):
    with open(path, "rb") as file:
        left = os.fstat(file.fileno()).st_size
        while left > 0:
            left -= os.splice(file.fileno(), 1, left)


def main():
    directory = sys.argv[1]
    send(os.path.join(directory, "advertisement"))
    while True:
        request = read_request()
        if not request:
            return  # the client has what it wanted and hung up
        command = request[0].strip() if request else b""
        if not command.startswith(b"command="):
            sys.exit(f"replay: not a request of protocol version 2: {command!r}")
        send(os.path.join(directory, command[8:].decode()))


if __name__ == "__main__":
    main()
