#!/usr/bin/python3
"""An upload-pack behind a slow link: a relay that holds what the server sends to a number of bytes per second.

    throttle.py RATE TIMES_FILE SERVER_COMMAND… REPOSITORY

TIMES_FILE gets three doubles of CLOCK_MONOTONIC and one of bytes, renewed with every piece sent: when the first byte of
the server's latest answer was sent, when its last byte was, and how many bytes lie between.
"""

import os
import struct
import subprocess
import sys
import threading
import time

PIECE = 16384


def main():
    rate, times_file, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked = threading.Event()

    def relay_requests():
        while data := os.read(0, 1 << 16):
            asked.set()
            server.stdin.write(data)
            server.stdin.flush()
        server.stdin.close()

    threading.Thread(target=relay_requests, daemon=True).start()
    times = os.open(times_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    first, sent, free_at = None, 0, 0.0
    while data := os.read(server.stdout.fileno(), PIECE):
        # The link is busy until free_at; time in which nothing was sent is not made up for later.
        now = time.monotonic()
        if free_at > now:
            time.sleep(free_at - now)
        free_at = max(free_at, now) + len(data) / rate
        if asked.is_set():
            asked.clear()
            first, sent = time.monotonic(), 0
        sent += len(data)
        while data:
            data = data[os.write(1, data):]
        last = time.monotonic()
        os.pwrite(times, struct.pack("ddd", first or last, last, sent), 0)
    return server.wait()


if __name__ == "__main__":
    sys.exit(main())
