"""A web server that answers as a test says, for what no well-behaved server does. It notes the requests it got."""
import http.server
import threading
import time


class ScriptedWeb:
    """`answer(number, handler)` gets each request in turn, numbered from 0; `handler.reply(...)` answers it.

    `requests`: (method, path, headers) of each. Use as a context manager.
    """

    def __init__(self, answer):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self, status=200, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                if "Transfer_Encoding" not in headers:
                    self.send_header("Content-Length", headers.get("length", len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle_any(self):
                self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with outer._lock:
                    number = len(outer.requests)
                    outer.requests.append((self.command, self.path, dict(self.headers)))
                answer(number, self)

            do_GET = do_POST = handle_any

            def log_message(self, *_):
                pass

        self._lock = threading.Lock()
        self.requests = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/x"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def line(text) -> bytes:
    data = text if isinstance(text, bytes) else text.encode() + b"\n"
    return b"%04x" % (len(data) + 4) + data


class GitScript:
    """The answers of a git server, protocol 2, that has one pack; `trouble[number]` replaces an answer."""

    ADVERTISEMENT, RESULT = ("application/x-git-upload-pack-" + kind for kind in ("advertisement", "result"))

    def __init__(self, pack: bytes, tip: str, trouble=None, service_line=False):
        self.pack, self.tip, self.trouble, self.service_line = pack, tip, trouble or {}, service_line

    def __call__(self, number, handler):
        if number in self.trouble:
            return self.trouble[number](handler)
        if handler.command == "GET":
            head = line("# service=git-upload-pack") + b"0000" if self.service_line else b""
            return handler.reply(body=head + b"".join(map(line, (
                "version 2", "agent=script", "ls-refs=unborn", "fetch=shallow", "object-format=sha1"))) + b"0000",
                Content_Type=self.ADVERTISEMENT)
        if b"command=ls-refs" in handler.body:
            refs = line(f"{self.tip} HEAD symref-target:refs/heads/main") + line(f"{self.tip} refs/heads/main")
            return handler.reply(body=refs + b"0000", Content_Type=self.RESULT)
        return handler.reply(body=self.fetched(), Content_Type=self.RESULT)

    def fetched(self) -> bytes:
        return line("packfile") + line(b"\1" + self.pack) + b"0000"


def silence(seconds, body, at):
    """An answer that stops after `at` bytes of `body` for so many seconds."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", GitScript.RESULT)
        handler.send_header("Content-Length", len(body))
        handler.end_headers()
        handler.wfile.write(body[:at])
        handler.wfile.flush()
        time.sleep(seconds)
        handler.wfile.write(body[at:])

    return answer
