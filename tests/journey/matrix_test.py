"""Every way to reach a repository × every protocol × the options that change what is brought in, each beside git."""
import pytest

from tools import speaking

VARIANTS = {
    "full": [],
    "depth-1": ["--depth", "1"],
    "depth-3": ["--depth=3"],
    "since": ["--shallow-since=2018-06-01T00:00:00"],
    "exclude": ["--shallow-exclude", "v0.1"],
    "exclude-two-branches": ["--shallow-exclude=side", "--shallow-exclude=t2-tag", "--no-single-branch"],
    "branch": ["--branch", "topic"],
    "branch-depth": ["-b", "topic", "--depth", "1"],
    "tag": ["--branch", "v1.0"],
    "tag-depth": ["--branch=v1.0", "--depth=1"],
    "bare": ["--bare"],
    "bare-depth": ["--bare", "--depth", "2"],
    "mirror": ["--mirror"],
    "mirror-depth": ["--mirror", "--depth", "2"],
    "no-checkout": ["-n"],
    "single": ["--single-branch"],
    "depth-all-branches": ["--depth", "1", "--no-single-branch"],
    "no-tags": ["--no-tags"],
    "tags-depth": ["--tags", "--depth", "2"],
    "no-tags-depth": ["--no-tags", "--depth", "2"],
    "origin": ["--origin", "upstream"],
    "config": ["-c", "core.autocrlf=true", "--config", "user.name=X Y", "--depth", "1"],
    "quiet": ["-q", "--depth", "1"],
}
OVER_OLD_SSH = ("full", "depth-3", "since", "exclude", "tag-depth", "mirror")
EVERYWHERE = [(transport, protocol, variant) for transport in ("path", "file", "ssh") for protocol in (2, 1, 0)
              for variant in VARIANTS if transport != "ssh" or protocol == 2 or variant in OVER_OLD_SSH]


@pytest.fixture(scope="module")
def urls(rich, sshd):
    rich.git("tag", "-f", "t2-tag", rich.ids["t2"])
    return {"path": rich.path, "file": rich.url, "ssh": sshd.url(rich.path)}


@pytest.mark.parametrize("transport, protocol, variant", EVERYWHERE)
def test_a_clone_is_what_git_makes(both, urls, transport, protocol, variant):
    both.clone(*VARIANTS[variant], url=urls[transport], before=speaking(protocol))
    both.same(clean=variant != "no-checkout")
    both.same_messages()


@pytest.mark.parametrize("protocol, greeting", [(2, "version 2"), (1, "version 1"), (0, "symref=HEAD:refs/heads/main")])
@pytest.mark.parametrize("transport", ["path", "file", "ssh"])
def test_the_protocol_asked_for_is_spoken(both, urls, transport, protocol, greeting):
    both.clone("--depth=1", url=urls[transport], before=speaking(protocol), env={"GIT_TRACE_PACKET": "1"})
    for err in (both.git_result.ok().err, both.result.ok().err):
        received = [line for line in err.splitlines() if "< " in line and greeting in line]
        assert received, f"'{greeting}' was not received:\n{err[:3000]}"
