"""Options, messages, exit codes and settings of the command line, beside git's."""
import json
import os
import pathlib

import pytest

from compare import compare_repositories, git_dir_of
from history import History


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
               if name.startswith(("hooks", "info", "description", "hook-ran", "branches"))} for root in (both.theirs, both.ours)]
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
    tools.pfetch("clone", "--revision=refs/heads/main", *options, rich.url, tmp_path / "x").refused("--revision", options[0])
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
    result = tools.pfetch("-c", "protocol.version=0", "clone", "--depth=1", f"--revision={src.ids['c2']}", src.url, tmp_path / "x")
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
    (["clone", "--branch", "nosuch", "-o", "up", "--depth=1", "URL", "x"], 128, "Remote branch nosuch not found in upstream up"),
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
    assert theirs.code == code, theirs
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


# Settings and environment.

@pytest.mark.parametrize("settings", [
    ["clone.defaultRemoteName=up"], ["core.autocrlf=true"], ["core.eol=crlf"], ["core.fileMode=false"], ["core.symlinks=false"],
    ["core.sharedRepository=group"], ["core.sharedRepository=0664"], ["core.logAllRefUpdates=false"],
    ["branch.autoSetupRebase=always"], ["init.defaultBranch=other"], ["checkout.workers=4"], ["transfer.fsckObjects=true"],
    ["fetch.unpackLimit=1000"], ["remote.origin.tagOpt=--no-tags"], ["core.checkStat=minimal"], ["core.trustctime=false"],
    ["core.ignoreStat=true"], ["remote.origin.prune=true"], ["fetch.writeCommitGraph=true"], ["index.version=4"], ["pack.writeReverseIndex=true"],
])
def test_settings_from_the_command_line(both, rich, settings):
    before = sum((["-c", setting] for setting in settings), [])
    both.clone("--depth=2", url=rich.url, before=before).same(clean=False)  # a setting for one command: git sees changes later


@pytest.mark.parametrize("env", [
    {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.eol", "GIT_CONFIG_VALUE_0": "crlf"},
    {"GIT_CONFIG_PARAMETERS": "'clone.defaultRemoteName=up'"},
    {"GIT_CONFIG_PARAMETERS": "'clone.defaultRemoteName'='up'"},
    {"GIT_PROTOCOL": "version=2"},
    {"GIT_REFLOG_ACTION": "mine"},
    {"GIT_INDEX_FILE": "/nonexistent/index"},
])
def test_environment_that_clone_honours_or_ignores(both, src, env):
    both.clone("--depth=2", url=src.url, env=env)
    if both.git_result.code:
        both.result.refused(code=both.git_result.code)
    else:
        both.same()


def test_git_dir_and_git_work_tree(tools, both, src):
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        run("clone", "--depth=1", src.url, "elsewhere", cwd=root, env={"GIT_WORK_TREE": str(root / "tree")}).ok()
        run("clone", "--depth=1", src.url, "plain", cwd=root, env={"GIT_DIR": str(root / "ignored")}).ok()
    names = [sorted(str(path.relative_to(root)) for path in root.rglob("*") if ".git/" not in str(path) and "elsewhere/" not in str(path))
             for root in (both.theirs_root, both.ours_root)]
    assert names[1] == names[0]
    compare_repositories(tools, both.theirs_root / "plain", both.ours_root / "plain")


def test_an_object_directory_elsewhere(tools, both, src):
    outcomes = []
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        result = run("clone", "--depth=1", src.url, "x", cwd=root, env={"GIT_OBJECT_DIRECTORY": str(root / "objects.d")})
        outcomes.append((result.code, (root / "x" / "file.txt").exists(), any(root.glob("objects.d/pack/*.pack")),
                         any(root.glob("x/.git/objects/pack/*.pack"))))
    assert outcomes[1] == outcomes[0]


def test_the_name_of_the_user_is_not_needed(both, src):
    both.clone("--depth=1", url=src.url, env={"GIT_AUTHOR_NAME": "", "GIT_COMMITTER_NAME": ""})
    assert both.result.code == both.git_result.code, both.result


def test_insteadof_rewrites_the_address(both, src):
    both.clone("--depth=1", url="test:src", before=("-c", f"url.file://{src.path.parent}/.insteadOf=test:")).same()


def test_the_ssh_forms(both, sshd, src):
    name = sshd.url("").removeprefix("ssh://")
    for number, (url, settings) in enumerate(((f"{name}:{src.path}", ()), (f"ssh://{name}{src.path}", ("-c", "ssh.variant=ssh")),
                                              (f"ssh://{name}:{sshd.port}{src.path}", ()), (f"git+ssh://{name}{src.path}", ()))):
        both.clone("--depth=1", url=url, before=settings, directory=f"x{number}")
        both.same()


def test_where_the_ssh_command_comes_from(both, sshd, src, tmp_path):
    program = tmp_path / "my ssh"
    program.write_text(f"#!/bin/sh\necho \"$@\" >>{tmp_path}/log\nexec {sshd.command} \"$@\"\n")
    program.chmod(0o755)
    logs = []
    for number, (env, settings) in enumerate((
            ({"GIT_SSH_COMMAND": "", "GIT_SSH": str(program)}, ()),
            ({"GIT_SSH_COMMAND": f"'{program}'", "GIT_SSH_VARIANT": "ssh"}, ()),
            ({"GIT_SSH_COMMAND": ""}, ("-c", f"core.sshCommand='{program}'")),
            ({"GIT_SSH_COMMAND": ""}, ("-c", f"core.sshCommand='{program}'", "-c", "ssh.variant=simple")))):
        env = {name: value for name, value in env.items() if value}
        both.tools = type(both.tools)({name: value for name, value in both.tools.env.items() if name != "GIT_SSH_COMMAND"})
        for kind, run in (("git", both.tools.git), ("our", both.tools.pfetch)):
            run(*settings, "clone", "--depth=1", f"loopback:{src.path}", tmp_path / f"{kind}{number}", env=env).ok()
            logs.append((tmp_path / "log").read_text())
            (tmp_path / "log").unlink()
        assert logs[-1] == logs[-2], "ssh is called with other arguments than git's"


def test_server_options_reach_the_server(both, src, tmp_path):
    wrapper = tmp_path / "upload-pack"
    wrapper.write_text(f"#!/bin/sh\ntee -a {tmp_path}/seen.$PPID | git-upload-pack \"$@\"\n")
    wrapper.chmod(0o755)
    both.clone("--server-option=one", "--server-option", "two=2", "--depth=1", "-u", str(wrapper), url=src.url).same()
    for seen in tmp_path.glob("seen.*"):
        assert "server-option=one" in seen.read_text() and "server-option=two=2" in seen.read_text()
    both.clone("--server-option=one", url=src.url, directory="y", before=("-c", "protocol.version=0"))
    both.both_refused("server options require protocol version 2 or later")


def test_umask_decides_the_modes(tools, both, rich):
    for mask, setting in ((0o077, ()), (0o002, ()), (0o022, ("-c", "core.sharedRepository=0660"))):
        for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
            old = os.umask(mask)
            try:
                run(*setting, "clone", "--depth=1", rich.url, f"x{mask}", cwd=root).ok()
            finally:
                os.umask(old)
        modes = [{name: oct((root / f"x{mask}" / ".git" / name).stat().st_mode)
                  for name in ("", "HEAD", "config", "index", "objects", "objects/pack", "refs/heads", "packed-refs", "shallow", "logs/HEAD")}
                 for root in (both.theirs_root, both.ours_root)]
        assert modes[1] == modes[0]
        compare_repositories(tools, both.theirs_root / f"x{mask}", both.ours_root / f"x{mask}")


def test_global_options_before_the_command(tools, both, src):
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        (root / "in" / "here").mkdir(parents=True)
        run("-C", "in", "-C", "here", "-c", "clone.defaultRemoteName=up", "clone", "--depth=1", src.url, "x", cwd=root).ok()
        run("--git-dir=nowhere", "clone", "--depth=1", src.url, "y", cwd=root).ok()
        run("--git-dir", "nowhere", "clone", "--depth=1", src.url, "z", cwd=root).ok()
    for name in ("in/here/x", "y", "z"):
        compare_repositories(tools, both.theirs_root / name, both.ours_root / name)


def test_help_and_version(tools):
    tools.pfetch("--version").ok()
    assert "clone" in tools.pfetch("--help").ok().out
    result = tools.pfetch("clone", "-h")
    assert result.code == 129 and "--depth" in result.out


@pytest.mark.ours
def test_the_version_says_pfetch(tools):
    assert tools.pfetch("--version").ok().out.startswith("pfetch version ")


@pytest.mark.parametrize("extra", [[], ["--progress"], ["-v"], ["-q"]], ids=["plain", "progress", "verbose", "quiet"])
def test_a_pipe_hears_of_progress_only_when_asked(both, src, extra):
    both.clone("--depth=1", *extra, url=src.url)
    both.same()
    for result in (both.git_result, both.result):
        assert ("%" in result.err) == (extra == ["--progress"]), result
    if extra == ["-q"]:
        assert both.result.err == ""


@pytest.mark.ours
def test_json_is_one_object_on_stdout(tools, rich, tmp_path):
    result = tools.pfetch("clone", "--json", "--depth=1", rich.url, tmp_path / "x").ok()
    answer = json.loads(result.out)
    for key in ("files", "bytes_received", "bytes_sent", "objects", "deltas", "inflated_once", "inflated_again", "blobs_written_receiving",
                "blobs_replayed", "seconds", "stages", "head", "branch", "directory"):
        assert key in answer, key
    index = tools.ask(tmp_path / "x", "ls-files", "-s").splitlines()
    assert answer["files"] == len([line for line in index if not line.startswith("160000")])
    assert answer["objects"] == len(tools.ask(tmp_path / "x", "cat-file", "--batch-all-objects", "--batch-check").splitlines())
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
    lanes = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    assert len(lanes) >= 2, "a lane for each thread"
    assert {event["tid"] for event in spans} <= lanes.keys()


@pytest.mark.ours
@pytest.mark.parametrize("options", [["--json"], ["--trace", "t.json"]])
def test_a_failed_clone_reports_nothing_as_done(tools, tmp_path, options):
    result = tools.pfetch("clone", *options, "file:///no/such/repository", "x", cwd=tmp_path).refused(code=128)
    assert result.out == "" or "error" in json.loads(result.out)


@pytest.mark.ours
def test_depth_on_a_plain_path_is_honoured(tools, src, tmp_path, check):
    tools.pfetch("clone", "--depth=1", src.path, tmp_path / "x").ok()
    check(tmp_path / "x", {"HEAD": 1})


def test_sources_with_unusual_paths(tools, both, tmp_path):
    for number, name in enumerate(("with:colon", "with space", "with'quote", "with\"double", "with$dollar", "-dash", "ends.git", "with%25percent",
                                   "übung", "new\nline")):
        source = History().linear(2).write(tools, tmp_path / "sources" / name)
        for url in (source.path, f"file://{source.path}"):
            both.clone("--depth=1", url=url, directory=f"x{number}{len(str(url))}")
            if both.git_result.code:
                both.result.refused(code=both.git_result.code)
            else:
                both.same()


def test_a_source_with_alternates(both, tools, src, tmp_path):
    tools.git("clone", "-q", "--bare", "--shared", src.path, tmp_path / "borrower").ok()
    both.clone("--depth=3", url=tmp_path / "borrower").same()


def test_a_relative_path(both, src):
    os.symlink(src.path, both.theirs_root.parent / "near")
    both.clone("--depth=1", url="../near").same()
    both.clone(url="../near", directory="y").same()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_source_that_someone_else_owns(both, tools, src, tmp_path):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "theirs").ok()
    os.chown(tmp_path / "theirs", 12345, 12345)
    both.clone("--depth=1", url=f"file://{tmp_path / 'theirs'}")
    both.result.refused(code=both.git_result.code)
    assert not both.ours.exists()
