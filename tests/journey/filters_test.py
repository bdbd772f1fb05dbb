"""Conversions on the way into the worktree, beside git: encodings, filters for one file, filters for all, git-lfs."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from compare import leftovers, worktree
from history import History
from tools import PFETCH, PYTHON, SUPPORT

# Encodings.

TEXTS = {"ascii": "hello\nworld\n", "empty": "", "umlaut": "h\u00e4llo\n", "japanese": "a\u65e5\u672c\u8a9e",
         "astral": "\U0001f600\n", "nul": "a\0b\n", "mark": "\ufeffhi\n", "ident": "$Id$\n", "big": "\u00e4" * 70000,
         "bad": b"ok\n\xff\xfe bad\n", "cut": b"ok\n\xe2\x82"}
ENCODINGS = ("UTF-16", "utf16", "UTF-16LE", "UTF-16BE", "UTF-16LE-BOM", "UTF-16BE-BOM", "utf16le-bom", "UTF-32",
             "UTF-32LE", "UTF-32BE", "UTF-32LE-BOM", "UTF-8", "utf8", "latin-1", "LATIN-1", "ISO-8859-1", "SHIFT-JIS",
             "ISO-2022-JP", "UTF-7", "ASCII", "ASCII//TRANSLIT", "UTF-16//TRANSLIT", "CP1252", "GB18030", "UTF-8-BOM",
             "no-such-encoding", "")


@pytest.fixture(scope="module")
def encoded(tools, tmp_path_factory):
    """A folder for each encoding; *.t only encoded, *.i with ident, *.c with line ends too."""
    history, files = History(), {}
    for number, encoding in enumerate(ENCODINGS):
        folder = f"e{number:02}"
        files[f"{folder}/.gitattributes"] = (f"* working-tree-encoding={encoding}\n*.i ident\n*.c text eol=crlf\n"
                                             ".gitattributes !working-tree-encoding\n")
        for kind, text in TEXTS.items():
            for suffix in "tic":
                files[f"{folder}/{kind}.{suffix}"] = text if isinstance(text, bytes) else text.encode()
    history.commit("main", "encodings", files)
    return history.write(tools, tmp_path_factory.mktemp("encodings") / "src")


def errors(result) -> list:
    return sorted(line for line in result.err.splitlines() if line.startswith("error: "))


def test_encodings_are_those_of_git(both, encoded):
    both.clone("--depth=1", url=encoded.url).same(fsck=None, clean=False)
    assert errors(both.result) == errors(both.git_result) and len(errors(both.result)) > 100
    assert (both.ours / "e04" / "umlaut.c").read_bytes() == b"\xff\xfe" + "h\u00e4llo\r\n".encode("utf-16-le")


def test_a_clean_encoding_has_a_clean_status(both, tools, tmp_path):
    history = History()
    history.commit("main", "one", {".gitattributes": b"*.txt text working-tree-encoding=UTF-16LE-BOM eol=crlf\n",
                                   "a.txt": "h\u00e4llo\n".encode(), "run.txt": ("100755", b"#!\n")})
    both.clone("--depth=1", url=history.write(tools, tmp_path / "src").url).same()
    assert os.access(both.ours / "run.txt", os.X_OK) and not os.access(both.ours / "a.txt", os.X_OK)


def test_an_encoding_without_a_value_is_refused(both, tools, tmp_path):
    history = History()
    history.commit("main", "one", {".gitattributes": b"a.txt working-tree-encoding\n", "a.txt": b"a\n"})
    both.clone("--depth=1", url=history.write(tools, tmp_path / "src").url)
    both.git_result.refused("true/false are no valid working-tree-encodings", code=128)
    both.result.refused("a.txt", "true/false are no valid working-tree-encodings", code=128)


# Filters that are started for each file.

ODD_NAMES = ("a b.up", "it's.up", "wow!.up", "$(touch evil).up", "`touch evil`.up", "back\\slash.up", "quo\"te.up",
             "new\nline.up", "-dash.up", "%f.up", "percent%%.up", "caf\udce9.up", "sub/dir/x;touch evil.up", "*.up",
             "\u65e5\u672c.up", "~.up", "tab\t.up")


def filtered(tools, path, files, rules="*.up filter=x\n"):
    history = History()
    history.commit("main", "one", {".gitattributes": rules, "plain": b"plain\n", **files})
    return history.write(tools, path)


def driver(**settings) -> list:
    return sum((["-c", f"filter.x.{key}={value}"] for key, value in settings.items()), [])


ONE_SHOT = {
    "capitals": "tr a-z A-Z", "does not read": "echo fixed", "reads a little": "head -c 3", "nothing": "true",
    "fails": "false", "fails behind output": "cat; exit 3", "fails before input": "echo early; exit 1",
    "dies": "kill -9 $$", "is not there": "/no/such/program", "many words": "cat | tr a-z A-Z | sed s/T/t/",
    "says on stderr": "echo words >&2; cat", "empty": "", "twice the size": "sed p", "percent": "echo 100%% %x %f; cat",
}


@pytest.mark.parametrize("kind", ONE_SHOT)
def test_a_filter_for_each_file(both, tools, tmp_path, kind):
    source = filtered(tools, tmp_path / "src", {"a.up": b"text\n", "empty.up": b"", "link": ("120000", b"a.up"),
                                                "run.up": ("100755", b"#!/bin/sh\n"), "link.up": ("120000", b"a.up"),
                                                "sub/big.up": b"line of text\n" * 100000})
    both.clone("--depth=1", *driver(smudge=ONE_SHOT[kind]), url=source.url).same(clean=False)
    for name in ("a.up", "empty.up", "run.up", "sub/big.up"):
        failed = any(f"'{name}'" in line for line in errors(both.result))
        assert failed == (kind in ("fails", "fails behind output", "fails before input", "dies", "is not there"))


def test_paths_reach_the_command_as_one_word(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {name.encode("utf-8", "surrogateescape"): b"x\n" for name in ODD_NAMES})
    both.clone("--depth=1", *driver(smudge="printf '<%%s>' %f; cat"), url=source.url).same(clean=False, fsck=None)
    assert not list(both.ours_root.rglob("evil"))
    assert (both.ours / "a b.up").read_bytes() == b"<a b.up>x\n"


def test_reversible_filters_have_a_clean_status(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"GRKG\n", "run.up": ("100755", b"EHA\n"), "empty.up": b""})
    rot = "tr a-zA-Z n-za-mN-ZA-M"
    both.clone("--depth=1", *driver(smudge=rot, clean=rot, required="true"), url=source.url).same()
    assert (both.ours / "a.up").read_bytes() == b"TEXT\n" and os.access(both.ours / "run.up", os.X_OK)


@pytest.mark.parametrize("where", ["option of clone", "option of git", "environment", "user", "template"])
def test_a_driver_may_be_configured_anywhere(both, tools, tmp_path, where):
    source = filtered(tools, tmp_path / "src", {"a.up": b"text\n"})
    before, args, env = [], [], {}
    if where == "option of clone":
        args = driver(smudge="tr a-z A-Z")
    elif where == "option of git":
        before = driver(smudge="tr a-z A-Z")
    elif where == "environment":
        env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "filter.x.smudge", "GIT_CONFIG_VALUE_0": "tr a-z A-Z"}
    elif where == "user":
        (tmp_path / "user").write_text("[filter \"x\"]\n\tsmudge = tr a-z A-Z\n[protocol \"file\"]\n\tallow = always\n")
        env = {"GIT_CONFIG_GLOBAL": str(tmp_path / "user")}
    else:
        (tmp_path / "template").mkdir()
        (tmp_path / "template" / "config").write_text("[filter \"x\"]\n\tsmudge = tr a-z A-Z\n")
        args = [f"--template={tmp_path}/template"]
    both.clone("--depth=1", *args, url=source.url, before=before, env=env).same(clean=False)
    assert (both.ours / "a.up").read_bytes() == b"TEXT\n"


@pytest.mark.parametrize("form", ["plain", "separate", "detached"])
def test_a_filter_finds_the_same_place(both, tools, tmp_path, form):
    """Directory, variables, HEAD, configuration and remote are those that git's clone shows to a filter."""
    source = filtered(tools, tmp_path / "src", {"sub/a.up": b"text\n"})
    look = ("cat >/dev/null; pwd; env | grep ^GIT_ | grep -v '^GIT_EXEC_PATH\\|^GIT_CONFIG_P' | sort; git rev-parse HEAD; "
            "git symbolic-ref HEAD; git config remote.origin.url; git config x.y; git rev-parse --show-toplevel; "
            "git cat-file -p HEAD:sub/a.up; git for-each-ref; ls; true")
    args = {"plain": [], "separate": ["--separate-git-dir=elsewhere"], "detached": ["--revision=x"]}[form]
    if form == "detached":
        source.git("tag", "v1")
        args = ["--branch=v1"]
    both.clone("--depth=1", *driver(smudge=look), *args, url=source.url, before=["-c", "x.y=z"])
    both.git_result.ok()
    both.result.ok()
    theirs, ours = ((path / "sub" / "a.up").read_text() for path in (both.theirs, both.ours))
    assert ours.replace(str(both.ours_root), "@") == theirs.replace(str(both.theirs_root), "@")


# Filters that are required.

def test_a_required_filter_that_fails_leaves_the_clone_without_its_files(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n", "b.up": b"b\n", "c.up": b"c\n", "sub/d": b"d\n"})
    smudge = "case %f in b*) echo half; exit 1;; esac; tr a-z A-Z"
    both.clone("--depth=1", *driver(smudge=smudge, required="true"), url=source.url)
    both.git_result.refused("b.up: smudge filter x failed", "Clone succeeded, but checkout failed", code=128)
    both.result.refused("b.up: smudge filter x failed", "Clone succeeded, but checkout failed",
                        "unable to checkout working tree", code=128)
    assert "a.up" not in both.result.err and "c.up" not in both.result.err
    assert worktree(both.ours).keys() == {b".gitattributes", b"plain", b"a.up", b"c.up", b"sub", b"sub/d"}
    assert (both.ours / "a.up").read_bytes() == b"A\n"
    for question in (["rev-parse", "HEAD"], ["for-each-ref"], ["symbolic-ref", "HEAD"],
                     ["config", "remote.origin.url"]):
        assert tools.ask(both.ours, *question) == tools.ask(both.theirs, *question)
    assert tools.ask(both.ours, "diff-files", "--name-status", "--", "b.up") == "D\tb.up"
    assert leftovers(both.ours / ".git") == []
    # The cure that the message names.
    tools.git("-C", both.ours, "config", "filter.x.smudge", "tr a-z A-Z").ok()
    tools.git("-C", both.ours, "restore", "--source=HEAD", ":/").ok()
    assert (both.ours / "b.up").read_bytes() == b"B\n"


@pytest.mark.parametrize("settings", [{"required": "true", "clean": "cat"},
                                      {"required": "true", "smudge": ""},
                                      {"required": "true", "smudge": "cat", "process": ""}])
def test_a_required_filter_without_a_command_fails(both, tools, tmp_path, settings):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n"})
    both.clone("--depth=1", *driver(**settings), url=source.url)
    both.git_result.refused("a.up: smudge filter x failed", code=128)
    both.result.refused("a.up: smudge filter x failed", code=128)


def test_a_required_driver_without_any_command_is_no_filter(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n"})
    both.clone("--depth=1", *driver(required="true"), url=source.url).same()


def test_no_hook_runs_after_a_failed_checkout(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n"})
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text("#!/bin/sh\ntouch hook-ran\n")
    (hooks / "post-checkout").chmod(0o755)
    both.clone("--depth=1", f"--template={tmp_path}/template", *driver(smudge="false", required="true"), url=source.url)
    for result, place in ((both.git_result, both.theirs), (both.result, both.ours)):
        result.refused(code=128)
        assert not (place / "hook-ran").exists()


# Filters that are started once.

def process_driver(log, *words, **settings) -> list:
    return driver(process=" ".join([PYTHON, f"{SUPPORT}/filter_process.py", str(log), *words]), **settings)


def clone_by_process(both, source, tmp_path, *words, **settings) -> list:
    """Both clone with the filter process; returns what each heard, git's first."""
    logs = []
    for name, run, root in (("git", both.tools.git, both.theirs_root), ("our", both.tools.pfetch, both.ours_root)):
        logs.append(tmp_path / f"{name}.log")
        options = process_driver(logs[-1], *words, **settings)
        result = run("clone", "--depth=1", *options, source.url, "x", cwd=root)
        if name == "git":
            both.git_result, both.theirs = result, root / "x"
        else:
            both.result, both.ours = result, root / "x"
    # Whether a process that is ended by a signal has time to say so is chance.
    return [[line for line in log.read_text(errors="surrogateescape").splitlines() if line != "end"] for log in logs]


AS_GIT = {
    "all well": ["a", "b", "c"],
    "delayed": ["delay-a", "delay-b", "now-c", "slow-d", "slow-e"],
    "error": ["a", "error-b", "c"], "late error": ["a", "late-b", "c"], "abort": ["a", "abort-b", "c"],
    "hang": ["a", "hang-b", "c", "hang-d", "e"], "no status": ["a", "what-b", "c"],
    "only errors": ["error-a", "error-b"],
}


@pytest.mark.parametrize("kind", AS_GIT)
@pytest.mark.parametrize("words", [(), ("no-delay",), ("clean-only",)], ids=["delay", "no-delay", "clean-only"])
def test_a_filter_process(both, tools, tmp_path, kind, words):
    files = {f"{name}.up": f"text of {name}\n".encode() for name in AS_GIT[kind]}
    source = filtered(tools, tmp_path / "src", {**files, "empty.up": b"", "run.up": ("100755", b"run\n"),
                                                "z/big.up": b"many lines\n" * 50000})
    theirs, ours = clone_by_process(both, source, tmp_path, *words)
    both.git_result.ok()
    both.result.ok()
    assert worktree(both.ours) == worktree(both.theirs)
    assert tools.ask(both.ours, "ls-files", "-s") == tools.ask(both.theirs, "ls-files", "-s")
    assert leftovers(both.ours / ".git") == []
    assert ours == theirs
    for name in AS_GIT[kind]:
        wrong = name.split("-")[0] in ("error", "late", "abort", "hang", "what") and "clean-only" not in words
        assert any(f"'{name}.up'" in line for line in errors(both.result)) >= wrong


def test_odd_paths_reach_the_process(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {name.encode("utf-8", "surrogateescape"): b"x\n" for name in ODD_NAMES})
    theirs, ours = clone_by_process(both, source, tmp_path)
    assert both.result.ok() and worktree(both.ours) == worktree(both.theirs) and ours == theirs


def test_reversible_processes_have_a_clean_status(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"rot-a.up": b"GRKG\n", "rot-run.up": ("100755", b"EHA\n")})
    clone_by_process(both, source, tmp_path, required="true")
    for repo in (both.theirs, both.ours):
        tools.git("-C", repo, "config", "--unset", "filter.x.process").ok()
        tools.git("-C", repo, "config", "filter.x.clean", "tr a-zA-Z n-za-mN-ZA-M").ok()
    assert (both.ours / "rot-a.up").read_bytes() == b"TEXT\n"
    assert tools.ask(both.ours, "diff-files") == "" and tools.ask(both.ours, "status", "--porcelain") == ""


@pytest.mark.ours
@pytest.mark.parametrize("required", [False, True], ids=["optional", "required"])
@pytest.mark.parametrize("kind, words", [
    ("delay-drop", ()), ("delay-error", ()), ("delay-hang", ()), ("delay-abort", ()), ("delay-x", ("list-hang",)),
    ("delay-x", ("stray",)), ("delay-x", ("list-error",)), ("error", ()), ("late", ()), ("abort", ()), ("hang", ()),
    ("x", ("silent",)), ("x", ("clean-only",))])
def test_a_process_that_fails_loses_only_its_own_files(tools, tmp_path, kind, words, required):
    """Each lost file is named: written as it is stored, or, of a required filter, not written and an error."""
    names = ["a-first", "delay-b", f"{kind}-c", "n-last"]
    source = filtered(tools, tmp_path / "src", {f"{name}.up": f"{name}\n".encode() for name in names})
    options = process_driver(tmp_path / "log", *words, **({"required": "true"} if required else {}))
    result = tools.pfetch("clone", "--depth=1", *options, source.url, tmp_path / "x")
    clone = tmp_path / "x"
    lost = {name for name in names if f"{name}.up" in result.err}
    if kind == "x" and words == ("clean-only",) and not required:
        assert lost == set() and (clone / "a-first.up").read_bytes() == b"a-first\n"
        return
    assert result.code == (128 if required and lost else 0), result
    assert (f"{kind}-c" in lost) != ("stray" in words) and (words or "a-first" not in lost)
    assert (clone / "plain").read_bytes() == b"plain\n"
    for name in names:
        path = clone / f"{name}.up"
        if name not in lost:
            assert path.read_bytes() == f"{name}\n".upper().encode()
        elif required:
            assert not path.exists()
        else:
            assert path.read_bytes() == f"{name}\n".encode()
    assert "was not filtered" in result.err or required or not lost
    tools.git("-C", clone, "fsck", "--strict").ok()
    assert len(tools.ask(clone, "ls-files").splitlines()) == len(names) + 2


def test_one_process_serves_all_drivers_with_its_command(both, tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n", "b.dn": b"b\n"}, "*.up filter=x\n*.dn filter=y\n")
    command = f"{PYTHON} {SUPPORT}/filter_process.py {tmp_path}/log"
    for run, name in ((tools.git, "git"), (tools.pfetch, "our")):
        run("clone", "--depth=1", "-c", f"filter.x.process={command}", "-c", f"filter.y.process={command}", source.url,
            tmp_path / name).ok()
        starts = (tmp_path / "log").read_text().splitlines().count("start")
        assert starts == 1 if name == "our" else starts >= 1
        (tmp_path / "log").unlink()
    assert worktree(tmp_path / "our") == worktree(tmp_path / "git")


# How many at once, signals, traces.

def test_one_shot_filters_run_one_after_the_other_unless_told_otherwise(tools, tmp_path):
    """Each filter notes its begin and end: two at once interleave."""
    source = filtered(tools, tmp_path / "src", {f"f{number}.up": b"x\n" for number in range(8)})
    note = f"echo begin >>{tmp_path}/log; cat; echo end >>{tmp_path}/log"
    tools.pfetch("clone", "--depth=1", *driver(smudge=note), source.url, tmp_path / "one").ok()
    assert (tmp_path / "log").read_text().split() == ["begin", "end"] * 8
    # Two that wait for each other can only end if they run at the same time.
    (tmp_path / "log").unlink()
    meet = (f"echo >>{tmp_path}/log; n=0; while [ $(wc -l <{tmp_path}/log) -lt 2 ] && [ $n -lt 500 ]; "
            "do sleep 0.02; n=$((n+1)); done; [ $n -lt 500 ] && cat")
    source = filtered(tools, tmp_path / "two", {"a.up": b"a\n", "b.up": b"b\n"})
    tools.pfetch("clone", "--depth=1", "-c", "pfetch.filterJobs=2", *driver(smudge=meet, required="true"), source.url,
                 tmp_path / "pair").ok()


@pytest.mark.parametrize("value", ["-1", "many", "65"])
def test_a_bad_number_of_jobs_is_refused(tools, tmp_path, value):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n"})
    result = tools.pfetch("clone", "-c", f"pfetch.filterJobs={value}", source.url, tmp_path / "x")
    result.refused("pfetch.filterjobs", code=128)


def wait_for(condition, what):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.mark.parametrize("kind", ["smudge", "process"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_filter_too_and_leaves_nothing(tools, tmp_path, kind, number):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n"})
    sleeper = f"echo $$ >>{tmp_path}/pid; sleep 1000; cat"
    process = subprocess.Popen([PFETCH, "clone", "--depth=1", *driver(**{kind: sleeper}), source.url, tmp_path / "x"],
                               env=tools.env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    pid = tmp_path / "pid"
    wait_for(lambda: pid.exists() and pid.read_text().endswith("\n"), "the filter was not started")
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == -number and not (tmp_path / "x").exists()
    shell = pathlib.Path(f"/proc/{pid.read_text().split()[0]}")
    wait_for(lambda: not shell.exists(), "the filter is still there")


def test_waiting_for_a_filter_costs_no_time(tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n"})
    stat = tmp_path / "stat"
    # The filter looks at the clock of its parent before and after it has slept.
    look = f"cut -d' ' -f14,15 /proc/$PPID/stat >>{stat}"
    tools.pfetch("clone", "--depth=1", *driver(smudge=f"{look}; sleep 1; {look}; cat"), source.url, tmp_path / "x").ok()
    before, after = (sum(map(int, line.split())) for line in stat.read_text().splitlines())
    assert after - before <= 10, f"{after - before} ticks while a filter slept"


def test_filters_are_in_the_trace_and_in_the_progress(tools, tmp_path):
    source = filtered(tools, tmp_path / "src", {"a.up": b"a\n", "b.up": b"b\n"})
    result = tools.pfetch("clone", "--depth=1", "--progress", f"--trace={tmp_path}/trace", *driver(smudge="cat"),
                          source.url, tmp_path / "x").ok()
    assert (tmp_path / "trace").read_text().count("\"filter program\"") == 2
    assert "Filtering content: 100% (2/2)" in result.err


# git-lfs.

@pytest.fixture(scope="module")
def large(tools, tmp_path_factory):
    assert shutil.which("git-lfs"), "git-lfs is needed"
    path = tmp_path_factory.mktemp("lfs") / "src"
    tools.git("init", "-q", path).ok()
    for key, value in LFS.items():
        tools.git("-C", path, "config", f"filter.lfs.{key}", value).ok()
    files = {"a.bin": os.urandom(100000), "big.bin": os.urandom(3000000), "sub/c.bin": b"small\n", "empty.bin": b"",
             "run.bin": b"#!/bin/sh\n", "plain.txt": b"plain\n"}
    (path / "sub").mkdir()
    (path / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    for name, content in files.items():
        (path / name).write_bytes(content)
    (path / "run.bin").chmod(0o755)
    tools.git("-C", path, "add", ".").ok()
    tools.git("-C", path, "commit", "-q", "-m", "large").ok()
    assert tools.ask(path, "cat-file", "-p", "HEAD:a.bin").startswith("version https://git-lfs")
    return path, files


LFS = {"clean": "git-lfs clean -- %f", "smudge": "git-lfs smudge -- %f", "process": "git-lfs filter-process",
       "required": "true"}


def lfs_options(*keys) -> list:
    return sum((["-c", f"filter.lfs.{key}={LFS[key]}"] for key in keys), [])


@pytest.mark.parametrize("keys", [("clean", "smudge", "required"), ("clean", "smudge", "process", "required")],
                         ids=["one by one", "process"])
def test_git_lfs(both, tools, large, keys):
    path, files = large
    both.clone("--depth=1", url=f"file://{path}", before=lfs_options(*keys))
    both.git_result.ok()
    both.result.ok()
    assert worktree(both.ours) == worktree(both.theirs)
    for name, content in files.items():
        assert (both.ours / name).read_bytes() == content
    assert os.access(both.ours / "run.bin", os.X_OK) and not os.access(both.ours / "a.bin", os.X_OK)
    assert tools.git(*lfs_options(*keys), "-C", both.ours, "diff-files").ok().out == ""
    assert tools.git(*lfs_options(*keys), "-C", both.ours, "status", "--porcelain").ok().out == ""
    assert tools.ask(both.ours, "lfs", "fsck") == "Git LFS fsck OK"
    objects = [sorted(item.name for item in (place / ".git" / "lfs" / "objects").rglob("*") if item.is_file())
               for place in (both.theirs, both.ours)]
    assert objects[0] == objects[1] and len(objects[0]) == 4


def test_git_lfs_whose_store_lacks_a_file(both, tools, large, tmp_path):
    path, _ = large
    shutil.copytree(path, tmp_path / "poor")
    oid = tools.ask(path, "cat-file", "-p", "HEAD:a.bin").split("sha256:")[1].split()[0]
    (tmp_path / "poor" / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid).unlink()
    both.clone("--depth=1", url=f"file://{tmp_path}/poor", before=lfs_options(*LFS))
    both.git_result.refused("smudge filter lfs failed", code=128)
    both.result.refused("a.bin: smudge filter lfs failed", code=128)
    assert (both.ours / "big.bin").stat().st_size == 3000000 and not (both.ours / "a.bin").exists()


def test_git_lfs_told_to_skip(both, large):
    path, _ = large
    both.clone("--depth=1", url=f"file://{path}", before=lfs_options(*LFS), env={"GIT_LFS_SKIP_SMUDGE": "1"})
    both.git_result.ok()
    both.result.ok()
    assert worktree(both.ours) == worktree(both.theirs)
    assert (both.ours / "a.bin").read_bytes().startswith(b"version https://git-lfs")
