"""Every way to reach a repository × every protocol × what a fetch may be asked for, each beside git."""
import pytest

from fetch_options_test import SAME as OPTIONS
from servers import Apache, GitDaemon
from tools import speaking
from twins import said

VARIANTS = {
    "plain": [], "depth": ["--depth=1"], "depth 3": ["--depth=3"], "deepen": ["--deepen=1"], "unshallow": ["--unshallow"],
    "since": ["--shallow-since=1600005500"], "exclude": ["--shallow-exclude=v1", "origin", "main"],
    "tags": ["--tags", "--force"], "prune": ["--prune", "--no-tags"], "branch": ["origin", "topic:refs/heads/topic"],
    "refetch": ["--refetch", "origin", "main"], "by ids": None,
}
COMPLETE = ("plain", "tags", "prune", "branch", "refetch")


@pytest.fixture(scope="module")
def address(tools, sshd, tmp_path_factory):
    """address(connection, path)"""
    folder = tmp_path_factory.mktemp("servers")
    web, daemon = Apache(tools, folder / "web", "open-sesame-7431"), GitDaemon(tools, folder / "git")
    yield lambda connection, path: {"file": f"file://{path}", "ssh": sshd.url(path), "http": web.url("open", path),
                                    "git": daemon.url(path)}[connection]
    web.stop()
    daemon.stop()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("protocol", [2, 0])
@pytest.mark.parametrize("connection", ["file", "ssh", "http", "git"])
def test_a_fetch_is_what_git_makes(moved, tmp_path, address, connection, protocol, variant):
    for kind in ("full", "depths") if variant in COMPLETE and connection == "file" else ("depths",):
        twins = moved.twins(tmp_path / kind, kind)
        twins.each("remote", "set-url", "origin", address(connection, moved.path))
        args = VARIANTS[variant]
        if args is None:
            args = ["origin", *(moved.source.git("rev-parse", ref) for ref in ("main", "v2", "side"))]
        # Over http with protocol 0, git does not come back for tags of what a depth has brought.
        alone = ["--no-tags"] if (connection, protocol) == ("http", 0) and variant not in COMPLETE else []
        twins.fetch(*alone, *args, before=speaking(protocol), again=kind == "depths" and variant.startswith(("depth", "since")))
        twins.fetch(*alone, before=speaking(protocol))


# Git speaks http through a helper. With protocol 0 that helper does not know these and git goes on without; we do them.
NOT_BY_GITS_HELPER = {"refetch", "server option", "tip", "tips", "tips that match nothing"}
# What -v brings out of git about the connection itself.
OF_THE_CONNECTION = ("POST ", "Looking up ", "Connecting to ")


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("protocol", [2, 0])
@pytest.mark.parametrize("connection", ["file", "ssh", "http", "git"])
def test_every_option_over_every_connection(moved, tmp_path, address, connection, protocol, option):
    twins = moved.twins(tmp_path)
    twins.each("remote", "set-url", "origin", address(connection, moved.path))
    differs = []
    if connection == "http" and protocol == 0 and option in NOT_BY_GITS_HELPER:
        twins.tools.ask(twins.theirs, "remote", "set-url", "origin", address("file", moved.path))
        differs = ["said", "FETCH_HEAD", "config"]
    verbose = any(word == "-v" or word.startswith("--verb") for word in OPTIONS[option])
    if option == "server option" and protocol == 0:  # both refuse, each in its words; git has emptied FETCH_HEAD by then
        twins.fetch(*OPTIONS[option], before=speaking(protocol), code=128, differs=["said", "FETCH_HEAD", "config"])
        assert "server options require protocol version 2" in twins.result.err
    elif verbose and connection in ("http", "git"):
        twins.fetch(*OPTIONS[option], before=speaking(protocol), code=None, differs=["said"])
        theirs = [line for line in said(twins.git_result.err, twins.theirs) if not line.startswith(OF_THE_CONNECTION)]
        assert theirs == said(twins.result.err, twins.ours)
    else:
        twins.fetch(*OPTIONS[option], before=speaking(protocol), code=None, differs=differs)


@pytest.mark.parametrize("protocol", [2, 0])
@pytest.mark.parametrize("connection", ["file", "ssh", "http", "git"])
def test_a_server_that_is_shallow(tools, moved, tmp_path, address, connection, protocol):
    """C11, C26: what it lacks is not missed, and moves our boundary only where it must."""
    tools.git("clone", "-q", "--bare", "--depth=2", "--no-single-branch", moved.url, tmp_path / "s").ok()
    for kind, args in (("full", []), ("depth", ["--depth=2"]), ("depths", ["--unshallow"]), ("depth", ["--update-shallow"])):
        twins = moved.twins(tmp_path / f"{kind}{len(args)}{''.join(args)[:9]}", kind)
        twins.each("remote", "set-url", "origin", address(connection, tmp_path / "s"))
        twins.fetch("--no-tags", *args, before=speaking(protocol), differs=["said"], code=None)
