"""Options, messages, exit codes and settings of the command line, beside git's."""
import json
import os
import pathlib
import signal

import pytest

from compare import compare_repositories, git_dir_of


# What the matrix does not cover: options whose result lies outside of the clone, or depends on the folder.

@pytest.fixture
def separate(tools, both, src):
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        run("clone", "--separate-git-dir", "git.d", "--depth", "1", src.url, "x", cwd=root).ok()
    return both


def test_separate_git_dir_leaves_a_file_that_points_to_it(tools, separate):
    compare_repositories(tools, separate.theirs_root / "x", separate.ours_root / "x")
    text = (separate.ours_root / "x" / ".git").read_text()
    assert text == f"gitdir: {separate.ours_root / 'git.d'}\n"


def test_the_directory_is_named_after_the_address(both, src, rich):
    for url, name in ((src.url, "src"), (f"{src.url}/", "src"), (f"{src.url}/.git", "src"), (src.path, "src")):
        both.clone("--depth=1", "-n", url=url, directory=None)
        both.git_result.ok()
        both.result.ok()
        both.same_messages()
        for root in (both.theirs_root, both.ours_root):
            assert [path.name for path in root.iterdir()] == [name]
            os.rename(root / name, root.parent / f"{root.name}-{abs(hash(url))}")


def test_leading_folders_are_made_and_an_absolute_target_works(tools, both, src):
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        run("clone", "--depth=1", src.url, root / "a" / "b" / "c").ok()
    compare_repositories(tools, both.theirs_root / "a/b/c", both.ours_root / "a/b/c")


@pytest.mark.parametrize("option", ["--reference", "--reference-if-able"])
def test_a_reference_lends_its_objects(both, tools, src, option, tmp_path):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "lender").ok()
    both.clone(option, str(tmp_path / "lender"), url=src.url).same()
    alternates = (both.ours / ".git/objects/info/alternates").read_text().split()
    assert alternates == [str(tmp_path / "lender" / "objects")]
    assert tools.ask(both.ours, "count-objects", "-v") == tools.ask(both.theirs, "count-objects", "-v")


def test_dissociate_borrows_nothing_in_the_end(both, tools, src, tmp_path):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "lender").ok()
    both.clone("--reference", str(tmp_path / "lender"), "--dissociate", url=src.url).same()
    assert not (both.ours / ".git/objects/info/alternates").exists()
    os.rename(tmp_path / "lender", tmp_path / "gone")
    tools.git("-C", both.ours, "fsck", "--strict").ok()


def test_a_reference_that_is_missing(both, src, tmp_path):
    both.clone("--reference", str(tmp_path / "nowhere"), url=src.url).both_refused("not a local repository", code=128)
    both.clone("--reference-if-able", str(tmp_path / "nowhere"), url=src.url).same()


def test_a_reference_that_is_shallow_is_refused(both, tools, src, tmp_path):
    tools.git("clone", "-q", "--bare", "--depth=1", src.url, tmp_path / "lender").ok()
    both.clone("--reference", str(tmp_path / "lender"), url=src.url).both_refused("shallow", code=128)


def everything_below(path) -> dict:
    return {str(entry.relative_to(path)): (oct(entry.stat().st_mode), entry.read_bytes() if entry.is_file() else None)
            for entry in pathlib.Path(path).rglob("*")}


@pytest.mark.parametrize("way", ["option", "environment", "config", "none"])
def test_the_template_is_copied(both, src, tmp_path, way):
    template = tmp_path / "template"
    (template / "hooks").mkdir(parents=True)
    (template / "info").mkdir()
    (template / "hooks" / "post-checkout").write_text("#!/bin/sh\necho \"$@\" >\"$GIT_DIR/hook-ran\"\n")
    (template / "hooks" / "post-checkout").chmod(0o755)
    (template / "info" / "exclude").write_text("*.o\n")
    (template / "description").write_text("a template\n")
    (template / "config").write_text("[from]\n\ttemplate = yes\n")
    how = {"option": {"args": [f"--template={template}"]}, "environment": {"env": {"GIT_TEMPLATE_DIR": str(template)}},
           "config": {"before": ("-c", f"init.templateDir={template}")}, "none": {"args": ["--template="]}}[way]
    both.clone("--depth=1", *how.pop("args", ()), url=src.url, **how).same()
    copied = [{name: value for name, value in everything_below(root / ".git").items()
               if name.startswith(("hooks", "info", "description", "hook-ran", "branches"))} for root in (both.theirs,
                   both.ours)]
    assert copied[1] == copied[0]


def test_post_checkout_decides_the_exit_code(both, tools, src, tmp_path):
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text("#!/bin/sh\necho from the hook >&2\npwd\nexit 7\n")
    (hooks / "post-checkout").chmod(0o755)
    both.clone(f"--template={tmp_path / 'template'}", url=src.url)
    assert both.result.code == both.git_result.code == 7
    assert "from the hook" in both.result.err
    both.clone("--depth=1", f"--template={tmp_path / 'template'}", "-n", url=src.url, directory="y").same(clean=False)


# What scripts written for git do.

@pytest.mark.parametrize("options", [
    ["--dep", "1", "--no-ch"], ["--dep=1", "--single"], ["--no-depth"], ["--depth", "1", "--no-depth"],
    ["--bare", "--no-bare"], ["-b", "topic", "--no-branch"], ["--no-no-checkout"], ["--template=", "-ocopy"],
    ["--naked"], ["--no-recurse-submodules", "--no-filter", "--no-sparse"], ["--shallow-submodules"],
])
def test_options_are_shortened_taken_back_and_run_together(both, rich, options):
    both.clone(*options, url=rich.url).same(clean="--no-ch" not in options)


@pytest.mark.parametrize("words", [
    ["--zzz"], ["-Z"], ["--depth"], ["--bare=1"], ["-b"], ["--no-depth=1"], ["--jobs=x"],
])
def test_a_wrong_option_is_told_in_gits_words(tools, tmp_path, src, words):
    ours = tools.pfetch("clone", src.url, "x", *words, cwd=tmp_path)
    theirs = tools.git("clone", src.url, "x", *words, cwd=tmp_path)
    assert (ours.code, ours.err.splitlines()[0]) == (theirs.code, theirs.err.splitlines()[0])
    assert list(tmp_path.iterdir()) == []


# The settings that --config makes.

@pytest.mark.parametrize("settings", [
    ["core.sharedRepository=group"], ["init.defaultBranch=other"], ["core.logAllRefUpdates=always"],
    ["Some.Thing"], ["Some.Thing.Else=Value"], ["a.b=1", "a.b=2"], ["remote.origin.url=elsewhere"],
    ["clone.defaultRemoteName=up"], ["remote.up.tagOpt=--tags"],
])
def test_settings_are_written_as_git_writes_them(both, src, settings):
    both.clone(*(word for setting in settings for word in ("-c", setting)), url=src.url).same()
    for name in (".", "refs", "config"):
        ours, theirs = (root / ".git" / name for root in (both.ours, both.theirs))
        assert oct(ours.stat().st_mode) == oct(theirs.stat().st_mode), name


@pytest.mark.parametrize("refspec", ["+refs/pull/*:refs/remotes/origin/pull/*", "refs/notes/hidden:refs/notes/mine"])
@pytest.mark.parametrize("options", [(), ("--bare",), ("--depth=1", "--no-single-branch"), ("--no-tags",)])
@pytest.mark.parametrize("protocol", [0, 2])
def test_refspecs_that_are_configured_are_fetched_too(both, rich, refspec, options, protocol):
    both.clone("-c", f"remote.origin.fetch={refspec}", *options, url=rich.url,
               before=("-c", f"protocol.version={protocol}")).same()


def test_tags_that_come_along_have_logs_where_every_ref_has_one(both, rich):
    both.clone("--single-branch", url=rich.url, before=("-c", "core.logAllRefUpdates=always")).same()


# --revision came with a newer git than Debian's, so the right values are spelled out.

@pytest.mark.ours
@pytest.mark.parametrize("transport", ["path", "file"])
@pytest.mark.parametrize("protocol", [0, 1, 2])
@pytest.mark.parametrize("name", ["refs/heads/topic", "refs/tags/v1.0", "refs/pull/1/head", "an old id", "HEAD"])
def test_revision_brings_exactly_that(tools, check, rich, tmp_path, transport, protocol, name):
    rich.config(uploadpack__allowAnySHA1InWant="true")
    revision = rich.ids["third"] if name == "an old id" else name
    url = rich.path if transport == "path" else rich.url
    target = tmp_path / "x"
    tools.pfetch("-c", f"protocol.version={protocol}", "clone", "--depth=1", f"--revision={revision}", url, target).ok()
    assert tools.git("-C", target, "symbolic-ref", "-q", "HEAD").code == 1, "HEAD is not detached"
    assert tools.ask(target, "rev-parse", "HEAD") == rich.git("rev-parse", f"{revision}^{{commit}}")
    assert tools.ask(target, "for-each-ref", "--format=%(refname)", "refs/remotes", "refs/heads") == ""
    assert tools.git("-C", target, "config", "--get-all", "remote.origin.fetch").code == 1
    assert tools.ask(target, "status", "--porcelain") == ""
    check(target, {"HEAD": 1})


@pytest.mark.ours
def test_revision_without_depth_and_in_a_bare_repository(tools, check, rich, tmp_path):
    tools.pfetch("clone", "--revision=refs/heads/main", rich.url, tmp_path / "full").ok()
    check(tmp_path / "full", {"HEAD": 7})
    tools.pfetch("clone", "--bare", "--revision", rich.ids["t2"], rich.url, tmp_path / "bare").ok()
    assert tools.ask(tmp_path / "bare", "rev-parse", "HEAD") == rich.ids["t2"]


@pytest.mark.ours
@pytest.mark.parametrize("options", [["--branch", "topic"], ["--mirror"]])
def test_revision_conflicts(tools, rich, tmp_path, options):
    tools.pfetch("clone", "--revision=refs/heads/main", *options, rich.url, tmp_path / "x").refused("--revision",
        options[0])
    assert not (tmp_path / "x").exists()


@pytest.mark.ours
@pytest.mark.parametrize("revision", ["refs/heads/nosuch", "1" * 40, "main:README", "not a name"])
def test_a_revision_that_is_not_there(tools, rich, tmp_path, revision):
    result = tools.pfetch("clone", "--depth=1", f"--revision={revision}", rich.url, tmp_path / "x").refused(code=128)
    assert revision in result.err
    assert not (tmp_path / "x").exists()


@pytest.mark.ours
def test_a_server_that_refuses_an_id_is_named_as_the_reason(tools, tmp_path, src):
    """Protocol 0 with default settings serves advertised tips only."""
    result = tools.pfetch("-c", "protocol.version=0", "clone", "--depth=1", f"--revision={src.ids['c2']}", src.url,
                          tmp_path / "x")
    result.refused(src.ids["c2"], code=128)
    assert any(word in result.err.lower() for word in ("server", "remote", "advertised")), result
    assert not (tmp_path / "x").exists()


# Refusals.

@pytest.mark.parametrize("arguments, code, words", [
    (["clone"], 129, "You must specify a repository to clone"),
    (["clone", "--nosuch", "URL", "x"], 129, "unknown option"),
    (["clone", "URL", "x", "y"], 129, "Too many arguments"),
    (["clone", "--depth"], 129, "depth"),
    (["clone", "--depth", "0", "URL", "x"], 128, "depth 0 is not a positive number"),
    (["clone", "--depth", "-1", "URL", "x"], 128, "depth -1 is not a positive number"),
    (["clone", "--depth", "three", "URL", "x"], 128, "depth three is not a positive number"),
    (["clone", "--bare", "--origin", "o", "--separate-git-dir", "g", "URL", "x"], 128, "--bare"),
    (["clone", "--origin", "bad..name", "URL", "x"], 128, "bad..name"),
    (["clone", "--branch", "nosuch", "URL", "x"], 128, "Remote branch nosuch not found in upstream origin"),
    (["clone", "--branch", "nosuch", "-o", "up", "--depth=1", "URL", "x"], 128,
     "Remote branch nosuch not found in upstream up"),
    (["clone", "--shallow-since=2030-01-01", "URL", "x"], 128, ""),
    (["clone", "--shallow-exclude=nosuch", "URL", "x"], 128, "nosuch"),
    (["clone", "-c", "nokey", "URL", "x"], 128, "nokey"),
    (["clone", "file:///no/such/repository", "x"], 128, "/no/such/repository"),
    (["clone", "./nosuch", "x"], 128, "repository './nosuch' does not exist"),
    (["clone", "nosuch://host/path", "x"], 128, "nosuch"),
    (["clone", "--upload-pack", "/no/such/program", "URL", "x"], 128, ""),
    (["clone", "ssh://-oProxyCommand=touch/x", "x"], 128, "-oProxyCommand"),
    (["-c", "protocol.allow=never", "clone", "ssh://loopback/x", "x"], 128, "transport 'ssh' not allowed"),
    (["-c", "protocol.file.allow=never", "clone", "URL", "x"], 128, "transport 'file' not allowed"),
    (["-C", "/no/such/folder", "clone", "URL", "x"], 128, "/no/such/folder"),
    (["nosuchcommand"], 1, "nosuchcommand"),
])
def test_what_git_refuses_is_refused_alike(tools, both, src, arguments, code, words):
    arguments = [src.url if argument == "URL" else argument for argument in arguments]
    theirs = tools.git(*arguments, cwd=both.theirs_root)
    ours = tools.pfetch(*arguments, cwd=both.ours_root)
    # git writes to the helper that is not there, and may be the first to notice: then it dies of SIGPIPE.
    assert theirs.code in (code, -signal.SIGPIPE), theirs
    ours.refused(words, code=code)
    assert list(both.ours_root.iterdir()) == [], "something was left behind"


@pytest.mark.ours
@pytest.mark.parametrize("option", ["--filter=blob:none", "--recurse-submodules", "--sparse"])
def test_what_is_not_built_is_refused_clearly(tools, src, tmp_path, option):
    result = tools.pfetch("clone", option, src.url, tmp_path / "x").refused(option.split("=")[0])
    assert result.code in (128, 129)
    assert not (tmp_path / "x").exists()


def test_a_target_with_something_in_it_is_refused_and_untouched(both, src):
    for root in (both.theirs_root, both.ours_root):
        (root / "x").mkdir()
        (root / "x" / "precious").write_text("mine\n")
    both.clone("--depth=1", url=src.url)
    both.git_result.refused("already exists and is not an empty directory", code=128)
    both.result.refused("already exists and is not an empty directory", code=128)
    assert [path.name for path in both.ours.iterdir()] == ["precious"]


def test_a_file_in_the_way_is_refused_and_untouched(both, src):
    for root in (both.theirs_root, both.ours_root):
        (root / "x").write_text("mine\n")
    both.clone(url=src.url)
    both.result.refused(code=both.git_result.code)
    assert both.ours.read_text() == "mine\n"


def test_an_empty_target_is_used_and_kept_when_the_clone_fails(both, src):
    for root in (both.theirs_root, both.ours_root):
        (root / "x").mkdir(mode=0o750)
    both.clone("--branch=nosuch", url=src.url)
    both.result.refused(code=both.git_result.code)
    assert both.ours.is_dir() and list(both.ours.iterdir()) == []
    both.clone("--depth=1", url=src.url).same()
    assert oct(both.ours.stat().st_mode) == oct(both.theirs.stat().st_mode)


# What is told at the end.

@pytest.mark.ours
def test_json_is_one_object_on_stdout(tools, rich, tmp_path):
    result = tools.pfetch("clone", "--json", "--depth=1", rich.url, tmp_path / "x").ok()
    answer = json.loads(result.out)
    for key in ("files", "bytes_received", "bytes_sent", "objects", "deltas", "inflated_once", "inflated_again",
                "blobs_written_receiving",
                "blobs_replayed", "seconds", "stages", "head", "branch", "directory"):
        assert key in answer, key
    index = tools.ask(tmp_path / "x", "ls-files", "-s").splitlines()
    assert answer["files"] == len([line for line in index if not line.startswith("160000")])
    assert answer["objects"] == len(tools.ask(tmp_path / "x", "cat-file", "--batch-all-objects",
                                              "--batch-check").splitlines())
    assert answer["head"] == rich.ids["tip"]
    assert answer["branch"] in ("main", "refs/heads/main")
    assert answer["directory"].rstrip("/").endswith("x")
    pack = next((git_dir_of(tools, tmp_path / "x") / "objects" / "pack").glob("*.pack"))
    assert answer["bytes_received"] >= pack.stat().st_size
    assert answer["bytes_sent"] > 0 and answer["seconds"] > 0 and answer["stages"]
    assert answer["inflated_again"] == 0, "a blob of a small pack was inflated twice"


@pytest.mark.ours
def test_the_trace_opens_in_a_trace_viewer(tools, rich, tmp_path):
    tools.pfetch("clone", "--trace", tmp_path / "trace.json", "--depth=1", rich.url, tmp_path / "x").ok()
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    spans = [event for event in events if event["ph"] == "X"]
    assert spans and all({"name", "ts", "dur", "pid", "tid"} <= event.keys() for event in spans)
    lanes = {event["tid"]: event["args"]["name"]
             for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    assert len(lanes) >= 2, "a lane for each thread"
    assert {event["tid"] for event in spans} <= lanes.keys()


@pytest.mark.ours
@pytest.mark.parametrize("options", [["--json"], ["--trace", "t.json"]])
def test_a_failed_clone_reports_nothing_as_done(tools, tmp_path, options):
    result = tools.pfetch("clone", *options, "file:///no/such/repository", "x", cwd=tmp_path).refused(code=128)
    assert result.out == "" or "error" in json.loads(result.out)
