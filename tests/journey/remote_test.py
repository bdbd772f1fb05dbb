"""What the other side may be: empty, detached, unborn, hidden, full of odd refs."""
import pytest

from history import History
from packs import sample
from tools import PROTOCOLS, speaking


@PROTOCOLS
@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--bare"], ["--mirror"], ["-n"], ["-o", "up"],
                                     ["--single-branch"]], ids=" ".join)
def test_an_empty_remote(both, tools, tmp_path, protocol, options):
    tools.git("init", "-q", "--bare", "-b", "trunk", tmp_path / "empty").ok()
    both.clone(*options, url=f"file://{tmp_path}/empty", before=speaking(protocol)).same()
    both.same_messages()
    assert "You appear to have cloned an empty repository." in both.result.err


def test_a_branch_of_an_empty_remote(both, tools, tmp_path):
    tools.git("init", "-q", "--bare", tmp_path / "empty").ok()
    both.clone("--branch=b", url=f"file://{tmp_path}/empty").both_refused("Remote branch b not found", code=128)


def heads(tools, path, kind):
    history = History().linear(3)
    history.commit("other", "o1", start="c1")
    history.tag("v", "o1", annotated=True)
    source = history.write(tools, path)
    if kind == "detached at a branch":
        source.git("update-ref", "--no-deref", "HEAD", source.ids["o1"])
        source.git("checkout", "-q", "--detach", source.ids["o1"])
    elif kind == "detached off all branches":
        source.git("checkout", "-q", "--detach", source.ids["c2"])
    elif kind == "detached and unreachable":
        source.git("checkout", "-q", "--detach", source.ids["c2"])
        source.git("commit", "-q", "--allow-empty", "-m", "loose end")
    elif kind == "unborn":
        source.git("symbolic-ref", "HEAD", "refs/heads/nothing")
    elif kind == "other":
        source.git("symbolic-ref", "HEAD", "refs/heads/other")
    elif kind == "outside of heads":
        source.git("update-ref", "refs/special/one", source.ids["o1"])
        source.git("symbolic-ref", "HEAD", "refs/special/one")
    elif kind == "only tags":
        source.git("update-ref", "-d", "refs/heads/other")
        source.git("update-ref", "--no-deref", "-d", "refs/heads/main")
    return source


@PROTOCOLS
@pytest.mark.parametrize("kind", ["detached at a branch", "detached off all branches", "detached and unreachable",
                                  "unborn", "other",
                                  "outside of heads", "only tags"])
@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--bare"], ["--depth=1", "--no-single-branch"], ["--mirror"]],
                         ids=" ".join)
def test_where_the_remote_head_points(both, check, tools, tmp_path, protocol, kind, options):
    source = heads(tools, tmp_path / "src", kind)
    both.clone(*options, url=source.url, before=speaking(protocol))
    if both.git_result.code:
        both.both_refused(code=both.git_result.code)
    else:
        both.same()
        both.same_messages()
        check(both.ours)


def test_hidden_refs_and_a_namespace(both, tools, rich, tmp_path):
    tools.git("clone", "-q", "--mirror", rich.url, tmp_path / "s").ok()
    tools.ask(tmp_path / "s", "config", "uploadpack.hideRefs", "refs/pull")
    tools.ask(tmp_path / "s", "update-ref", "refs/namespaces/n/refs/heads/main", rich.ids["t1"])
    tools.ask(tmp_path / "s", "symbolic-ref", "refs/namespaces/n/HEAD", "refs/namespaces/n/refs/heads/main")
    both.clone("--mirror", url=f"file://{tmp_path}/s").same()
    both.clone("--depth=1", url=f"file://{tmp_path}/s", directory="y", env={"GIT_NAMESPACE": "n"})
    assert both.result.code == both.git_result.code, both.result
    both.clone("--depth=1", "-u", "env GIT_NAMESPACE=n git-upload-pack", url=f"file://{tmp_path}/s",
               directory="z").same()


@PROTOCOLS
def test_two_thousand_refs(both, tools, src, tmp_path, protocol):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "s").ok()
    lines = [f"create refs/{kind}/r{number} {src.ids[f'c{number % 6 + 1}']}\n"
             for kind in ("heads", "tags") for number in range(1000)]
    tools.git("-C", tmp_path / "s", "update-ref", "--stdin", data="".join(lines).encode()).ok()
    for number, options in enumerate(([], ["--depth=1"], ["--depth=2", "--no-single-branch"], ["--mirror"])):
        both.clone(*options, url=f"file://{tmp_path}/s", directory=f"x{number}", before=speaking(protocol)).same()


ODD_NAMES = {
    "dots": ["refs/heads/a..b"], "lock": ["refs/heads/x.lock"], "escape": ["refs/heads/../../../escape"],
    "absolute": ["/etc/escape"],
    "no refs/": ["escape"], "dot first": ["refs/heads/.hidden"], "space": ["refs/heads/a b"],
    "tilde": ["refs/heads/a~1"],
    "at-brace": ["refs/heads/a@{1}"], "double slash": ["refs/heads//a"], "end slash": ["refs/heads/a/"],
    "end dot": ["refs/heads/a."],
    "at": ["refs/heads/@"], "control": ["refs/heads/a\x01b"], "backslash": ["refs/heads/a\\b"],
    "HEAD": ["refs/heads/HEAD"],
    "dash": ["refs/heads/-f"], "one level": ["refs/one"], "case": ["refs/heads/Name", "refs/heads/name"],
    "latin-1": ["refs/heads/\udce9t\udce9"],
    "utf-8": ["refs/heads/\u00fcbung"], "long": ["refs/heads/" + "n" * 200], "too long": ["refs/heads/" + "n" * 300],
    "folder and file": ["refs/heads/foo", "refs/heads/foo/bar"], "twice": ["refs/heads/same", "refs/heads/same"],
    "unsorted": ["refs/heads/z", "refs/heads/a", "refs/tags/t", "refs/heads/m"], "peeled branch": ["refs/heads/a^{}"],
}


@pytest.mark.parametrize("protocol", [0, 2])
@pytest.mark.parametrize("kind", ODD_NAMES)
def test_names_of_refs_that_a_server_may_send(both, fake_server, tmp_path, kind, protocol):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, refs=[[tip, "refs/heads/main"], *[[tip, name] for name in ODD_NAMES[kind]]])
    for number, options in enumerate(([], ["--mirror"])):
        both.clone(*options, *server["args"], url=server["url"], directory=f"x{number}", before=speaking(protocol))
        if both.git_result.code:
            both.result.refused(code=both.git_result.code)
            assert not both.ours.exists()
        else:
            both.same(fsck="--no-reflogs")
    assert not list(tmp_path.rglob("escape*"))


@pytest.mark.parametrize("protocol", [0, 2])
@pytest.mark.parametrize("name", ["x..y", "../../../escape", "nosuch", "x.lock", "", "a b"])
def test_a_head_that_points_to_an_odd_name(both, fake_server, tmp_path, protocol, name):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, head=name)
    both.clone(*server["args"], url=server["url"], before=speaking(protocol))
    if name == "nosuch":
        both.same()
    else:  # what to make of a name that cannot be is left open, but not whether to live
        assert both.result.code in (0, 128), both.result
        assert both.ours.exists() == (both.result.code == 0)
    assert not list(tmp_path.rglob("escape*"))


@pytest.mark.parametrize("ids", ["zz" * 20, "1" * 39, "1" * 41, "0" * 40, "", "1" * 64],
                         ids=["no hex", "short", "long", "null", "none", "sha256"])
@pytest.mark.parametrize("protocol", [0, 2])
def test_ids_that_are_none(both, fake_server, ids, protocol):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, refs=[[tip, "refs/heads/main"], [ids, "refs/heads/odd"]])
    both.clone("--no-single-branch", *server["args"], url=server["url"],
               before=speaking(protocol)).both_refused(code=128)
