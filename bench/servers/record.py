#!/usr/bin/python3
"""An upload-pack that records: a relay between a client and the real server, for protocol version 2.

    record.py DIR SERVER_COMMAND… REPOSITORY

Writes DIR/advertisement and, for each command that the client gives, DIR/<command> with the server's answer. Each
command may be given once: a fetch that takes several rounds would not be the same with another client.
"""

import os
import selectors
import subprocess
import sys


def command_of(request):
    """`fetch` from the bytes of a request that begins `0013command=fetch…`; None when it begins otherwise."""
    if request[4:12] != b"command=":
        return None
    return request[12:int(request[:4], 16)].strip().decode()


def main():
    directory, command = sys.argv[1], sys.argv[2:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client_in, client_out = 0, 1
    from_server, to_server = server.stdout.fileno(), server.stdin.fileno()
    answer = open(os.path.join(directory, "advertisement"), "wb")
    server_spoke = False
    selector = selectors.DefaultSelector()
    selector.register(client_in, selectors.EVENT_READ)
    selector.register(from_server, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            data = os.read(key.fd, 1 << 20)
            if key.fd == client_in:
                if not data:
                    selector.unregister(client_in)
                    server.stdin.close()
                    continue
                name = command_of(data) if server_spoke else None
                if name:
                    answer.close()
                    answer = open(os.path.join(directory, name), "xb")
                    server_spoke = False
                os.write(to_server, data)
            else:
                if not data:
                    answer.close()
                    return server.wait()
                server_spoke = True
                answer.write(data)
                while data:
                    data = data[os.write(client_out, data):]


if __name__ == "__main__":
    sys.exit(main())
