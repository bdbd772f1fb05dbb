"""Settings, environment, addresses and sources, beside git's."""
import os

import pytest

from compare import compare_repositories
from history import History


@pytest.mark.parametrize("settings", [
    ["clone.defaultRemoteName=up"], ["core.autocrlf=true"], ["core.eol=crlf"], ["core.fileMode=false"],
    ["core.symlinks=false"],
    ["core.sharedRepository=group"], ["core.sharedRepository=0664"], ["core.logAllRefUpdates=false"],
   
    ["branch.autoSetupRebase=always"], ["init.defaultBranch=other"], ["checkout.workers=4"],
    ["transfer.fsckObjects=true"],
    ["fetch.unpackLimit=1000"], ["remote.origin.tagOpt=--no-tags"], ["core.checkStat=minimal"],
    ["core.trustctime=false"],
    ["core.ignoreStat=true"], ["remote.origin.prune=true"], ["fetch.writeCommitGraph=true"], ["index.version=4"],
    ["pack.writeReverseIndex=true"],
])
def test_settings_from_the_command_line(both, rich, settings):
    before = sum((["-c", setting] for setting in settings), [])
    both.clone("--depth=2", url=rich.url,
               before=before).same(clean=False)  # a setting for one command: git sees changes later


@pytest.mark.parametrize("choice", ["checked", "libgit2"])
def test_either_sha1_gives_the_same_clone(both, rich, choice):
    both.clone("--depth=2", url=rich.url, before=["-c", f"pfetch.sha1={choice}"]).same()


@pytest.mark.ours
def test_an_unknown_sha1_is_refused_by_name(tools, rich, tmp_path):
    result = tools.pfetch("-c", "pfetch.sha1=md5", "clone", rich.url, "x", cwd=tmp_path)
    result.refused("bad value 'md5' for 'pfetch.sha1': not 'checked' or 'libgit2'")
    assert not (tmp_path / "x").exists()


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
    names = [sorted(str(path.relative_to(root))
                    for path in root.rglob("*") if ".git/" not in str(path) and "elsewhere/" not in str(path))
             for root in (both.theirs_root, both.ours_root)]
    assert names[1] == names[0]
    compare_repositories(tools, both.theirs_root / "plain", both.ours_root / "plain")


def test_an_index_elsewhere_counts_from_the_top_of_the_work_tree(both, src):
    both.clone("--depth=1", url=src.url, env={"GIT_INDEX_FILE": "my.index"})
    for root in (both.theirs, both.ours):
        assert (root / "my.index").read_bytes().startswith(b"DIRC") and not (root / ".git" / "index").exists()


def test_a_work_tree_that_is_there_already_is_refused(both, src):
    for root in (both.theirs_root, both.ours_root):
        (root / "tree").mkdir()
    both.clone(url=src.url, env={"GIT_WORK_TREE": "tree"}).both_refused("working tree 'tree' already exists.", code=128)


@pytest.mark.parametrize("place", ["src/dir", "src/file.txt", "src/..", "src/.git/objects"])
def test_what_is_no_repository_is_told_at_once(both, src, place):
    both.clone(url=src.path.parent / place)
    both.git_result.refused("does not exist" if place != "src/file.txt" else "", code=128)
    both.result.refused("does not exist" if place != "src/file.txt" else "", code=128)
    assert not both.ours.exists()


def test_an_object_directory_elsewhere(tools, both, src):
    outcomes = []
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        result = run("clone", "--depth=1", src.url, "x", cwd=root,
                     env={"GIT_OBJECT_DIRECTORY": str(root / "objects.d")})
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
    for number, (url, settings) in enumerate(((f"{name}:{src.path}", ()),
                                              (f"ssh://{name}{src.path}", ("-c", "ssh.variant=ssh")),
                                              (f"ssh://{name}:{sshd.port}{src.path}", ()),
                                              (f"git+ssh://{name}{src.path}", ()))):
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
        both.tools = type(both.tools)({name: value for name,
                                       value in both.tools.env.items() if name != "GIT_SSH_COMMAND"})
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
                  for name in ("", "HEAD", "config", "index", "objects", "objects/pack", "refs/heads", "packed-refs",
                               "shallow", "logs/HEAD")}
                 for root in (both.theirs_root, both.ours_root)]
        assert modes[1] == modes[0]
        compare_repositories(tools, both.theirs_root / f"x{mask}", both.ours_root / f"x{mask}")


def test_global_options_before_the_command(tools, both, src):
    for root, run in ((both.theirs_root, tools.git), (both.ours_root, tools.pfetch)):
        (root / "in" / "here").mkdir(parents=True)
        run("-C", "in", "-C", "here", "-c", "clone.defaultRemoteName=up", "clone", "--depth=1", src.url, "x",
            cwd=root).ok()
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
def test_depth_on_a_plain_path_is_honoured(tools, src, tmp_path, check):
    tools.pfetch("clone", "--depth=1", src.path, tmp_path / "x").ok()
    check(tmp_path / "x", {"HEAD": 1})


def test_sources_with_unusual_paths(tools, both, tmp_path):
    for number, name in enumerate(("with:colon", "with space", "with'quote", "with\"double", "with$dollar", "-dash",
                                   "ends.git", "with%25percent",
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
