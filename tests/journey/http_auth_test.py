"""Who we are, over http(s): every way to say it, beside git; and that the secret appears nowhere."""
import pathlib
import threading

import pytest

from servers import Apache
from tools import PFETCH, PROTOCOLS, speaking

PASSWORD = "s3cret-word-90210"
HEADER = "Authorization: Basic "


@pytest.fixture(scope="module")
def web(tools, tmp_path_factory):
    server = Apache(tools, tmp_path_factory.mktemp("auth") / "a", PASSWORD)
    yield server
    server.stop()


def basic() -> str:
    import base64
    return base64.b64encode(f"alice:{PASSWORD}".encode()).decode()


SECRETS = (PASSWORD, basic())


def script(path: pathlib.Path, text: str) -> pathlib.Path:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def way(kind, folder, port):
    """(user info for the URL, options in front, environment) of one way to log in; the home is `folder`."""
    home = {"HOME": str(folder)}
    store = f"store --file={folder}/kept"
    (folder / "kept").write_text(f"http://alice:{PASSWORD}@127.0.0.1:{port}\nhttps://alice:{PASSWORD}@localhost:"
                                 f"{port}\n")
    if kind == "url":
        return f"alice:{PASSWORD}", [], home
    if kind == "helper":
        return "", ["-c", f"credential.helper={store}"], home
    if kind == "helper with a name":
        return "alice", ["-c", f"credential.helper={store}"], home
    if kind == "scoped helper":
        return "", ["-c", f"credential.http://127.0.0.1:{port}.helper={store}",
                    "-c", f"credential.https://localhost:{port}.helper={store}"], home
    if kind == "askpass":
        program = script(folder / "askpass", f'case "$1" in Username*) echo alice ;; *) echo {PASSWORD} ;; esac\n')
        return "", [], {**home, "GIT_ASKPASS": str(program)}
    if kind == "netrc":
        (folder / ".netrc").write_text("".join(f"machine {host} login alice password {PASSWORD}\n"
                                               for host in ("127.0.0.1", "localhost")))
        return "", [], home
    assert kind == "header"
    return "", ["-c", f"http.extraHeader={HEADER}{basic()}"], home


WAYS = ["url", "helper", "helper with a name", "scoped helper", "askpass", "netrc", "header"]


class Watch:
    """Collects the command lines of a command and all that it starts, while it lives: they have `env` in common."""

    def __init__(self, mark: str):
        self.env, self.lines, self._stop = {"JOURNEY_MARK": mark}, set(), threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self):
        mark = b"JOURNEY_MARK=" + self.env["JOURNEY_MARK"].encode()
        while not self._stop.wait(0.002):
            for path in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if mark in (path / "environ").read_bytes().split(b"\0"):
                        words = (path / "cmdline").read_bytes()
                        self.lines.add(words.replace(b"\0", b" ").decode(errors="replace"))
                except OSError:
                    pass

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def assert_no_secret(what, text):
    for secret in SECRETS:
        assert secret not in text, f"the secret is in {what}"


@PROTOCOLS
@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("kind", WAYS)
def test_every_way_to_log_in_and_no_secret_anywhere(both, tools, web, rich, tmp_path, kind, secure, protocol):
    folder = tmp_path / "home"
    folder.mkdir()
    info, before, env = way(kind, folder, web.tls_port if secure else web.port)
    url = web.tls_url("basic", rich.path) if secure else web.url("basic", rich.path)
    url = url.replace("://", f"://{info}@") if info else url
    before = [*before, "-c", f"http.sslCAInfo={web.authority.certificate}", *speaking(protocol)]
    env = {**env, "GIT_TRACE_PACKET": str(tmp_path / "packets"), "GIT_TERMINAL_PROMPT": "0"}
    theirs, ours = tmp_path / "git" / "x", tmp_path / "our" / "x"
    with Watch(str(tmp_path)) as watch:
        result = tools.pfetch(*before, "clone", "--depth=2", "--json", f"--trace={tmp_path}/trace", url, ours,
                              env={**env, **watch.env})
    result.ok()
    assert watch.lines, "no process was seen"
    assert_no_secret("the output", result.out + result.err)
    for path in [tmp_path / "packets", tmp_path / "trace", *ours.rglob("*")]:
        if path.is_file() and not path.is_symlink():
            assert_no_secret(path, path.read_bytes().decode("latin-1"))
    for line in watch.lines:
        if "clone --depth=2" not in line:  # what the user wrote is not ours to hide
            assert_no_secret(f"the command line {line[:40]}", line)
    git = tools.git(*before, "clone", "-q", "--depth=2", url, theirs, env={**env, "GIT_TRACE_PACKET": "0"}).ok()
    assert git.code == 0
    assert tools.ask(ours, "rev-parse", "HEAD") == tools.ask(theirs, "rev-parse", "HEAD")
    expected = tools.ask(theirs, "config", "remote.origin.url").replace(f":{PASSWORD}@", "@")
    assert tools.ask(ours, "config", "remote.origin.url") == expected


@PROTOCOLS
def test_digest(both, web, rich, protocol):
    url = web.url("digest", rich.path, f"alice:{PASSWORD}")
    both.clone("--depth=1", url=url, before=speaking(protocol))
    assert both.git_result.ok() and both.result.ok()


@PROTOCOLS
def test_bearer(both, web, rich, protocol):
    token = ["-c", f"http.extraHeader=Authorization: Bearer {PASSWORD}", *speaking(protocol)]
    both.clone("--depth=1", url=web.url("bearer", rich.path), before=token).same()
    both.clone(url=web.url("bearer", rich.path), directory="y", before=[
        "-c", f"http.extraHeader=Authorization: Bearer x{PASSWORD}"]).both_refused("403", code=128)


@PROTOCOLS
@pytest.mark.parametrize("user_info", ["", "alice", "alice:wrong", "mallory:wrong"])
def test_who_is_not_let_in(both, web, rich, protocol, user_info):
    both.clone(url=web.url("basic", rich.path, user_info), before=speaking(protocol)).both_refused(code=128)
    both.same_messages()
    assert "wrong" not in both.result.err


def test_what_works_is_approved_and_what_does_not_is_rejected(tools, web, rich, tmp_path):
    log = tmp_path / "log"
    helper = script(tmp_path / "helper", f'echo "$1" >>{log}; cat >>{log}\n'
                    f'[ "$1" = get ] && printf "username=alice\\npassword=%s\\n" "$WORD"; exit 0\n')
    url = web.url("basic", rich.path)
    settings = ["-c", f"credential.helper={helper}"]
    logs = {}
    for program in ("git", PFETCH):
        for word in (PASSWORD, "wrong"):
            result = tools.run(program, *settings, "clone", "--depth=1", url, tmp_path / f"{len(logs)}", env={
                "WORD": word})
            assert (result.code == 0) == (word == PASSWORD), result
            logs[program, word] = [line for line in log.read_text().splitlines() if "=" not in line]
            log.unlink()
    assert logs["git", PASSWORD] == logs[PFETCH, PASSWORD] == ["get", "store"]
    assert logs["git", "wrong"] == logs[PFETCH, "wrong"] == ["get", "erase"]


@pytest.mark.ours
def test_a_redirect_does_not_carry_the_password_to_another_host(tools, web, rich, tmp_path):
    """127.0.0.1 leads to localhost, which has its own. (git takes the first password for the wrong one, and ends.)"""
    url = web.url("elsewhere", rich.path, f"alice:{PASSWORD}")
    web.requests()
    tools.pfetch("clone", "--depth=1", url, tmp_path / "x").refused("could not read Username for 'http://localhost",
                                                                   code=128)
    assert not [line for line in web.requests() if " alice " in line]
    kept = tmp_path / "kept"
    kept.write_text(f"http://alice:{PASSWORD}@localhost:{web.port}\n")
    tools.pfetch("-c", f"credential.helper=store --file={kept}", "clone", "--depth=1", url, tmp_path / "y").ok()


def test_a_token_in_the_place_of_a_user_is_not_written(tools, web, rich, tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    program = script(folder / "askpass", "echo x\n")
    result = tools.pfetch("clone", "--depth=1", web.url("open", rich.path, "ghp_0123456789abcdefghijklmnop"),
                          tmp_path / "x", env={"GIT_ASKPASS": str(program)}).ok()
    assert "ghp_" not in result.err + (tmp_path / "x" / ".git" / "config").read_text()


def test_the_repository_we_stand_in_does_not_decide(tools, web, rich, tmp_path):
    """Its credential.helper is not asked, as git does not ask it."""
    tools.git("init", "-q", tmp_path / "here").ok()
    helper = script(tmp_path / "helper", f"touch {tmp_path}/asked; exit 0\n")
    tools.ask(tmp_path / "here", "config", "credential.helper", str(helper))
    for number, program in enumerate(("git", PFETCH)):
        tools.run(program, "clone", web.url("basic", rich.path), tmp_path / f"{number}", cwd=tmp_path / "here",
                  env={"GIT_TERMINAL_PROMPT": "0"}).refused("could not read Username", code=128)
        assert not (tmp_path / "asked").exists(), program


def test_a_cookie(tools, web, rich, tmp_path):
    cookies = tmp_path / "cookies"
    cookies.write_text("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tkey\tvalue\n")
    web.requests()
    tools.pfetch("-c", f"http.cookieFile={cookies}", "-c", "http.extraHeader=X-Token: one", "clone", "--depth=1",
                 web.url("open", rich.path), tmp_path / "x", env={"GIT_HTTP_USER_AGENT": "me/1"}).ok()
    lines = web.requests()
    assert lines and all("cookie=[key=value]" in line and "token=[one]" in line and "agent=[me/1]" in line
                         for line in lines), lines
