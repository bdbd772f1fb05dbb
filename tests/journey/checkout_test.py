"""What a clone writes into the worktree and the index: names, attributes, collisions, stat data, gitlinks."""
import os
import time

import pytest

from compare import stat_data_are_true, worktree
from history import History
from preload import built

# Names. Each entry: (mode, name); the content is what each mode needs.

NAMES = {
    ".git": ("100644", ".git"), ".GIT": ("100644", ".GIT"), ".git as a folder": ("40000", ".git"),
    ".gIt as a link": ("120000", ".gIt"),
    "git~1": ("100644", "git~1"), "GIT~1": ("40000", "GIT~1"), "git~2": ("100644", "git~2"),
    ".git blank": ("100644", ".git "),
    ".git dot": ("100644", ".git."), ".git stream": ("40000", ".git::$INDEX_ALLOCATION"),
    ".git data": ("100644", ".git:x"),
    "hfs .git": ("100644", ".g\u200cit"), "hfs bom": ("100644", "\ufeff.git"), "dot": ("40000", "."),
    "dot file": ("100644", "."),
    "dots": ("40000", ".."), "dots file": ("100644", ".."), "slash": ("100644", "a/b"), "up": ("100644", "../escape"),
    "absolute": ("100644", "/tmp/pfetch-escape"), "into .git": ("100644", ".git/hooks/post-checkout"),
    "empty": ("100644", ""),
    "backslash": ("100644", "a\\b"), "backslash .git": ("100644", "a\\.git\\config"), "newline": ("100644", "a\nb"),
    "latin-1": ("100644", b"caf\xe9"), "CON": ("100644", "CON"), "con.txt": ("100644", "con.txt"),
    "NUL colon": ("100644", "nul:"),
    "255 bytes": ("100644", "n" * 255), "256 bytes": ("100644", "n" * 256), "blank at the end": ("100644", "a "),
    "dot at the end": ("100644", "a."), "colon": ("100644", "a:b"), "quote": ("100644", "a\"b'c"),
    "tab": ("100644", "a\tb"),
    "dash": ("100644", "-rf"), "tilde": ("100644", "~"), ".gitmodules link": ("120000", ".gitmodules"),
    ".gitattributes link": ("120000", ".gitattributes"), ".gitignore link": ("120000", ".gitignore"),
    "mode 100664": ("100664", "f"),
    "mode 100600": ("100600", "f"), "mode 0": ("0", "f"), "mode 777": ("100777", "f"), "mode 040755": ("40755", "d"),
    "fifo": ("10644", "f"),
    "socket": ("140755", "f"), "padded mode": ("0100644", "f"),
}
PROTECTION = {"default": (), "all on": ("core.protectHFS=true", "core.protectNTFS=true"),
              "all off": ("core.protectHFS=false", "core.protectNTFS=false")}


@pytest.fixture(scope="module")
def named(tools, tmp_path_factory):
    """A repository with a branch for each name: the entry in the root and, on another branch, two folders down."""
    source = History().linear(1).write(tools, tmp_path_factory.mktemp("names") / "src")
    blob = source.object("blob", b"#!/bin/sh\ntouch escaped\n")
    source.inner = source.tree(("100644", "inside", blob))
    for number, (mode, name) in enumerate(NAMES.values()):
        raw_mode = int(mode, 8) & 0o170000
        entry = (mode, name, source.inner if raw_mode == 0o040000 else source.object("blob",
            b"inside") if raw_mode == 0o120000 else blob)
        both = sorted([entry, ("100644", "good", blob)], key=lambda one: os.fsencode(one[1]) + b"/" * (int(one[0],
            8) == 0o040000))
        source.commit_tree(source.tree(*both), f"refs/heads/root{number}")
        deep = source.tree(("40000", "one", source.tree(("40000", "two", source.tree(*both)))))
        source.commit_tree(deep, f"refs/heads/deep{number}")
    return source


@pytest.mark.parametrize("protection", PROTECTION)
@pytest.mark.parametrize("kind", NAMES)
def test_a_name_is_taken_or_refused_as_by_git(both, tmp_path, named, kind, protection):
    settings = sum((["-c", setting] for setting in PROTECTION[protection]), [])
    for place in ("root", "deep") if protection == "default" else ("root",):
        branch = f"{place}{list(NAMES).index(kind)}"
        both.clone("--depth=1", "--branch", branch, url=named.url, directory=branch, before=settings)
        if both.git_result.code == 0:
            both.same(fsck=None)
        else:
            both.result.refused(code=both.git_result.code)
            written = worktree(both.ours) if both.ours.exists() else {}
            assert not any(b"inside" in path for path in written) or kind == "dots", written
            assert not (both.ours / ".git" / "hooks" / "post-checkout").exists()
    assert not list(tmp_path.rglob("escape*")) and not os.path.exists("/tmp/pfetch-escape")


HOSTILE = {
    "file through a link": [("120000", "a", b".git"), ("40000", "a", [("100644", "config", b"[core]\n")])],
    "folder before the link": [("40000", "a", [("100644", "config", b"[core]\n")]), ("120000", "a", b".git")],
    "same file twice": [("100644", "a", b"one\n"), ("100644", "a", b"two\n")],
    "file and folder": [("100644", "a", b"one\n"), ("40000", "a", [("100644", "b", b"two\n")])],
    "out of order": [("100644", "z", b"z\n"), ("100644", "a", b"a\n"), ("40000", "m", [("100644", "b", b"b\n")])],
    "empty folder": [("40000", "a", []), ("100644", "b", b"b\n")],
    "folder sorted as a file": [("40000", "a", [("100644", "x", b"x\n")]), ("100644", "a.b", b"b\n"),
                                ("100644", "a0", b"0\n")],
    "link to an empty name": [("120000", "a", b"")],
    "link with a NUL": [("120000", "a", b"x\0y")],
    "link too long": [("120000", "a", b"x" * 5000)],
    "links in a circle": [("120000", "a", b"b"), ("120000", "b", b"a")],
    "link to a folder outside": [("120000", "a", b"../../.."), ("40000", "b", [("120000", "c", b"/etc")])],
}


TWO_IN_ONE = ("file through a link", "folder before the link", "same file twice", "file and folder")


def write_tree(source, entries) -> str:
    return source.tree(*[(mode, name, write_tree(source, content) if mode == "40000" else source.object("blob",
        content))
                         for mode, name, content in entries])


@pytest.mark.parametrize("kind", HOSTILE)
def test_trees_that_want_to_write_elsewhere_or_twice(both, tools, tmp_path, kind):
    source = History().linear(1).write(tools, tmp_path / "src")
    source.commit_tree(write_tree(source, HOSTILE[kind]))
    both.clone("--depth=1", url=source.url)
    if kind in TWO_IN_ONE:  # git writes one of them and says nothing; to refuse is better
        assert both.result.code in (0, 128), both.result
    else:
        assert both.result.code == both.git_result.code, both.result
        if both.git_result.code == 0:
            both.same(fsck=None, clean=False)
    if both.ours.exists():
        assert "remote" in (both.ours / ".git" / "config").read_text()


def test_paths_up_to_the_limit_of_the_system(both, tools, tmp_path):
    for number, depth in enumerate((15, 17, 25)):
        history = History()
        history.commit("main", "long", {"/".join(["d" * 250] * depth + ["file"]): b"deep\n"})
        source = history.write(tools, tmp_path / f"src{number}")
        both.clone("--depth=1", url=source.url, directory=f"x{number}")
        if both.git_result.code == 0:
            assert both.result.ok().code == 0
        else:
            both.result.refused()


# Attributes.

CONTENTS = {"lf": b"one\ntwo\n", "crlf": b"one\r\ntwo\r\n", "mixed": b"one\r\ntwo\nthree\r\n", "cr": b"one\rtwo\r",
            "nul": b"a\0b\r\nc\n",
            "id": b"$Id$ and $Id: old $ and $Id: foreign value here $\n$Id\n$ Id$\n", "empty": b"",
            "no-end": b"one\ntwo",
            "crcr": b"a\r\r\nb\n", "ctrl-z": b"text\n\x1a", "big": b"line\n" * 20000, "lone": b"\r",
            "idcrlf": b"$Id$\r\n$Id$\n"}
ATTRIBUTES = {
    "none": b"", "text": b"* text\n", "auto": b"* text=auto\n", "auto crlf": b"* text=auto eol=crlf\n",
    "eol crlf": b"* eol=crlf\n",
    "eol lf": b"* eol=lf\n", "binary": b"* binary\n", "minus text": b"* -text eol=crlf\n", "ident": b"* ident\n",
    "ident crlf": b"* ident text eol=crlf\n", "old crlf": b"* crlf\n", "old input": b"* crlf=input\n",
    "old minus": b"* -crlf\n",
    "some": b"lf.txt eol=crlf\ninner/** -text\n/inner/crlf.txt text eol=lf\n*.txt ident\n",
    "macro": b"[attr]win text eol=crlf\n*.txt win\n",
    "unset later": b"* text eol=crlf\nlf.txt !eol\nmixed.txt -text\n", "quoted": b"\"l\\146.txt\" eol=crlf\n",
    "comment": b"# * eol=crlf\n\n  \n",
    "crlf file": b"*.txt eol=crlf\r\n", "negative": b"!lf.txt eol=crlf\n",
    "folder": b"inner eol=crlf\ninner/ eol=crlf\n",
    "stars": b"**/lf.txt eol=crlf\ninner/*/x.txt eol=crlf\n", "classes": b"[k-m]f.t?t eol=crlf\n",
    "long line": b"*.txt " + b"a" * 3000 + b" eol=crlf\n", "bad eol": b"* eol=wrong\n", "no end": b"*.txt eol=crlf",
}
EOL_SETTINGS = {"plain": (), "autocrlf": ("core.autocrlf=true",), "input": ("core.autocrlf=input",),
                "eol": ("core.eol=crlf",)}


@pytest.fixture(scope="module")
def attributed(tools, tmp_path_factory):
    """Branch `all` has a folder for each set of rules; branches b0, b1, … have the first sets in their root."""
    history, everything = History(), {}
    for number, (kind, rules) in enumerate(ATTRIBUTES.items()):
        files = {f"{folder}{name}.txt": content for name, content in CONTENTS.items() for folder in ("", "inner/")}
        files.update({"inner/deep/x.txt": b"x\n", "inner/deep/lf.txt": b"x\n", ".gitattributes": rules})
        if number % 2:
            files["inner/.gitattributes"] = b"id.txt -ident\nlf.txt eol=lf\n"
        everything.update({f"{kind}/{name}": content for name, content in files.items()})
        if number < 4 or kind in ("some", "macro", "folder"):
            history.commit(f"b-{kind.replace(' ', '-')}", kind, files)
    history.commit("all", "all sets", everything)
    return history.write(tools, tmp_path_factory.mktemp("attributes") / "src")


@pytest.mark.parametrize("branch, setting", [("all", setting) for setting in EOL_SETTINGS] + [
    (f"b-{kind}", setting) for kind in ("none", "text", "auto", "auto-crlf", "some", "macro",
                                        "folder") for setting in ("plain", "autocrlf")])
def test_line_endings_and_ident(both, attributed, branch, setting):
    stored = sum((["-c", value] for value in EOL_SETTINGS[setting]), [])
    both.clone("--depth=1", f"--branch={branch}", *stored, url=attributed.url)
    both.same(fsck=None if branch == "all" else "--strict", clean=False)


def test_attributes_of_the_user_count_too(both, attributed, tmp_path):
    (tmp_path / "attributes").write_text("*.txt eol=crlf\n")
    both.clone("--depth=1", "--branch=b-none", "-c", f"core.attributesFile={tmp_path}/attributes",
               url=attributed.url).same(clean=False)
    (tmp_path / "template" / "info").mkdir(parents=True)
    (tmp_path / "template" / "info" / "attributes").write_text("lf.txt eol=crlf\n")
    both.clone("--depth=1", "--branch=b-text", f"--template={tmp_path}/template", url=attributed.url,
               directory="y").same(clean=False)


def test_attributes_that_are_a_link_a_folder_or_huge(both, tools, tmp_path):
    history = History()
    history.commit("main", "one", {"rules": b"*.txt eol=crlf\n", ".gitattributes": ("120000", b"rules"),
                                   "a.txt": b"a\n"})
    history.commit("folder", "two", {".gitattributes/x": b"*.txt eol=crlf\n", "a.txt": b"a\n"}, start=None)
    history.commit("huge", "three", {".gitattributes": b"# filler\n" * 100000 + b"*.txt eol=crlf\n", "a.txt": b"a\n"})
    history.commit("many", "four", {f"d{number}/.gitattributes": b"*.txt eol=crlf\n" for number in range(50)}
                   | {f"d{number}/a.txt": b"a\n" for number in range(100)})
    source = history.write(tools, tmp_path / "src")
    for branch in ("main", "folder", "huge", "many"):
        both.clone("--depth=1", f"--branch={branch}", url=source.url, directory=branch).same(fsck=None, clean=False)


# The index.

def test_a_change_in_the_same_second_is_seen(tools, src, tmp_path):
    for number in range(5):
        clone = tmp_path / f"x{number}"
        tools.pfetch("clone", "--depth=1", src.url, clone).ok()
        (clone / "file.txt").write_bytes(b"LINE 6\n")
        assert "file.txt" in tools.ask(clone, "diff-files"), "a change of the same length was not seen"


def test_git_reads_no_file_again(tools, both, rich):
    """`git diff-files` after a pause opens none of the files: the stat data in the index are true and not racy."""
    both.clone("--depth=1", url=rich.url).same()
    time.sleep(1.1)
    tools.git("-C", both.ours, "update-index", "--refresh").ok()
    trace = tools.run("strace", "-f", "-e", "trace=openat", "git", "-C", both.ours, "diff-files").ok()
    assert not [line for line in trace.err.splitlines() if "README" in line or "topic.txt" in line]


def test_the_index_is_whole(tools, both, rich):
    both.clone("--depth=1", url=rich.url).same()
    listed = tools.ask(both.ours, "ls-files", "-s").splitlines()
    assert len(listed) == len(tools.ask(both.ours, "ls-tree", "-r", "HEAD").splitlines())
    assert tools.ask(both.ours, "write-tree") == tools.ask(both.ours, "rev-parse", "HEAD^{tree}")
    raw = (both.ours / ".git" / "index").read_bytes()
    assert raw[:8] == b"DIRC\0\0\0\2" and b"TREE" in raw


def test_stat_data_are_those_of_the_files(tools, src, tmp_path):
    clone = tmp_path / "x"
    tools.pfetch("clone", "--depth=1", src.url, clone).ok()
    stat_data_are_true(tools, clone)


# Gitlinks, empty trees, many files.

def test_gitlinks_and_the_empty_tree(both, tools, tmp_path):
    history, link = History(), "1234567890" * 4
    history.commit("main", "one", {"module": ("160000", link), "in/module": ("160000", link), "f": b"f\n"})
    history.commit("empty", "two", {})
    history.commit("cr", "three",
                   {"sub\r": ("160000", link),
                    ".gitmodules": b"[submodule \"s\"]\n\tpath = \"sub\\r\"\n\turl = ../s\n"})
    history.commit("only", "four", {"deep/er/module": ("160000", link)})
    source = history.write(tools, tmp_path / "src")
    for branch in ("main", "empty", "cr", "only"):
        # In "cr" git cannot read .gitmodules, and so tells of no differences in its own clone either.
        both.clone("--depth=1", f"--branch={branch}", url=source.url, directory=branch).same(clean=branch != "cr")
    assert (both.ours / "deep/er/module").is_dir()


def test_a_link_named_as_a_folder_of_a_module_cannot_lead_into_git(both, tools, tmp_path):
    source = History().linear(1).write(tools, tmp_path / "src")
    blob, link = source.object("blob", b".git"), "1234567890" * 4
    source.commit_tree(source.tree(("120000", "a", blob), ("40000", "A", source.tree(("160000", "modules", link)))))
    both.clone("--depth=1", url=source.url)
    assert both.result.code == both.git_result.code
    assert not (both.ours / ".git" / "modules").exists()


def test_many_folders_and_one_huge_folder(both, tools, tmp_path):
    history = History()
    files = {f"{a}/{b}/{c}/f{number}": b"%d\n" % number
             for a in "abcdefgh" for b in "abcdefgh" for c in "abcd" for number in range(6)}
    files.update({f"huge/file-{number:05}": b"%d\n" % (number % 100) for number in range(3000)})
    history.commit("main", "many", files)
    source = history.write(tools, tmp_path / "src")
    for jobs in ("2", "16"):
        both.clone("--depth=1", "--jobs", jobs, url=source.url, directory=f"x{jobs}").same()


# Colliding paths, on a file system that folds case.

@pytest.fixture(scope="module")
def folding(tmp_path_factory):
    """Environment in which names differing in case are one name: a preloaded library folds them below a folder."""
    return built("fold_case", tmp_path_factory.mktemp("fold"))


COLLISIONS = {
    "three files": {"FILE": b"1\n", "File": b"2\n", "file": b"3\n", "other": b"o\n"},
    "folders": {"A/x": b"1\n", "a/x": b"2\n", "a/y": b"3\n"},
    "file and folder": {"A/x": b"1\n", "a": b"2\n"},
    "link and folder": {"D": ("120000", b".git"), "d/config": b"evil\n",
                        "d/hooks/post-checkout": ("100755", b"#!/bin/sh\ntouch evil\n")},
    "pairs": {name: name.encode() for number in range(100) for name in (f"f{number}", f"F{number}")},
}


@pytest.mark.parametrize("kind", COLLISIONS)
def test_colliding_paths_are_named(both, tools, tmp_path, folding, kind):
    history = History()
    history.commit("main", "one", COLLISIONS[kind])
    source = history.write(tools, tmp_path / "src")
    both.clone("--depth=1", url=source.url, env={**folding, "FOLD_BELOW": str(tmp_path)},
               before=("-c", "core.ignoreCase=true"))
    assert both.git_result.ok().code == both.result.ok().code
    warning = "the following paths have collided"
    assert warning in both.git_result.err or kind == "link and folder"
    assert warning in both.result.err or warning not in both.git_result.err
    if kind != "pairs":
        named = [{line for line in result.err.splitlines() if line.startswith("  ")} for result in (both.git_result,
            both.result)]
        assert named[0] <= named[1]
    assert "evil" not in (both.ours / ".git" / "config").read_text()
    assert not list(both.ours.rglob("evil"))


@pytest.mark.ours
@pytest.mark.parametrize("kind", ["three files", "pairs"])
def test_every_member_of_a_colliding_group_is_named(tools, tmp_path, folding, kind):
    history = History()
    history.commit("main", "one", COLLISIONS[kind])
    source = history.write(tools, tmp_path / "src")
    result = tools.pfetch("-c", "core.ignoreCase=true", "clone", "--jobs=8", "--depth=1", source.url, tmp_path / "x",
                          env={**folding, "FOLD_BELOW": str(tmp_path)}).ok()
    named = {line.strip().strip("'") for line in result.err.splitlines() if line.startswith("  ")}
    assert {name for name in COLLISIONS[kind] if name != "other"} <= named


# Large data, at night.

@pytest.mark.nightly
@pytest.mark.ours
def test_a_three_gigabyte_blob_in_bounded_memory(tools, tmp_path, fake_server):
    from damage_test import peak_bytes
    from packs import Pack, tip_of
    import hashlib
    import zlib

    size, piece = 3 << 30, bytes(16 << 20)
    deflate, digest, raw = zlib.compressobj(1), hashlib.sha1(b"blob %d\0" % size), b""
    for _ in range(size // len(piece)):
        digest.update(piece)
        raw += deflate.compress(piece)
    pack = Pack()
    pack.entry("blob", b"", size=size, raw=raw + deflate.flush())
    tip = tip_of(pack, [("100644", "zeros", digest.hexdigest())])
    server = fake_server(pack.done(), tip)
    result, peak = peak_bytes(tools, "clone", *server["args"], server["url"], tmp_path / "x")
    result.ok()
    assert (tmp_path / "x" / "zeros").stat().st_size == size
    assert peak < 150 << 20, f"{peak >> 20} MB at the peak"
