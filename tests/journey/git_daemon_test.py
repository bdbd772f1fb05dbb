"""git://: git's daemon, JGit's and Dulwich's, in every protocol, beside git; what they refuse; names and proxies."""
import shutil
import socket

import pytest

from servers import Dulwich, GitDaemon, JgitDaemon
from tools import PROTOCOLS, speaking

VARIANTS = {"full": [], "depth": ["--depth=1"], "since": ["--shallow-since=2018-06-01T00:00:00"],
            "exclude": ["--shallow-exclude=v0.1", "--no-single-branch"], "branch": ["--branch=topic", "--depth=2"],
            "mirror": ["--mirror"], "tag": ["-b", "v1.0", "--depth=1"], "no tags": ["--no-tags", "--depth=2"]}


@pytest.fixture(scope="module")
def daemon(tools, tmp_path_factory):
    server = GitDaemon(tools, tmp_path_factory.mktemp("daemon") / "d", "--informative-errors")
    yield server
    server.stop()


@PROTOCOLS
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_clone_is_what_git_makes(both, check, daemon, rich, protocol, variant):
    both.clone(*VARIANTS[variant], url=daemon.url(rich.path), before=speaking(protocol))
    both.same()
    both.same_messages()
    check(both.ours)


@pytest.mark.parametrize("protocol, greeting", [(2, "version 2"), (1, "version 1"), (0, "symref=HEAD:refs/heads/main")])
def test_the_protocol_asked_for_is_spoken(both, daemon, rich, protocol, greeting):
    both.clone("--depth=1", url=daemon.url(rich.path), before=speaking(protocol), env={"GIT_TRACE_PACKET": "1"}).same()
    for result in (both.git_result, both.result):
        assert [line for line in result.err.splitlines() if "< " in line and greeting in line], result


@PROTOCOLS
def test_a_refusal_is_shown_in_the_daemons_words(both, daemon, tmp_path, protocol):
    both.clone(url=daemon.url(tmp_path / "nosuch"), before=speaking(protocol)).both_refused(code=128)
    both.same_messages()
    assert "remote error:" in both.result.err


def test_a_daemon_that_is_not_there_is_tried_three_times(both, tools):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        both.clone(url=f"git://127.0.0.1:{taken.getsockname()[1]}/x", before=["-c", "http.retryAfter=0"])
    both.both_refused("unable to connect to 127.0.0.1", "Connection refused", code=128)
    assert both.result.err.count("trying again") == 2, both.result


def test_a_name_that_is_none(both):
    both.clone(url="git://no-such-host.invalid/x", before=["-c", "http.maxRetries=0"])
    both.both_refused("unable to look up no-such-host.invalid (port 9418)", code=128)
    both.same_messages()


def test_the_host_is_the_one_asked_for(tools, tmp_path, src):
    """The daemon looks below a folder of the host's name."""
    root = tmp_path / "root"
    for host in ("one.example", "127.0.0.1"):
        (root / host).mkdir(parents=True)
        shutil.copytree(src.path, root / host / "x")
    server = GitDaemon(tools, tmp_path / "d", f"--interpolated-path={root}/%H%D")
    try:
        for number, env in enumerate(({}, {"GIT_OVERRIDE_VIRTUAL_HOST": "one.example"})):
            tools.pfetch("clone", server.url("/x"), tmp_path / f"c{number}", env=env).ok()
        tools.pfetch("clone", server.url("/x"), tmp_path / "c9", env={"GIT_OVERRIDE_VIRTUAL_HOST": "two"}).refused(
            "remote error")
    finally:
        server.stop()


def test_an_ipv6_address(both, tools, tmp_path, src):
    server = GitDaemon(tools, tmp_path / "d", host="::1")
    try:
        both.clone("--depth=1", url=server.url(src.path)).same()
    finally:
        server.stop()


def test_a_proxy_program(both, daemon, rich, tmp_path):
    program = tmp_path / "proxy"
    program.write_text(f"#!/bin/sh\necho \"$@\" >>{tmp_path}/log\nexec /usr/bin/python3 -c '"
                       "import socket, sys, threading, os\n"
                       f"s = socket.create_connection((\"127.0.0.1\", {daemon.port}))\n"
                       "def up():\n"
                       "    while data := os.read(0, 65536): s.sendall(data)\n"
                       "    s.shutdown(socket.SHUT_WR)\n"
                       "threading.Thread(target=up, daemon=True).start()\n"
                       "while data := s.recv(65536): os.write(1, data)'\n")
    program.chmod(0o755)
    both.clone("--depth=1", url=f"git://far.example:77{rich.path}", before=["-c", f"core.gitProxy={program}"]).same()
    assert (tmp_path / "log").read_text() == "far.example 77\n" * 2


@pytest.mark.parametrize("protocol", [0, 2])
@pytest.mark.parametrize("allowed", [True, False])
def test_one_commit_by_its_id(tools, daemon, tmp_path, check, protocol, allowed):
    """C23: --revision of a commit that no ref names; over protocol 0 the server's policy decides."""
    from history import History
    source = History().linear(6).write(tools, tmp_path / "src")
    old = source.ids["c3"]
    if allowed:
        source.config(uploadpack__allowReachableSHA1InWant="true")
    result = tools.pfetch(*speaking(protocol), "clone", "--depth=1", f"--revision={old}", daemon.url(source.path),
                          tmp_path / "x")
    if protocol == 0 and not allowed:
        result.refused(f"Server does not allow request for unadvertised object {old}", code=128)
        assert not (tmp_path / "x").exists()
        return
    result.ok()
    check(tmp_path / "x", {"HEAD": 1})
    assert tools.ask(tmp_path / "x", "rev-parse", "HEAD") == old


@PROTOCOLS
def test_a_shallow_source_tells_its_boundary(both, check, daemon, tools, src, tmp_path, protocol):
    """C26: protocol 0 and 1 tell it with the refs, 2 with the pack."""
    tools.git("clone", "-q", "--bare", "--depth=3", src.url, tmp_path / "s").ok()
    for number, options in enumerate(([], ["--depth=2"], ["--mirror"])):
        both.clone(*options, url=daemon.url(tmp_path / "s"), directory=f"x{number}", before=speaking(protocol)).same()
        check(both.ours, {"HEAD": 2 if number == 1 else 3})
    both.clone("--reject-shallow", url=daemon.url(tmp_path / "s"), directory="y", before=speaking(protocol))
    both.both_refused("source repository is shallow, reject to clone.", code=128)


@pytest.mark.parametrize("options", [["--shallow-since=2040-01-01"], ["--shallow-exclude=nosuch"],
                                     ["--shallow-exclude=" + "1" * 40]], ids=" ".join)
@PROTOCOLS
def test_a_boundary_that_cannot_be(both, daemon, src, options, protocol):
    """C15: the server's reason is shown, and nothing is left."""
    both.clone(*options, url=daemon.url(src.path), before=speaking(protocol)).both_refused(code=128)


@pytest.fixture(scope="module")
def others(tools, rich, tmp_path_factory):
    folder = tmp_path_factory.mktemp("others")
    tools.git("clone", "-q", "--mirror", rich.url, folder / "root" / "x").ok()
    servers = {"jgit": JgitDaemon(tools, folder / "j", folder / "root"),
               "dulwich": Dulwich(tools, folder / "d", "git", folder / "root" / "x")}
    yield {"jgit": servers["jgit"].url("x"), "dulwich": servers["dulwich"].url}
    for server in servers.values():
        server.stop()


@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--depth=2", "--no-single-branch"], ["--mirror"]],
                         ids=" ".join)
@pytest.mark.parametrize("kind", ["jgit", "dulwich"])
@pytest.mark.parametrize("protocol", [0, 2])
def test_other_daemons(both, others, protocol, kind, options):
    both.clone(*options, url=others[kind], before=speaking(protocol))
    if both.git_result.code:
        both.result.refused()
    else:
        both.same()
