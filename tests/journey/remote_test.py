"""What the other side may be: empty, detached, unborn, shallow, full of odd refs; and what its boundary becomes here."""
import pytest

from compare import boundary
from history import History
from packs import Pack, commit_of, object_id, sample

PROTOCOLS = pytest.mark.parametrize("protocol", [0, 1, 2])


def speaking(protocol) -> tuple:
    return ("-c", f"protocol.version={protocol}")


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
        assert boundary(both.ours / ".git") == []


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
    for number, bad in enumerate(("--shallow-since=2030-01-01", "--shallow-exclude=nosuch", f"--shallow-exclude={src.ids['c3']}",
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
    """Excluding one side of a merge, git's server names the other side's tip as a root as well, and does not send it."""
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
    for number, options in enumerate((["--depth=2"], ["--shallow-since=2001-01-01"], [], ["--depth=1", "--no-single-branch"])):
        both.clone(*options, url=source.url, directory=f"x{number}", before=("-c", "fetch.writeCommitGraph=true")).same()
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
        [tip, "refs/heads/main"], [blob, "refs/tags/blob"], [tip, "refs/tags/light"], [object_id("tag", tag), "refs/tags/v1"],
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
def test_a_clone_of_a_shallow_source_keeps_its_roots(both, check, tools, src, shallow_source, sshd, transport, protocol):
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
    for number, options in enumerate((["--single-branch"], ["--no-single-branch"], ["--branch=side", "--single-branch"])):
        both.clone(*options, url=f"file://{tmp_path}/s", directory=f"x{number}", before=speaking(protocol)).same()
        check(both.ours)


@PROTOCOLS
def test_reject_shallow_leaves_no_directory(both, src, shallow_source, protocol):
    url = f"file://{shallow_source}"
    both.clone("--reject-shallow", url=url, before=speaking(protocol)).both_refused("source repository is shallow, reject to clone.", code=128)
    both.clone(url=url, before=(*speaking(protocol), "-c", "clone.rejectShallow=true")).both_refused("shallow", code=128)
    both.clone("--reject-shallow", "--depth=1", url=url, directory="z", before=speaking(protocol)).same()
    both.clone("--no-reject-shallow", url=url, before=(*speaking(protocol), "-c", "clone.rejectShallow=true")).same()
    both.clone("--reject-shallow", "--depth=2", url=src.url, directory="y", before=speaking(protocol)).same()


@pytest.mark.parametrize("how", ["CRLF", "trailing text", "no newline", "twice", "blank line", "empty", "upper case", "short id"])
def test_odd_contents_of_the_sources_boundary(both, src, shallow_source, tools, tmp_path, how):
    tools.git("clone", "-q", "--bare", f"file://{shallow_source}", tmp_path / "s").ok()
    root = src.ids["c3"]
    text = {"CRLF": f"{root}\r\n", "trailing text": f"{root} and more\n", "no newline": root, "twice": f"{root}\n{root}\n",
            "blank line": f"{root}\n\n", "empty": "", "upper case": f"{root.upper()}\n", "short id": f"{root[:39]}\n"}[how]
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


# Remotes with nothing, or nothing usual, behind HEAD.

@PROTOCOLS
@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--bare"], ["--mirror"], ["-n"], ["-o", "up"], ["--single-branch"]], ids=" ".join)
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
@pytest.mark.parametrize("kind", ["detached at a branch", "detached off all branches", "detached and unreachable", "unborn", "other",
                                  "outside of heads", "only tags"])
@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--bare"], ["--depth=1", "--no-single-branch"], ["--mirror"]], ids=" ".join)
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
    both.clone("--depth=1", "-u", "env GIT_NAMESPACE=n git-upload-pack", url=f"file://{tmp_path}/s", directory="z").same()


@PROTOCOLS
def test_two_thousand_refs(both, tools, src, tmp_path, protocol):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "s").ok()
    lines = [f"create refs/{kind}/r{number} {src.ids[f'c{number % 6 + 1}']}\n" for kind in ("heads", "tags") for number in range(1000)]
    tools.git("-C", tmp_path / "s", "update-ref", "--stdin", data="".join(lines).encode()).ok()
    for number, options in enumerate(([], ["--depth=1"], ["--depth=2", "--no-single-branch"], ["--mirror"])):
        both.clone(*options, url=f"file://{tmp_path}/s", directory=f"x{number}", before=speaking(protocol)).same()


ODD_NAMES = {
    "dots": ["refs/heads/a..b"], "lock": ["refs/heads/x.lock"], "escape": ["refs/heads/../../../escape"], "absolute": ["/etc/escape"],
    "no refs/": ["escape"], "dot first": ["refs/heads/.hidden"], "space": ["refs/heads/a b"], "tilde": ["refs/heads/a~1"],
    "at-brace": ["refs/heads/a@{1}"], "double slash": ["refs/heads//a"], "end slash": ["refs/heads/a/"], "end dot": ["refs/heads/a."],
    "at": ["refs/heads/@"], "control": ["refs/heads/a\x01b"], "backslash": ["refs/heads/a\\b"], "HEAD": ["refs/heads/HEAD"],
    "dash": ["refs/heads/-f"], "one level": ["refs/one"], "case": ["refs/heads/Name", "refs/heads/name"], "latin-1": ["refs/heads/\udce9t\udce9"],
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


@pytest.mark.parametrize("ids", ["zz" * 20, "1" * 39, "1" * 41, "0" * 40, "", "1" * 64], ids=["no hex", "short", "long", "null", "none", "sha256"])
@pytest.mark.parametrize("protocol", [0, 2])
def test_ids_that_are_none(both, fake_server, ids, protocol):
    pack, tip = sample()
    server = fake_server(pack.done(), tip, refs=[[tip, "refs/heads/main"], [ids, "refs/heads/odd"]])
    both.clone("--no-single-branch", *server["args"], url=server["url"], before=speaking(protocol)).both_refused(code=128)


# fsck while receiving.

@pytest.fixture(scope="module")
def old_repository(tools, tmp_path_factory):
    """What real old repositories hold: padded modes, mode 100664, entries out of order, a timezone that is none."""
    source = History().linear(1).write(tools, tmp_path_factory.mktemp("old") / "src")
    blob = source.git("rev-parse", "main:file.txt")
    inner = source.tree(("100644", "f", blob))
    faults = {"zero": source.tree(("040000", "d", inner), ("100644", "e", blob)), "mode": source.tree(("100664", "f", blob)),
              "order": source.tree(("100644", "b", blob), ("100644", "a", blob))}
    for name, tree in faults.items():
        source.commit_tree(tree, f"refs/heads/{name}")
    raw = f"tree {inner}\nauthor A <a@b> 1600000000 +051800\ncommitter A <a@b> 1600000000 +0000\n\nzone\n"
    faults["zone"] = source.object("commit", raw.encode())
    source.git("update-ref", "refs/heads/zone", faults["zone"])
    source.faults = faults
    return source


FAULTS = {"zero": "zeroPaddedFilemode", "mode": "badFilemode", "order": "treeNotSorted", "zone": "badTimezone"}


@pytest.mark.parametrize("fault", FAULTS)
def test_old_faults_are_taken_unless_asked(both, tmp_path, old_repository, fault):
    wanted, url = ["--depth=1", f"--branch={fault}"], old_repository.url
    both.clone(*wanted, url=url).same(fsck=None, clean=False)
    for number, key in enumerate(("transfer.fsckObjects", "fetch.fsckObjects")):
        both.clone(*wanted, url=url, directory=f"a{number}", before=("-c", f"{key}=true"))
        if both.git_result.code:
            both.both_refused(old_repository.faults[fault], FAULTS[fault], code=128)
        else:
            both.same(fsck=None, clean=False)
    strict = ("-c", "transfer.fsckObjects=true")
    for number, level in enumerate(("ignore", "warn", "error")):
        both.clone(*wanted, url=url, directory=f"b{number}", before=(*strict, "-c", f"fetch.fsck.{FAULTS[fault]}={level}"))
        if both.git_result.code:
            both.both_refused(code=128)
        else:
            both.same(fsck=None, clean=False)
    (tmp_path / "skip").write_text(old_repository.faults[fault] + "\n")
    both.clone(*wanted, url=url, directory="c", before=(*strict, "-c", f"fetch.fsck.skipList={tmp_path}/skip")).same(fsck=None, clean=False)
    both.clone(*wanted, url=url, directory="d", before=("-c", "transfer.fsckObjects=true", "-c", "fetch.fsckObjects=false"))
    both.same(fsck=None, clean=False)


@pytest.mark.parametrize("setting", ["fetch.fsck.nosuchId=ignore", "fetch.fsck.badTimezone=nonsense", "fetch.fsck.skipList=/no/such/file"])
def test_bad_settings_of_fsck(both, src, setting):
    both.clone(url=src.url, before=("-c", "transfer.fsckObjects=true", "-c", setting))
    assert both.result.code == both.git_result.code, both.result


def test_absent_parents_of_roots_are_no_fault(both, check, src):
    both.clone("--depth=2", url=src.url, before=("-c", "transfer.fsckObjects=true")).same()
    check(both.ours, {"HEAD": 2})


@pytest.mark.parametrize("content, refused", [(b"[submodule \"../evil\"]\n\tpath = x\n\turl = u\n", True),
                                              (b"[submodule \"x\"]\n\tpath = x\n\turl = -evil\n", True),
                                              (b"[submodule \"x\"]\n\tpath = x\n\turl = https://good.example/x\n", False)])
def test_gitmodules_are_checked_when_asked(both, tools, tmp_path, content, refused):
    history = History()
    history.commit("main", "one", {".gitmodules": content})
    source = history.write(tools, tmp_path / "src")
    both.clone(url=source.url, before=("-c", "transfer.fsckObjects=true"))
    assert (both.git_result.code != 0) == refused, both.git_result
    assert both.result.code == both.git_result.code, both.result
    assert both.ours.exists() == (not refused)


