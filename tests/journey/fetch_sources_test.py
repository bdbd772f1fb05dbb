"""The shallow and transport cases that depend on the other side: shallow, old, failing, or no server at all."""
import re
import shutil
import time

import pytest

from compare import boundary, leftovers, six_checks
from history import History
from moving import commit
from packs import Pack, commit_of, object_id, sample, tree_of
from tools import PROTOCOLS, PYTHON, speaking
from twins import Twins, objects_of, state_of


@pytest.fixture
def linear(tools, tmp_path):
    """c1..c6, of this test alone."""
    return History().linear(6).write(tools, tmp_path / "src")


@pytest.fixture
def shallow_source(tools, linear, tmp_path):
    """A bare copy of its last four commits."""
    tools.git("clone", "-q", "--bare", "--depth=4", linear.url, tmp_path / "s").ok()
    return tmp_path / "s"


def cloned(tools, tmp_path, url, *options) -> Twins:
    return Twins.cloned(tools, tmp_path, url if "://" in str(url) else f"file://{url}", *options)


@PROTOCOLS
def test_unshallow_from_a_shallow_source(tools, tmp_path, linear, shallow_source, protocol):
    """C11, C26: it succeeds, and the source's root stays."""
    twins = cloned(tools, tmp_path, shallow_source, "--depth=2")
    for option in ("--unshallow", "--depth=2147483647", "--depth=2", "--deepen=1", "--unshallow"):
        twins.fetch(option, before=speaking(protocol))
    assert (twins.count(), twins.roots()) == (4, [linear.ids["c3"]])
    tools.ask(shallow_source, "fetch", "-q", "--unshallow", linear.path, "main")
    twins.fetch("--unshallow", before=speaking(protocol))
    assert (twins.count(), twins.roots()) == (6, [])


@PROTOCOLS
@pytest.mark.parametrize("options", [[], ["--update-shallow"]], ids=" ".join)
def test_a_source_that_became_shallow(tools, tmp_path, linear, protocol, options):
    """C11: new refs behind new roots need --update-shallow; what is here is never cut."""
    twins = cloned(tools, tmp_path, linear.url)
    other = History()
    for number in range(4):
        other.commit("apart", f"a{number}")
    other = other.write(tools, tmp_path / "other")
    tools.git("clone", "-q", "--bare", "--depth=2", linear.url, tmp_path / "s").ok()
    tools.ask(tmp_path / "s", "fetch", "-q", "--depth=2", other.url, "apart:apart")
    twins.each("remote", "set-url", "origin", f"file://{tmp_path}/s")
    twins.fetch(*options, before=speaking(protocol), differs=["said"])  # git says "Could not read" as well
    if not options:
        twins.result.ok()
        assert "warning: rejected refs/remotes/origin/apart because shallow roots are not" in twins.result.err
    assert twins.roots() == ([other.ids["a2"]] if options else [])
    assert twins.count("HEAD") == 6
    twins.fetch("--update-shallow", "origin", "main:refs/heads/copy", before=speaking(protocol))
    assert twins.count("copy") == 6


def test_a_sender_with_longer_history_does_not_move_the_boundary(tools, tmp_path, linear, shallow_source):
    """The eight steps: the file keeps its bytes and its time."""
    twins = cloned(tools, tmp_path, linear.url, "--depth=1")
    commit(linear, "main", "c7", ["c6"])
    tools.ask(shallow_source, "fetch", "-q", linear.url, "main:main")
    twins.each("remote", "set-url", "origin", f"file://{shallow_source}")
    file = twins.ours / ".git" / "shallow"
    before = file.stat().st_mtime_ns, file.stat().st_ino
    twins.fetch().fetch("--update-shallow").fetch("--depth=2", "--dry-run")
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before


@PROTOCOLS
@pytest.mark.parametrize("kind", ["path", "relative path", "file", "alternates"])
def test_depth_counts_on_a_plain_path_too(tools, tmp_path, linear, protocol, kind):
    """C21: git ignores it for a clone, not for a fetch; a source that borrows its objects is the same."""
    source = {"path": linear.path, "relative path": "../../src", "file": linear.url, "alternates": tmp_path / "lent"}[kind]
    if kind == "alternates":
        tools.git("clone", "-q", "-s", linear.path, tmp_path / "lent").ok()
    tools.git("init", "-q", tmp_path / "empty").ok()
    twins = Twins(tools, tmp_path, tmp_path / "empty")
    twins.fetch("--depth=1", source, "main:refs/heads/got", before=speaking(protocol))
    twins.fetch("--depth=3", source, "main:refs/heads/got", before=speaking(protocol))
    assert twins.count("got") == 3


def test_a_clone_of_a_tag_gets_all_branches_later(moved, tools, tmp_path):
    """C22: unshallow brings no branch; set-branches does."""
    twins = cloned(tools, tmp_path, moved.url, "--depth=1", "--branch=v2")
    twins.fetch("--unshallow")
    assert not tools.ask(twins.ours, "for-each-ref", "refs/remotes")
    twins.each("remote", "set-branches", "origin", "*").fetch()
    assert "origin/main" in tools.ask(twins.ours, "for-each-ref")


@PROTOCOLS
@pytest.mark.parametrize("allow", [None, "allowReachableSHA1InWant", "allowTipSHA1InWant", "allowAnySHA1InWant"])
@pytest.mark.parametrize("what", ["old", "unreachable", "tag", "tree"])
def test_one_commit_by_id(tools, tmp_path, linear, protocol, allow, what):
    """C23: exactly that commit, or a refusal that names the server's policy and changes nothing."""
    commit(linear, "loose", "l1", ["c2"])
    linear.git("branch", "-D", "loose")
    linear.git("tag", "-a", "-m", "t", "t", linear.ids["c2"])
    if allow:
        linear.config(**{f"uploadpack__{allow}": "true"})
    oid = {"old": linear.ids["c3"], "unreachable": linear.ids["l1"], "tag": linear.git("rev-parse", "t"),
           "tree": linear.git("rev-parse", "main^{tree}")}[what]
    twins = cloned(tools, tmp_path, linear.url, "--depth=1", "--no-tags")
    before = state_of(tools, twins.ours), objects_of(tools, twins.ours)
    twins.run("--depth=1", "origin", oid, before=speaking(protocol))
    assert bool(twins.result.code) == bool(twins.git_result.code), f"{twins.git_result}\n{twins.result}"
    if twins.result.code:
        assert oid in twins.result.err and re.search("not our ref|does not allow", twins.result.err), twins.result
        assert (state_of(tools, twins.ours), objects_of(tools, twins.ours)) == before
        return
    twins.same(differs=["shallow"] if what == "tree" else [])
    six_checks(tools, twins.ours)
    if what == "old":
        assert twins.count("FETCH_HEAD") == 1


TAGS = [[], ["--tags"], ["--no-tags"], ["--tags", "--force"]]


@pytest.mark.parametrize("protocol, include", [(0, True), (1, True), (2, True), (0, False), (1, False)])
@pytest.mark.parametrize("options", TAGS, ids=" ".join)
def test_tags_together_with_depth(tools, tmp_path, protocol, options, include):
    """C24: tags in and out of the window, of tags, of a blob, of a tree; the second connection moves no boundary."""
    history = History().linear(6)
    for name, target, annotated in (("in", "c5", True), ("in-light", "c6", False), ("out", "c2", True),
                                    ("out-light", "c1", False), ("of-tag", "in", True), ("blob", "main:file.txt", False),
                                    ("tree", "main:dir", True)):
        history.tag(name, target, annotated)
    source = history.write(tools, tmp_path / "src")
    source.git("update-ref", "refs/heads/early", source.ids["c1"])
    twins = cloned(tools, tmp_path, source.url, "--depth=1", "--branch=early", "--no-tags")
    twins.each("remote", "set-branches", "origin", "main").each("config", "--unset", "remote.origin.tagOpt")
    extra = [] if include else ["--upload-pack", without_include_tag(tmp_path)]
    twins.fetch("--depth=2", *options, *extra, before=speaking(protocol))
    if "--tags" not in options:  # tags of older commits are tips, too, and bring their own two levels
        assert twins.count("origin/main") == 2


@PROTOCOLS
def test_a_second_connection_for_tags_prunes_no_branches(tools, tmp_path, linear, protocol):
    for branch in ("one", "two"):
        linear.git("branch", branch, "main~1")
    twins = cloned(tools, tmp_path, linear.url)
    commit(linear, "main", "new", ["c6"])
    linear.git("tag", "-a", "-m", "new", "new", "main")
    commit(linear, "main", "newer", [linear.git("rev-parse", "main")])  # the tag is of no tip
    linear.git("branch", "-D", "two")
    twins.fetch("--prune", "--upload-pack", without_include_tag(tmp_path), before=speaking(protocol))
    refs = tools.ask(twins.ours, "for-each-ref", "--format=%(refname)")
    assert "refs/remotes/origin/one" in refs and "refs/remotes/origin/two" not in refs and "refs/tags/new" in refs


def without_include_tag(folder) -> str:
    """An upload-pack that does not speak of include-tag: the word is overwritten on its way to the client."""
    path = folder / "upload-pack"
    overwrite = "import os\nwhile data := os.read(0, 65536): os.write(1, data.replace(b'include-tag', b'xnclude-tag'))"
    path.write_text(f'#!/bin/sh\ngit-upload-pack "$@" | {PYTHON} -c "{overwrite}"\n')
    path.chmod(0o755)
    return str(path)


@PROTOCOLS
def test_a_plain_fetch_states_its_boundary(tools, tmp_path, linear, protocol):
    """C26: over every protocol, from a complete source and a shallow one."""
    twins = cloned(tools, tmp_path, linear.url, "--depth=2")
    commit(linear, "main", "c7", ["c6"])
    commit(linear, "back", "b1", ["c3"])
    twins.fetch(before=speaking(protocol)).fetch("origin", "back:refs/heads/back", before=speaking(protocol))
    assert (twins.count("origin/main"), twins.count("back")) == (3, 4)


def test_what_a_bundle_or_a_lender_is_for(tools, tmp_path, linear, shallow_source):
    """C27: a bundle is refused by name; objects of a lender that became shallow are not taken for whole."""
    twins = cloned(tools, tmp_path, linear.url, "--depth=1")
    linear.git("bundle", "create", "-q", tmp_path / "b.bundle", "--all")
    before = state_of(tools, twins.ours)
    tools.pfetch("fetch", tmp_path / "b.bundle", cwd=twins.ours).refused("bundle", code=128)
    assert state_of(tools, twins.ours) == before
    twins.write("objects/info/alternates", f"{shallow_source}/objects\n").fetch("--deepen=3")
    assert twins.count() == 4
    twins.fetch("--unshallow")


ENDS_AFTER = """#!{python}
import os, subprocess, sys
server = subprocess.Popen(["git-upload-pack", *sys.argv[1:]], stdout=subprocess.PIPE)
left = {count}
while left > 0 and (data := os.read(server.stdout.fileno(), left)):
    os.write(1, data)
    left -= len(data)
server.kill()
"""


@pytest.mark.parametrize("how", ["missing", "exits after the pack", "dies in the pack", "says no", "cut", "no git"])
@pytest.mark.parametrize("options", [[], ["--depth=2"], ["--unshallow"]], ids=" ".join)
def test_a_failing_source_changes_nothing(tools, tmp_path, linear, how, options):
    """C29: old refs, old boundary, old objects, no leftovers, an exit code that tells."""
    twins = cloned(tools, tmp_path, linear.url, "--depth=1")
    commit(linear, "main", "c7", ["c6"])
    shell = "#!/bin/sh\n"
    script = {"exits after the pack": shell + 'git-upload-pack "$@"; exit 3', "says no": shell + "echo no >&2; exit 1",
              "no git": shell + "echo hello", "missing": "", "cut": ENDS_AFTER.format(python=PYTHON, count=300),
              "dies in the pack": ENDS_AFTER.format(python=PYTHON, count=520)}[how]
    (tmp_path / "up").write_text(script)
    (tmp_path / "up").chmod(0o755)
    if how == "missing":
        shutil.move(linear.path, tmp_path / "gone")
    before = state_of(tools, twins.ours)
    twins.run(*options, *(["--upload-pack", str(tmp_path / "up")] if script else []))
    if how == "exits after the pack":  # all that was asked for has come, so git does not mind
        assert bool(twins.result.code) == bool(twins.git_result.code), f"{twins.git_result}\n{twins.result}"
        six_checks(tools, twins.ours)
        return
    twins.result.refused(code=128)
    assert state_of(tools, twins.ours) == before
    six_checks(tools, twins.ours)


@PROTOCOLS
def test_a_pack_without_objects(tools, tmp_path, linear, protocol):
    """C32: the boundary moves though nothing is sent; the same fetch twice makes no pile of packs."""
    twins = cloned(tools, tmp_path, linear.url).each("branch", "keep")
    twins.fetch("--depth=1", before=speaking(protocol)).fetch("--depth=2", before=speaking(protocol))
    assert twins.count("origin/main") == 2
    packs = sorted((twins.ours / ".git" / "objects" / "pack").iterdir())
    for _ in range(3):
        twins.fetch("--depth=2", before=speaking(protocol)).fetch("--deepen=0", before=speaking(protocol))
    assert sorted((twins.ours / ".git" / "objects" / "pack").iterdir()) == packs
    twins.fetch("--unshallow", before=speaking(protocol))
    assert sorted((twins.ours / ".git" / "objects" / "pack").iterdir()) == packs


@pytest.mark.parametrize("limit", ["100", "1"])
def test_the_empty_tree_is_stored_like_any_other(tools, tmp_path, linear, limit):
    """Unpacked or kept: git's fsck misses it otherwise."""
    twins = cloned(tools, tmp_path, linear.url, "--depth=1").each("config", "fetch.unpackLimit", limit)
    linear.git("update-ref", "refs/heads/main", linear.git("commit-tree", "-m", "c7", "-p", linear.ids["c6"],
                                                           linear.git("mktree", data=b"")))
    twins.fetch()


def test_fetches_beside_a_repack(tools, tmp_path, linear):
    """C32: packs that vanish in between are no error."""
    twins = cloned(tools, tmp_path, linear.url, "--depth=1")
    loop = tools.start("sh", "-c", "while :; do git repack -adq; done", cwd=twins.ours)
    try:
        started = time.monotonic()
        for number in range(7, 30):
            commit(linear, "main", f"c{number}", [f"c{number - 1}"])
            tools.pfetch("fetch", f"--depth={number % 5 + 1}", cwd=twins.ours).ok()
            if time.monotonic() - started > 4:
                break
    finally:
        loop.terminate()
        loop.communicate()
    tools.git("-C", twins.ours, "fsck", "--connectivity-only").ok()


@pytest.mark.ours
@PROTOCOLS
def test_a_local_commit_that_lacks_something_is_fetched_anew(tools, tmp_path, fake_server, protocol):
    """A dangling local commit misses its blob: its child, sent without it, is refused."""
    pack, tip = sample()
    server = fake_server(pack.done(), tip)
    tools.pfetch(*speaking(protocol), "clone", "-q", *server["args"], server["url"], tmp_path / "x").ok()
    hole = tree_of(("100644", "f", "1" * 40))  # a tree whose one blob is nowhere
    parent = commit_of(object_id("tree", hole), tip, message="half")
    for kind, content in (("commit", parent), ("tree", hole)):
        tools.ask(tmp_path / "x", "hash-object", "-t", kind, "-w", "--stdin", "--literally", data=content)
    child_pack = Pack()
    child = commit_of(object_id("tree", hole), object_id("commit", parent), message="child")
    child_pack.add("commit", child)
    liar = fake_server(child_pack.done(), object_id("commit", child))
    refs = tools.ask(tmp_path / "x", "for-each-ref")
    result = tools.pfetch(*speaking(protocol), "fetch", *liar["args"], liar["url"], "main:refs/heads/got", cwd=tmp_path / "x")
    result.refused("1" * 40, code=128)
    assert tools.ask(tmp_path / "x", "for-each-ref") == refs
    assert leftovers(tmp_path / "x" / ".git") == [] and boundary(tmp_path / "x" / ".git") is None

