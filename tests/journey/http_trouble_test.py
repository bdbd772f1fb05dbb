"""What goes wrong on the way: a busy server, a broken connection, silence, lies; what is tried again, what is not."""
import os
import re
import signal
import socket
import time

import pytest

from packs import sample
from scripted_web import GitScript, ScriptedWeb, silence
from tools import PFETCH

AT_ONCE = ["-c", "http.retryAfter=0"]


@pytest.fixture(scope="module")
def pack():
    made, tip = sample()
    return made.done(), tip


@pytest.fixture
def serve(pack):
    """serve(trouble, …) starts a scripted server."""
    servers = []

    def start(trouble=None, **how):
        server = ScriptedWeb(GitScript(*pack, trouble, **how)).__enter__()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.__exit__()


def status(number, **headers):
    return lambda handler: handler.reply(number, b"busy\n", Content_Type="text/plain", **headers)


def hang_up(handler):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut(body, at):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", GitScript.RESULT)
        handler.send_header("Content-Length", len(body))
        handler.end_headers()
        handler.wfile.write(body[:at])
        hang_up(handler)

    return answer


@pytest.mark.parametrize("service_line", [False, True])
def test_the_script_is_a_server(both, serve, service_line):
    both.clone(url=serve(service_line=service_line).url).same()


@pytest.mark.parametrize("number", [0, 1, 2], ids=["refs", "ls-refs", "fetch"])
@pytest.mark.parametrize("trouble", [status(503), status(429), status(500), status(502), status(504), hang_up],
                         ids=["503", "429", "500", "502", "504", "hang-up"])
def test_a_request_is_tried_again(tools, serve, tmp_path, number, trouble):
    server = serve({number: trouble})
    result = tools.pfetch(*AT_ONCE, "clone", server.url, tmp_path / "x").ok()
    # A kept connection may have been closed meanwhile, which is no trouble: libcurl opens another one by itself.
    is_trouble = trouble is not hang_up or number == 0
    assert result.err.count("trying again (try 2 of 3)") == is_trouble, result
    assert len(server.requests) == 4, server.requests


def test_an_answer_that_breaks_before_the_pack_is_asked_for_again(tools, serve, tmp_path, pack):
    whole = GitScript(*pack).fetched()
    server = serve({2: cut(whole, 10)})
    result = tools.pfetch(*AT_ONCE, "clone", server.url, tmp_path / "x").ok()
    assert "trying again (try 2 of 3)" in result.err, result
    tools.git("-C", tmp_path / "x", "fsck").ok()


def test_a_pack_that_breaks_is_a_clean_failure(tools, serve, tmp_path, pack):
    whole = GitScript(*pack).fetched()
    server = serve({2: cut(whole, len(whole) // 2)})
    result = tools.pfetch(*AT_ONCE, "clone", server.url, tmp_path / "x").refused(code=128)
    assert "trying again" not in result.err and len(server.requests) == 3, result
    assert not (tmp_path / "x").exists()


def test_tries_are_bounded(tools, serve, tmp_path):
    server = serve({number: status(503) for number in range(20)})
    result = tools.pfetch(*AT_ONCE, "clone", server.url, tmp_path / "x").refused("returned error: 503", code=128)
    assert len(server.requests) == 3 and "remote: busy" in result.err, result
    result = tools.pfetch("-c", "http.maxRetries=0", "clone", server.url, tmp_path / "x").refused("503")
    assert len(server.requests) == 4, result


def test_a_server_says_when_to_come_again(tools, serve, tmp_path):
    server = serve({0: status(429, Retry_After="1")})
    start = time.monotonic()
    result = tools.pfetch(*AT_ONCE, "clone", server.url, tmp_path / "x").ok()
    assert "trying again in 1 s" in result.err and time.monotonic() - start >= 1, result
    later = serve({0: status(503, Retry_After="4000")})
    tools.pfetch("clone", later.url, tmp_path / "y").refused("returned error: 503")
    assert len(later.requests) == 1


@pytest.mark.parametrize("number", [400, 403, 404, 410, 501])
def test_what_will_not_change_is_not_tried_again(both, serve, number):
    server = serve({count: status(number) for count in range(9)})
    both.clone(url=server.url).both_refused(code=128)
    both.same_messages()
    assert len(server.requests) == 2


def test_a_connection_that_is_refused(tools, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://me:hidden@127.0.0.1:{taken.getsockname()[1]}/x"
        result = tools.pfetch(*AT_ONCE, "clone", url, tmp_path / "x")
    result.refused("unable to access", "Failed to connect", code=128)
    assert result.err.count("trying again") == 2 and "hidden" not in result.err and "me" not in result.err.split()


@pytest.mark.parametrize("kind", ["text/html", "application/x-git-upload-pack-result", ""])
@pytest.mark.parametrize("number", [0, 1])
def test_an_answer_of_another_kind(tools, serve, tmp_path, kind, number):
    if number == 1 and kind.endswith("-result"):
        kind = "application/x-git-upload-pack-advertisement"
    server = serve({number: lambda handler: handler.reply(200, b"<html>", Content_Type=kind)})
    tools.pfetch("clone", server.url, tmp_path / "x").refused(code=128)
    assert not (tmp_path / "x").exists() and len(server.requests) == number + 1


def test_words_of_a_server_are_cleaned(tools, serve, tmp_path):
    server = serve({0: lambda handler: handler.reply(403, b"\x1b[31mno\x07 way\n", Content_Type="text/plain")})
    result = tools.pfetch("clone", server.url, tmp_path / "x").refused("remote: no way", "403")
    assert "\x1b" not in result.err and "\x07" not in result.err


def test_a_server_that_is_too_slow(tools, serve, tmp_path, pack):
    whole = GitScript(*pack).fetched()
    server = serve({2: silence(8, whole, len(whole) // 2)})
    env = {"GIT_HTTP_LOW_SPEED_LIMIT": "1000", "GIT_HTTP_LOW_SPEED_TIME": "2"}
    tools.pfetch("clone", server.url, tmp_path / "x", env=env).refused("too slow", code=128)
    assert not (tmp_path / "x").exists()


def cost(pid) -> tuple:
    """(seconds of CPU, context switches) of a process so far, all its threads."""
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    seconds = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    switches = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as file:
            switches += sum(map(int, re.findall(r"ctxt_switches:\s+(\d+)", file.read())))
    return seconds, switches


@pytest.mark.parametrize("where", ["before the pack", "in the pack"])
def test_a_silent_server_costs_nothing_and_an_interrupt_is_heard(tools, serve, tmp_path, pack, where):
    whole = GitScript(*pack).fetched()
    server = serve({2: silence(30, whole, 0 if where == "before the pack" else len(whole) // 2)})
    process = tools.start(PFETCH, "clone", server.url, tmp_path / "x")
    try:
        deadline = time.monotonic() + 30
        while len(server.requests) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        before = cost(process.pid)
        time.sleep(4)
        seconds, switches = (after - start for after, start in zip(cost(process.pid), before))
        assert seconds <= 0.02 and switches < 40, (seconds, switches)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        assert process.returncode == -signal.SIGINT
        assert not (tmp_path / "x").exists()
    finally:
        process.kill()
        process.communicate()


def test_memory_is_bounded_when_the_disk_is_slower_than_the_server(tools, serve, tmp_path, pack):
    """A body far larger than any buffer, which is no pack: it is refused, not collected."""
    def endless(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", GitScript.RESULT)
        handler.send_header("Content-Length", 1 << 40)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"0005\1" * 20000)
        except OSError:
            pass

    server = serve({1: endless})
    tools.pfetch("clone", server.url, tmp_path / "x").refused(code=128)
