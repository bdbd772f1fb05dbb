"""Depth in every form, and a source that is itself shallow: what the boundary becomes here."""
import pytest

from compare import boundary
from history import History
from packs import Pack, commit_of, object_id, sample
from tools import PROTOCOLS, speaking


def branch_and_merge(tools, path):
    """one-two-three, four-five from three... and a merge of both."""
    history = History()
    for name in ("one", "two", "three"):
        history.commit("main", name)
    history.commit("side", "four", start="three")
    history.commit("side", "five")
    history.commit("main", "six")
    history.commit("main", "merge", merge=["five"])
    return history.write(tools, path)


# Depth.

@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6, 7, 2147483647])
def test_depth_n_records_the_boundary(tools, both, check, src, depth):
    both.clone(f"--depth={depth}", url=src.url).same()
    expected = [src.ids[f"c{7 - depth}"]] if depth <= 6 else None
    assert boundary(both.ours / ".git") == expected
    for step in (("repack", "-adq"), ("gc", "-q", "--prune=now")):
        tools.ask(both.ours, *step)
        check(both.ours, {"HEAD": min(depth, 6)})
    tools.ask(both.ours, "fetch", "-q", "--unshallow") if depth <= 6 else None
    check(both.ours, {"HEAD": 6})


@PROTOCOLS
def test_a_single_commit_is_its_own_boundary(both, check, tools, tmp_path, protocol):
    source = History().linear(1).write(tools, tmp_path / "one")
    both.clone("--depth=1", url=source.url, before=speaking(protocol)).same()
    assert boundary(both.ours / ".git") == [source.ids["c1"]]
    check(both.ours, {"HEAD": 1})


@PROTOCOLS
@pytest.mark.parametrize("shallow", [[], None], ids=["an empty section", "the tip"])
def test_whatever_boundary_the_server_sends(both, check, fake_server, protocol, shallow):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, shallow=[tip] if shallow is None else shallow)
    both.clone("--depth=1", *server["args"], url=server["url"], before=speaking(protocol)).same()
    check(both.ours, {"HEAD": 1})


@pytest.mark.parametrize("shallow", ["1" * 40, "zz", ""])
def test_a_boundary_that_cannot_be(both, fake_server, shallow):
    """An id that is not in the pack, or no id at all."""
    pack, tip = sample()
    server = fake_server(pack.done(), tip, shallow=[shallow])
    both.clone("--depth=1", *server["args"], url=server["url"])
    if both.git_result.code:
        both.result.refused(code=both.git_result.code)
        assert not both.ours.exists()
    else:  # git lists a commit that is not there; pfetch lists only what the pack brought
        assert not boundary(both.ours / ".git")


def test_a_missing_parent_of_a_commit_that_is_no_boundary(both, fake_server):
    pack = Pack()
    tree = pack.add("tree", b"")
    parent = commit_of(tree, "1" * 40)
    middle = commit_of(tree, pack.add("commit", parent), message="middle")
    tip = pack.add("commit", commit_of(tree, pack.add("commit", middle), message="tip"))
    server = fake_server(pack.done(), tip, shallow=[tip])
    both.clone("--depth=1", *server["args"], url=server["url"])
    both.result.refused("1" * 40, code=128)  # every object of the pack is checked; git walks from the tips only
    server = fake_server(pack.done(), tip, shallow=[])
    both.clone("--depth=2", *server["args"], url=server["url"], directory="y").both_refused(code=128)


def test_two_tips_one_the_parent_of_the_other(tools, both, check, tmp_path):
    history = History()
    for name in ("A", "B"):
        history.commit("main", name)
    history.commit("b", "onb", {}, start="B")
    history.commit("main", "C")
    source = history.write(tools, tmp_path / "src")
    source.git("update-ref", "refs/heads/b", source.ids["B"])
    both.clone("--depth=1", "--no-single-branch", url=source.url).same()
    assert boundary(both.ours / ".git") == sorted([source.ids["B"], source.ids["C"]])
    assert tools.git("-C", both.ours, "merge-base", "--is-ancestor", source.ids["B"], source.ids["C"]).code == 1
    check(both.ours, {"origin/b": 1, "main": 1})


@pytest.mark.parametrize("depth", range(1, 8))
def test_depth_across_a_merge(both, check, tools, tmp_path, depth):
    source = branch_and_merge(tools, tmp_path / "src")
    both.clone(f"--depth={depth}", url=source.url).same()
    check(both.ours)


def test_since_and_exclude_and_their_refusals(both, check, src, tools, tmp_path):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "src").ok()
    tools.ask(tmp_path / "src", "tag", "at3", src.ids["c3"])
    url = f"file://{tmp_path}/src"
    for number, bad in enumerate(("--shallow-since=2030-01-01", "--shallow-exclude=nosuch",
                                  f"--shallow-exclude={src.ids['c3']}",
                                  "--shallow-exclude=main")):
        both.clone(bad, url=url, directory=f"bad{number}").both_refused(code=128)
    both.clone("--shallow-exclude=at3", url=url).same()
    assert boundary(both.ours / ".git") == [src.ids["c4"]]
    check(both.ours, {"HEAD": 3})
    for number, when in enumerate(("1600003500", "2020-09-13T13:00:00Z", "2020-09-13", "yesterday")):
        both.clone(f"--shallow-since={when}", url=url, directory=f"since{number}")
        if both.git_result.code:
            both.both_refused(code=128)
        else:
            both.same()
            check(both.ours)


@pytest.mark.ours
@pytest.mark.parametrize("option", ["--shallow-since=2030-01-01", "--shallow-exclude=nosuch"])
def test_the_reason_of_a_refused_depth_is_shown(tools, tmp_path, src, option):
    result = tools.pfetch("clone", option, src.url, tmp_path / "x").refused(code=128)
    assert "no commits selected" in result.err or "ambiguous" in result.err or "nosuch" in result.err, result


@pytest.mark.ours
def test_a_root_that_the_server_names_but_does_not_send_is_not_written(tools, check, tmp_path):
    """Excluding one side of a merge, git's server names the other side's tip as a root too, and does not send it."""
    source = branch_and_merge(tools, tmp_path / "src")
    tools.pfetch("clone", "--shallow-exclude=side", source.url, tmp_path / "x").ok()
    assert boundary(tmp_path / "x" / ".git") == [source.ids["merge"]]
    check(tmp_path / "x", {"HEAD": 1})


@PROTOCOLS
def test_dates_out_of_order_across_the_cut(both, check, tools, tmp_path, protocol):
    def year(number):
        return 1577880000 + (number - 2020) * 31557600

    history = History()
    for name, when in (("a", 2020), ("b", 2024), ("c", 2021), ("d", 2024), ("e", 2024)):
        history.commit("main", name, date=year(when))
    source = history.write(tools, tmp_path / "linear")
    both.clone("--shallow-since=2023-01-01", url=source.url, before=speaking(protocol)).same()
    check(both.ours, {"HEAD": 2})
    history = History()
    history.commit("main", "root", date=year(2020))
    history.commit("main", "a", date=year(2024))
    history.commit("side", "sOld", start="root", date=year(2021))
    history.commit("side", "sNew", date=year(2024))
    history.commit("main", "m", merge=["sNew"], date=year(2025))
    source = history.write(tools, tmp_path / "merge")
    both.clone("--shallow-since=2023-01-01", url=source.url, directory="y", before=speaking(protocol)).same()
    assert boundary(both.ours / ".git") == sorted([source.ids["a"], source.ids["sNew"]])
    check(both.ours, {"HEAD": 3})


def test_commit_graph_and_bitmap_at_the_source_change_nothing(both, check, tools, tmp_path):
    source = branch_and_merge(tools, tmp_path / "src")
    source.git("repack", "-adbq")
    source.git("commit-graph", "write", "--reachable")
    for number, options in enumerate((["--depth=2"], ["--shallow-since=2001-01-01"], [],
                                      ["--depth=1", "--no-single-branch"])):
        both.clone(*options, url=source.url, directory=f"x{number}",
                   before=("-c", "fetch.writeCommitGraph=true")).same()
        check(both.ours)
        tools.git("-C", both.ours, "commit-graph", "verify").ok()


def test_a_clone_of_a_tag_can_be_unshallowed(both, check, tools, rich):
    both.clone("--depth=1", "--branch=v1.0", url=rich.url).same()
    for clone in (both.theirs, both.ours):
        tools.git("-C", clone, "fetch", "-q", "--unshallow").ok()
    both.same()
    check(both.ours, {"HEAD": 6})


@PROTOCOLS
@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--depth=2", "--no-single-branch"], ["--no-tags", "--depth=1"],
                                     ["--single-branch"]], ids=" ".join)
def test_tags_from_a_server_that_does_not_include_them(both, check, fake_server, protocol, options):
    """Protocol 0 without include-tag: one tag on the tip, one on a commit that was not sent, one of a blob."""
    pack, tip = sample()
    tag = f"object {tip}\ntype commit\ntag v1\ntagger A U Thor <author@example.com> 1600000000 +0000\n\nv1\n".encode()
    blob = object_id("blob", b"content 1\n" * 20)
    server = fake_server(pack_with(pack, tag), tip, shallow=[tip], refs=[
        [tip, "refs/heads/main"], [blob, "refs/tags/blob"], [tip, "refs/tags/light"],
        [object_id("tag", tag), "refs/tags/v1"],
        [tip, "refs/tags/v1^{}"]] if protocol == 0 else [[tip, "refs/heads/main"], [tip, "refs/tags/light"]])
    both.clone(*options, *server["args"], url=server["url"], before=speaking(protocol))
    assert both.result.code == both.git_result.code, both.result
    if both.result.code == 0:
        both.same()
        check(both.ours)


def pack_with(pack, tag) -> bytes:
    pack.add("tag", tag)
    return pack.done()


# A source that is itself shallow.

@pytest.fixture(scope="module")
def shallow_source(tools, src, tmp_path_factory):
    path = tmp_path_factory.mktemp("shallow") / "s"
    tools.git("clone", "-q", "--bare", "--depth=4", src.url, path).ok()
    return path


@PROTOCOLS
@pytest.mark.parametrize("transport", ["path", "file", "ssh"])
def test_a_clone_of_a_shallow_source_keeps_its_roots(both, check, tools, src, shallow_source, sshd, transport,
                                                     protocol):
    url = {"path": shallow_source, "file": f"file://{shallow_source}", "ssh": sshd.url(shallow_source)}[transport]
    for number, (options, commits) in enumerate(((["--depth=2"], 2), (["--depth=4"], 4), (["--depth=5"], 4), ([], 4))):
        both.clone(*options, url=url, directory=f"x{number}", before=speaking(protocol)).same()
        check(both.ours, {"HEAD": commits})
    assert boundary(both.ours / ".git") == [src.ids["c3"]]
    tools.git("-C", both.ours, "fetch", "-q", "--depth=2147483647").ok()
    assert boundary(both.ours / ".git") == [src.ids["c3"]]


@PROTOCOLS
def test_only_roots_that_the_pack_meets_are_written(both, check, tools, tmp_path, protocol):
    source = branch_and_merge(tools, tmp_path / "src")
    tools.git("clone", "-q", "--bare", "--depth=1", "--no-single-branch", source.url, tmp_path / "s").ok()
    assert len(boundary(tmp_path / "s")) == 2
    for number, options in enumerate((["--single-branch"], ["--no-single-branch"],
                                      ["--branch=side", "--single-branch"])):
        both.clone(*options, url=f"file://{tmp_path}/s", directory=f"x{number}", before=speaking(protocol)).same()
        check(both.ours)


@PROTOCOLS
def test_reject_shallow_leaves_no_directory(both, src, shallow_source, protocol):
    url = f"file://{shallow_source}"
    both.clone("--reject-shallow", url=url,
               before=speaking(protocol)).both_refused("source repository is shallow, reject to clone.", code=128)
    both.clone(url=url, before=(*speaking(protocol), "-c", "clone.rejectShallow=true")).both_refused("shallow",
        code=128)
    both.clone("--reject-shallow", "--depth=1", url=url, directory="z", before=speaking(protocol)).same()
    both.clone("--no-reject-shallow", url=url, before=(*speaking(protocol), "-c", "clone.rejectShallow=true")).same()
    both.clone("--reject-shallow", "--depth=2", url=src.url, directory="y", before=speaking(protocol)).same()


@pytest.mark.parametrize("how", ["CRLF", "trailing text", "no newline", "twice", "blank line", "empty", "upper case",
                                 "short id"])
def test_odd_contents_of_the_sources_boundary(both, src, shallow_source, tools, tmp_path, how):
    tools.git("clone", "-q", "--bare", f"file://{shallow_source}", tmp_path / "s").ok()
    root = src.ids["c3"]
    text = {"CRLF": f"{root}\r\n", "trailing text": f"{root} and more\n", "no newline": root,
            "twice": f"{root}\n{root}\n",
            "blank line": f"{root}\n\n", "empty": "", "upper case": f"{root.upper()}\n",
            "short id": f"{root[:39]}\n"}[how]
    (tmp_path / "s" / "shallow").write_bytes(text.encode())
    for number, options in enumerate(([], ["--depth=2"])):
        both.clone(*options, url=f"file://{tmp_path}/s", directory=f"x{number}")
        if both.git_result.code:
            both.both_refused(code=128)
        else:
            both.same()


def test_a_bundle_of_a_shallow_clone_is_no_whole_history(tools, tmp_path, shallow_source):
    tools.ask(shallow_source, "bundle", "create", "-q", tmp_path / "b.bundle", "--all")
    tools.pfetch("clone", tmp_path / "b.bundle", tmp_path / "x").refused(code=128)
    assert not (tmp_path / "x").exists()
