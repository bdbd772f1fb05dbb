"""`pfetch checkout` and `pfetch reset --hard` beside git: options, messages, reflogs, exit codes, and what ends up in
refs, index and worktree."""
import json
import random

import pytest

from checkout_twins import SwitchTwins


def history(tools, path):
    """A remote with four branches: 'main' of two commits, 'topic' one behind it, 'other' and 'dir/x'."""
    def git(*argv):
        tools.ask(path, *argv)
    tools.git("init", "-q", path).ok()
    (path / "d" / "e").mkdir(parents=True)
    for name in ("a", "d/f", "d/e/g"):
        (path / name).write_text(f"{name}\n")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("branch", "topic")
    (path / "a").write_text("two\n")
    (path / "new").write_text("new\n")
    git("add", ".")
    git("commit", "-q", "-m", "two\nlines\n\nand a body")
    for branch in ("other", "dir/x"):
        git("branch", branch)
    git("tag", "v1")
    git("tag", "-a", "-m", "annotated", "ann")
    return path


@pytest.fixture(scope="module")
def remote(tools, tmp_path_factory):
    return history(tools, tmp_path_factory.mktemp("remote") / "up")


@pytest.fixture
def twins(tools, tmp_path, remote):
    return SwitchTwins.cloned(tools, tmp_path, remote)


@pytest.fixture
def advised(twins):
    """With the advice that comes by default."""
    return twins.each("config", "advice.detachedHead", "true")


# Branches and commits.

def test_a_branch_and_back(twins):
    twins.each("branch", "local", "v1~1")
    twins.checkout("local").checkout("local").checkout("main").checkout("-").checkout("@{-1}").checkout()
    twins.checkout("-q", "local").checkout("main", "--").checkout("HEAD").checkout("-f").checkout("-f", "local")


@pytest.mark.parametrize("word", ["v1", "ann", "v1~1", "origin/main", "main^{commit}", "heads/main", "refs/heads/main",
                                  "@", "@~1", "HEAD~1", "main@{u}", "@{u}", "origin", "v1-0-gabc"])
def test_a_commit_detaches_with_advice(advised, word):
    advised.checkout(word, code=None).checkout("main").checkout("-q", word, code=None).checkout("-", code=None)


def test_detach(twins):
    twins.checkout("--detach").checkout("--detach").checkout("-d", "topic", code=None).checkout("--detach", "main")
    twins.checkout("main").checkout("--detach", "v1~1").checkout("--detach", "ann").checkout("-q", "--detach", "v1~1")


def test_the_branch_counts_where_a_tag_is_called_the_same(twins):
    twins.each("tag", "main", "v1~1").checkout("main").checkout("v1").checkout("main").checkout("tags/main")
    twins.each("config", "core.warnAmbiguousRefs", "false").checkout("main")


def test_ids(twins):
    full = twins.tools.ask(twins.ours, "rev-parse", "v1~1")
    twins.checkout(full).checkout(full[:8]).checkout("main").checkout(full[:4].upper()).checkout(full[:3], code=1)
    twins.each("branch", full[:8], "v1").checkout(full[:8])
    twins.each("update-ref", f"refs/heads/{full}", "v1").checkout(full)


def test_a_merge_base(twins):
    twins.each("checkout", "-q", "-b", "side", "v1~1").commit("side").checkout("main...side").checkout("...main")
    twins.checkout("main...", code=None).checkout("main..side", code=1).checkout("-b", "x", "main...side")


@pytest.mark.parametrize("words,code", [
    (["nope"], 1), (["nope", "--"], 128), (["--", "nope"], 1), (["main", "--", "nope"], 1), (["nope", "--", "a"], 128),
    (["main", "nope"], 1), (["a", "d", "nope"], 1), (["main:a"], 128), (["main^{tree}"], 128), (["main:a", "--", "a"], 128),
    (["main~9"], 1), (["@{-1}"], 1), (["-"], 1), (["main@{9}"], 128), (["nope@{u}"], 128), (["other@{u}"], 128),
    (["a", "--", "d"], 128), (["main", "a", "--", "d"], 128), (["x*"], 1), ([""], 128), (["main", ""], 128),
    ([":a"], 128), ([":nope"], 1), ([":1:a"], 1), (["--no-guess", "topic"], 1),
])
def test_what_means_nothing(twins, words, code):
    twins.checkout(*words, code=code)


# Branches of remotes.

def test_a_branch_of_the_remote_is_created(twins):
    twins.checkout("topic").checkout("main").checkout("dir/x").checkout("other", "--")


def test_guessing_can_be_turned_off(twins):
    twins.each("config", "checkout.guess", "false").checkout("topic", code=1).checkout("--guess", "topic")


@pytest.mark.parametrize("mode", ["false", "true", "always", "simple", "inherit", "bogus"])
def test_what_is_tracked(twins, mode):
    how = {"before": ("-c", f"branch.autoSetupMerge={mode}"), "code": None}
    twins.checkout("topic", **how).checkout("-b", "b1", **how).checkout("-b", "b2", "main", **how)
    twins.checkout("-b", "b3", "origin/topic", **how).checkout("-b", "b4", "v1", **how)
    twins.checkout("-B", "b2", "origin/other", **how).checkout("-b", "b5", "origin/main~0", **how)


@pytest.mark.parametrize("mode", ["always", "local", "remote", "never", "bogus"])
def test_rebasing_is_set_up(twins, mode):
    how = {"before": ("-c", f"branch.autoSetupRebase={mode}"), "code": None}
    differs = ("said",) if mode == "bogus" else ()  # where the bad value stands
    twins.checkout("topic", differs=differs, **how).checkout("-b", "b1", "--track", "main", differs=differs, **how)


def test_track(twins):
    twins.checkout("--track", "origin/dir/x").checkout("-t", "remotes/origin/topic").checkout("-b", "y", "-t", "main")
    twins.checkout("-b", "z", "--no-track", "origin/other").checkout("-b", "i", "--track=inherit", "y")
    twins.checkout("-b", "j", "--track=direct", "y").checkout("-B", "y", "--track", "y")
    twins.checkout("-b", "k", "--track=inherit", "topic").checkout("-b", "l", "--track", "HEAD")


@pytest.mark.parametrize("words", [
    ["--track"], ["--track", "main"], ["-t", "v1"], ["-t", "nosuch"], ["-t", "origin/"], ["--no-track", "main"],
    ["-b", "q", "--track", "v1"], ["-b", "q", "--track", "origin/main~0"], ["-d", "-t"], ["-d", "-t", "origin/topic"],
    ["--track", "--", "a"],
])
def test_what_cannot_be_tracked(twins, words):
    twins.checkout(*words, code=128)


def test_a_name_of_two_remotes(tools, tmp_path, twins, remote):
    tools.git("clone", "-q", "--bare", remote, tmp_path / "second").ok()
    twins.each("remote", "add", "second", tmp_path / "second").each("fetch", "-q", "second")
    twins.checkout("topic", code=128).checkout("topic", "--", code=128).checkout("topic", "a", code=1)
    twins.each("config", "advice.checkoutAmbiguousRemoteBranchName", "false").checkout("topic", code=128)
    twins.checkout("topic", before=("-c", "checkout.defaultRemote=second"))
    twins.checkout("--track", "second/other")


def test_a_file_called_as_the_branch_of_a_remote(twins):
    twins.put("topic", "a file\n").checkout("topic", code=128).checkout("--no-guess", "topic", code=1)
    twins.checkout("topic", "--")


def test_a_file_called_as_a_revision(twins):
    twins.put("v1", "a file\n").checkout("v1", "a", code=128).checkout("v1", "--", "a").checkout("--", "v1", code=1)
    twins.checkout("v1").checkout("main").reset("--hard", "v1", code=128).reset("--hard", "v1", "--")


@pytest.mark.parametrize("hints", ["true", "false"])
def test_how_far_the_upstream_is(twins, hints):
    twins.each("config", "advice.statusHints", hints)
    twins.checkout("topic").each("branch", "-q", "-u", "origin/main").checkout("topic").checkout()
    twins.commit("c1").checkout("topic").each("branch", "-q", "-u", "origin/topic").checkout("topic")
    twins.commit("c2").checkout("topic").each("branch", "-q", "-u", "main").checkout("topic")
    twins.each("config", "branch.topic.merge", "refs/heads/gone").checkout("topic")
    twins.each("config", "branch.topic.remote", "origin").checkout("topic")
    twins.each("config", "branch.topic.remote", "nowhere").checkout("topic").checkout("--detach", "main")
    twins.each("tag", "origin/main").checkout("main").each("tag", "heads/main").each("tag", "main")
    twins.each("config", "branch.topic.remote", ".").each("config", "branch.topic.merge", "refs/heads/main")
    twins.checkout("topic")


# New branches.

def test_new_branches(twins):
    twins.checkout("-b", "n1").checkout("-b", "n2", "v1~1").checkout("-b", "n3", "ann").checkout("-B", "n1", "v1~1")
    twins.checkout("-B", "n1").checkout("-B", "main", "v1~1").checkout("-B", "main").checkout("-B", "n4", "@{-1}")
    twins.checkout("-b", "n/5", "origin/main").checkout("-b", "n6", "-q", "origin/main").checkout("-b", "refs/heads/n7")
    twins.checkout("-f", "-b", "n8", "v1").checkout("-b", "@").checkout("-B", "n1", "HEAD~0").checkout("-l", "-b", "n9")


def test_a_log_is_started_where_none_is_kept(twins):
    twins.each("config", "core.logAllRefUpdates", "false").checkout("-b", "n1").checkout("-l", "-b", "n2")


@pytest.mark.parametrize("words,code", [
    (["-b", "main"], 128), (["-b", "bad..name"], 128), (["-b", "HEAD"], 128), (["-b", "-x"], 128), (["-b", "--"], 128),
    (["-b", "sp ace"], 128), (["-b", "q", "nosuch"], 128), (["-b", "q", "main", "a"], 128), (["-b", "q", "--", "a"], 128),
    (["-b", "q", "--", "a", "d"], 128), (["-b", "q", "main^{tree}"], 128), (["-b"], 129), (["-b", "main/sub"], 128),
    (["-B", "main/sub"], 128), (["-b", "x", "-B", "y"], 128), (["-d", "-b", "x"], 128), (["-B", "main", "HEAD~5"], 128),
    (["-b", "q", "topic~1"], 128), (["-l", "a"], 128), (["-b", "q", "--ours"], 128), (["-b", "q", "a", "d"], 128),
])
def test_branches_that_cannot_be_made(twins, words, code):
    usage = ("said",) if code == 129 else ()
    twins.checkout(*words, code=code, differs=usage)


def test_the_start_is_the_name_of_two_refs(twins):
    twins.checkout("topic").checkout("main").each("tag", "topic").checkout("-b", "x", "topic", code=128)
    assert twins.tools.ask(twins.ours, "status", "--porcelain") == ""
    twins.checkout("-b", "x", "heads/topic")


def test_a_branch_of_another_worktree(tools, tmp_path, twins):
    for repo in (twins.theirs, twins.ours):
        tools.ask(repo, "worktree", "add", "-q", "-b", "there", repo.parent / "linked")
    twins.checkout("there", code=128).checkout("--ignore-other-worktrees", "there").checkout("main")
    twins.checkout("--detach", "there").checkout("-b", "x", "there")
    # The refusal holds from there, too, and there HEAD is its own.
    for repo, run in ((twins.theirs, tools.git), (twins.ours, tools.pfetch)):
        run("checkout", "x", cwd=repo.parent / "linked").refused("'x' is already checked out at", code=128)
        run("checkout", "-b", "y", cwd=repo.parent / "linked").ok()
        assert tools.ask(repo.parent / "linked", "symbolic-ref", "HEAD") == "refs/heads/y"
    twins.checkout("main")


# Leaving a detached HEAD.

@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 9])
@pytest.mark.parametrize("advice", ["true", "false"])
def test_commits_that_are_left_behind(twins, count, advice):
    twins.each("config", "advice.detachedHead", advice).checkout("--detach")
    for i in range(count):
        twins.commit(f"lost {i}", "--date", f"{1600000100 + i} +0000")
    twins.checkout("main").checkout("-").checkout("-b", "rescue").checkout("--detach").checkout("main")


def test_what_other_refs_reach_is_not_left_behind(twins):
    twins.checkout("--detach").commit("kept").each("tag", "-a", "-m", "keeps it", "keeper").checkout("main")
    twins.checkout("keeper~0").commit("lost").checkout("-q", "main").checkout("-").checkout("--detach", "HEAD~1")
    twins.each("update-ref", "refs/any/where", "HEAD@{1}").checkout("-").checkout("v1")


# Local changes.

def test_local_changes_go_along(twins):
    twins.each("branch", "twin").put("d/f", "changed\n").put("d/e/g", None).put("added", "x\n").each("add", "added")
    twins.checkout("twin").checkout().checkout("-b", "n1").checkout("-b", "n2", "HEAD").checkout("-B", "n3")
    twins.checkout("--detach").checkout("topic").checkout("-q", "main").checkout("-f").checkout("-f", "topic")


@pytest.mark.parametrize("options", [[], ["-l"], ["--guess"], ["--no-guess"], ["--no-track"], ["--no-overwrite-ignore"],
                                     ["--ignore-other-worktrees"], ["-q"], ["-f"]])
def test_a_new_branch_lists_local_changes_only_with_another_option(twins, options):
    twins.put("a", "mine\n").checkout("-b", "n1", *options)



@pytest.mark.parametrize("quotes", ["true", "false"])
def test_unusual_paths_are_quoted(twins, quotes):
    twins.each("config", "core.quotePath", quotes)
    for name in ("sp ace", "quo\"te", "back\\slash", "tab\t", "\u00fc"):
        twins.put(name, "1\n")
    twins.each("add", ".").checkout("-b", "n1", "main").commit("all").put("\u00fc", "2\n").put("quo\"te", "2\n").checkout()
    twins.checkout("main", code=1)


def test_what_would_be_lost_is_listed(twins):
    twins.checkout("-b", "clash").each("rm", "-q", "-r", "d").put("newf", "1\n").put("dd/q", "1\n").put("a", "3\n")
    twins.commit("clash").checkout("main").put("a", "mine\n").put("newf", "mine\n").put("dd/q", "mine\n")
    twins.put("d/f", "mine\n").checkout("clash", code=1).checkout("-q", "clash", code=1)
    twins.each("config", "advice.commitBeforeMerge", "false").checkout("clash", code=1)
    twins.checkout("-f", "clash").checkout("-f", "main")


def test_what_is_staged_is_listed_apart(twins):
    twins.checkout("-b", "both").put("a", "nine\n").put("d/f", "nine\n").put("d/e/g", "nine\n").commit("both")
    twins.checkout("main").put("a", "staged\n").put("d/e/g", "staged\n").each("add", ".").put("d/f", "mine\n")
    twins.checkout("both", code=1)


def test_folders_with_untracked_files(twins):
    twins.checkout("-b", "file").put("place", "a file\n").commit("file").checkout("main").put("place/u", "untracked\n")
    twins.checkout("file", code=1).checkout("-f", "file", code=None)


def test_a_file_where_a_folder_goes(twins):
    twins.checkout("-b", "folder").put("place/x", "1\n").commit("folder").checkout("main").put("place", "untracked\n")
    twins.checkout("folder", code=1).checkout("-f", "folder")


def test_ignored_files(twins):
    twins.checkout("-b", "has").put("ign", "1\n").commit("has").checkout("main").write("info/exclude", "ign\n")
    twins.put("ign", "mine\n").checkout("--no-overwrite-ignore", "has", code=1).checkout("has").checkout("main")
    twins.put("ign", "mine\n").checkout("--overwrite-ignore", "has")


@pytest.fixture
def conflict(twins):
    twins.each("checkout", "-q", "-b", "m1").put("a", "m1\n").commit("m1").each("checkout", "-q", "-b", "m2", "main")
    twins.put("a", "m2\n").put("clean", "m2\n").commit("m2")
    for repo in (twins.theirs, twins.ours):
        twins.tools.git("merge", "m1", cwd=repo).refused()
    return twins


def test_conflicts_stop_a_switch(conflict):
    conflict.checkout("main", code=1).checkout("m2", code=1).checkout(code=1).checkout("-b", "n1", "HEAD", code=1)
    conflict.checkout("-B", "n1", code=1).checkout("-q", "-b", "n1", code=1).checkout("--detach", code=1)
    conflict.checkout("-b", "n2").checkout("-f", "main")


def test_conflicts_and_paths(conflict):
    conflict.checkout("a", code=1).checkout(".", code=1).checkout("-f", "a").checkout("-f", ".").checkout("--ours", "a")
    conflict.checkout("--theirs", "a").checkout("--ours", "--", ".").checkout("-3", ".").checkout("-2", "a")
    conflict.checkout("-f", "--ours", "a", code=128).checkout("HEAD", "a").checkout("main", "--", "a")


def test_a_side_that_a_conflict_does_not_have(twins):
    twins.each("checkout", "-q", "-b", "m1").put("a", None).commit("m1").each("checkout", "-q", "-b", "m2", "main")
    twins.put("a", "m2\n").commit("m2")
    for repo in (twins.theirs, twins.ours):
        twins.tools.git("merge", "m1", cwd=repo).refused()
    twins.checkout("--theirs", "a", code=1).checkout("--ours", "a").checkout("--theirs", "--", ".", code=1)


def test_a_merge_ends_with_the_switch(conflict):
    conflict.put("a", "merged\n").each("add", "a").checkout("m2", code=0).checkout("-f", "main")


def test_an_unfinished_merge_ends_with_a_reset(conflict):
    conflict.reset("--hard").reset("--hard", "HEAD~1")


@pytest.mark.parametrize("operation", [["cherry-pick", "m1"], ["cherry-pick", "m1", "topic2"], ["revert", "m1"],
                                       ["revert", "m1", "topic2"]])
@pytest.mark.parametrize("end", [["checkout", "main"], ["checkout", "-q", "-f", "main"], ["checkout", "-f", "main"],
                                 ["reset", "--hard"]])
def test_operations_in_progress_are_cancelled(twins, operation, end):
    twins.each("checkout", "-q", "-b", "topic2").put("x", "1\n").commit("x").each("checkout", "-q", "main")
    twins.each("checkout", "-q", "-b", "m1").put("a", "m1\n").commit("m1").each("checkout", "-q", "-b", "m2", "main")
    twins.put("a", "m2\n").commit("m2")
    for repo in (twins.theirs, twins.ours):
        twins.tools.git(*operation, cwd=repo).refused()
    if "-f" not in end and end[0] == "checkout":
        twins.each("checkout", "HEAD", "--", "a")
    twins.do(*end)


# Paths.

def test_paths_of_the_index_and_of_trees(twins):
    twins.put("a", "mine\n").put("d/f", "mine\n").put("d/e/g", None)
    twins.checkout("a").checkout("a").checkout("--", "d").put("a", "x\n").checkout("v1~1", "a").checkout("HEAD", "--", ".")
    twins.checkout("v1~1", ".").checkout("main:d", "--", "f", code=None).checkout("HEAD^{tree}", "a").checkout("ann", "new")
    twins.checkout("-q", "v1~1", "a").checkout("main", "a", "d").checkout("-", "a", code=1)


@pytest.mark.parametrize("words", [["f"], ["../a"], ["."], ["main", "f"], ["HEAD~1", "--", "."], [":/a"], [":(top)a"],
                                   ["a"], ["../.."], ["../../outside"], ["/nowhere"], ["e"], ["e/"], ["*"], [":!f"],
                                   ["--", ":(exclude)f", "."], ["--", ":(icase)F"], ["f", "nope"], [":(bad)f"]])
def test_paths_from_a_folder(twins, words):
    twins.put("a", "mine\n").put("d/f", "mine\n").put("d/e/g", "mine\n").checkout(*words, code=None, below="d")


@pytest.mark.parametrize("name", ["LITERAL", "GLOB", "NOGLOB", "ICASE"])
def test_the_environment_says_how_pathspecs_are_read(twins, name):
    twins.put("a", "mine\n").put("d/f", "mine\n").put("d/e/g", "mine\n")
    for spec in ("*", "D/F", "d/*", "d/**"):
        twins.checkout("--", spec, code=None, env={f"GIT_{name}_PATHSPECS": "1"})


def test_overlay(twins):
    twins.checkout("--overlay", "v1~1", "--", ".").checkout("main", ".").checkout("--no-overlay", "v1~1", "--", ".")
    twins.checkout("--no-overlay", "main", ".").put("a", None).checkout("--no-overlay", "a")


@pytest.mark.parametrize("words", [["--overlay"], ["--no-overlay", "main"], ["--ours"], ["--theirs", "main"],
                                   ["--detach", "a"], ["--detach", "--", "a"], ["-f", "--theirs", "a"],
                                   ["--pathspec-file-nul"], ["-b", "x", "--", "a"]])
def test_options_that_do_not_fit(twins, words):
    twins.checkout(*words, code=128)


def test_paths_from_a_file(tools, twins, tmp_path):
    (tmp_path / "lines").write_text('"a"\nd/f\r\n')
    (tmp_path / "nul").write_text("a\0d/f\0")
    (tmp_path / "bad").write_text('"a\n')
    (tmp_path / "empty").write_text("")
    lines = f"--pathspec-from-file={tmp_path / 'lines'}"
    for words in ([lines], ["main", lines], ["v1~1", lines], [f"--pathspec-from-file={tmp_path / 'nul'}", "--pathspec-file-nul"],
                  [lines, "a"], [lines, "--detach"], ["-b", "x", lines], ["nope", lines],
                  [f"--pathspec-from-file={tmp_path / 'bad'}"], [f"--pathspec-from-file={tmp_path / 'nosuch'}"],
                  [f"--pathspec-from-file={tmp_path / 'empty'}"], [f"--pathspec-from-file={tmp_path / 'empty'}", "main"]):
        twins.put("a", "mine\n").put("d/f", "mine\n").checkout(*words, code=None)
    twins.put("a", "mine\n").checkout("--pathspec-from-file=-", data=b"a\n")


def test_a_pathspec_file_is_looked_for_where_the_command_was_started(twins):
    twins.put("d/list", "f\n").put("d/f", "mine\n").checkout("--pathspec-from-file=list", below="d")


# Hooks.

HOOK = '#!/bin/sh\necho "$@" >>"$(git rev-parse --git-dir)/hook-ran"\necho says something\npwd >/dev/null\nexit %d\n'


@pytest.mark.parametrize("status", [0, 7])
def test_post_checkout_is_run_and_decides(twins, status):
    twins.hook("post-checkout", HOOK % status)
    for words in (["topic"], ["main", "--", "a"], ["a"], ["-b", "x"], ["--detach"], ["nope"], ["-f"], ["."]):
        twins.checkout(*words, code=None)
    theirs, ours = twins.read("hook-ran")
    assert ours == theirs and ours.count("\n") == 7


def test_a_hook_that_cannot_be_run(twins):
    twins.write("hooks/post-checkout", "#!/bin/sh\n").checkout("topic")


def test_the_action_in_reflogs(twins):
    action = {"GIT_REFLOG_ACTION": "my script"}
    twins.checkout("topic", env=action).checkout("-b", "x", "v1", env=action).reset("--hard", "HEAD~1", env=action)


# All of it, by chance.

WORDS = ["main", "topic", "other", "dir/x", "v1", "ann", "v1~1", "n1", "n2", "-", "@{-2}", "@{u}", "origin/main", "HEAD",
         "@", "main@{u}", "nope", "main^{tree}", "main...topic", "HEAD@{1}", "a", "d", "d/f", "."]
OPTIONS = [["-f"], ["-q"], ["--detach"], ["-b", "n1"], ["-b", "n2"], ["-B", "n1"], ["-B", "n2"], ["-B", "main"],
           ["--track"], ["--no-track"], ["--no-guess"], ["--ours"], ["--no-overlay"], ["-l"]]


@pytest.mark.cost(4)
def test_random_commands(twins, seed):
    chance = random.Random(seed)
    for step in range(12):
        kind = chance.randrange(10)
        if kind == 0:
            twins.put(chance.choice(["a", "d/f", "new", "d/e/g"]), f"{seed} {step}\n")
        elif kind == 1:
            twins.commit(f"step {step}", "--date", f"{1600000100 + step} +0000")
        elif kind == 2:
            twins.reset("--hard", *chance.sample(WORDS, chance.randrange(2)), code=None)
        else:
            options = sum(chance.sample(OPTIONS, chance.choice([0, 0, 0, 1, 1, 2])), [])
            words = chance.sample(WORDS, chance.choice([0, 1, 1, 1, 1, 2, 3]))
            if words and chance.randrange(5) == 0:
                words.insert(chance.randrange(2), "--")
            twins.checkout(*options, *words, code=None)


# Before the first commit.

@pytest.fixture
def unborn(tools, tmp_path):
    tools.git("init", "-q", tmp_path / "template").ok()
    return SwitchTwins(tools, tmp_path, tmp_path / "template")


def test_before_the_first_commit(unborn, remote):
    unborn.checkout(code=128).checkout("main", code=1).checkout("HEAD", code=1).checkout("--detach", code=128)
    unborn.checkout("-f", code=128).checkout("-b", "x").checkout("-B", "y").put("q", "1\n").each("add", "q").checkout("q")
    unborn.checkout("--", "q").checkout("-b", "z").reset("--hard").reset("--hard", "HEAD", code=128)
    unborn.each("fetch", "-q", remote, "refs/heads/*:refs/heads/*").checkout("-b", "n", "main").checkout("main")


def test_from_an_unborn_branch(twins):
    twins.each("checkout", "-q", "--orphan", "empty").checkout("topic", code=None).each("checkout", "-q", "--orphan", "e2")
    twins.each("rm", "-r", "-f", "-q", ".").put("a", "untracked\n").checkout("main", code=1).checkout("-f", "main")


# Where there is nothing to check out.

def test_without_a_worktree(tools, tmp_path, remote):
    tools.git("clone", "-q", "--bare", remote, tmp_path / "bare").ok()
    for words in (["checkout", "main"], ["checkout", "-b", "x"], ["reset", "--hard"]):
        theirs, ours = tools.git(*words, cwd=tmp_path / "bare"), tools.pfetch(*words, cwd=tmp_path / "bare")
        assert (ours.code, ours.err) == (theirs.code, theirs.err) and ours.code == 128


# Reset.

def test_reset(twins):
    twins.put("a", "mine\n").put("new", None).put("added", "1\n").each("add", "added").put("untracked", "1\n")
    twins.reset("--hard").reset("--hard", "HEAD~1").reset("--hard", "v1").reset("-q", "--hard", "ann").reset("--hard", "--")
    twins.reset("--hard", "@{1}").reset("--hard", "HEAD", "--").checkout("--detach").reset("--hard", "v1~1")
    twins.reset("--hard", "ORIG_HEAD").each("checkout", "-q", "main").put("d/f", "x\n").reset("--hard", below="d")


@pytest.mark.parametrize("words", [["nope"], ["--", "a"], ["HEAD", "a"], ["a"], ["HEAD^{tree}"], ["main:a"], ["nope", "--"],
                                   ["--", "nope"], ["HEAD", "--", "a"], ["main", "nope"], ["v1^{tree}", "--"]])
def test_resets_that_are_refused(twins, words):
    twins.reset("--hard", *words, code=128)


def test_reset_overwrites_what_stands_in_the_way(twins):
    twins.checkout("-b", "has").put("place", "1\n").put("folder/x", "1\n").commit("has").checkout("main")
    twins.put("place", "untracked\n").put("folder/x", "untracked\n").reset("--hard", "has")


# What git does not have, or what pfetch does not.

@pytest.mark.ours
@pytest.mark.parametrize("words", [["checkout", "--orphan", "x"], ["checkout", "-m", "main"], ["checkout", "-p"],
                                   ["checkout", "--conflict=merge", "a"], ["checkout", "--recurse-submodules", "main"],
                                   ["reset", "--soft"], ["reset", "--mixed"], ["reset", "--keep"], ["reset", "--merge"],
                                   ["reset", "-p"], ["reset"], ["checkout", "main@{yesterday}"]])
def test_what_is_not_built_is_refused_by_name(tools, twins, words):
    before = tools.ask(twins.ours, "rev-parse", "HEAD")
    result = tools.pfetch(*words, cwd=twins.ours).refused(code=128)
    assert "not supported yet" in result.err or "only 'pfetch reset --hard' is built" in result.err
    assert tools.ask(twins.ours, "rev-parse", "HEAD") == before


@pytest.mark.ours
def test_json(tools, twins):
    result = json.loads(tools.pfetch("checkout", "--json", "topic", cwd=twins.ours).ok().out)
    assert (result["branch"], result["created_branch"], result["files_written"]) == ("topic", "topic", 1)
    assert result["head"] == tools.ask(twins.ours, "rev-parse", "topic")
    (twins.ours / "a").write_text("mine\n")
    refused = tools.pfetch("checkout", "--json", "main", cwd=twins.ours)
    assert refused.code == 1 and json.loads(refused.out)["refused"]["local_changes"] == ["a"]
    result = json.loads(tools.pfetch("reset", "--json", "--hard", "main", cwd=twins.ours).ok().out)
    assert result["head"] == tools.ask(twins.ours, "rev-parse", "main") and result["branch"] == "topic"


@pytest.mark.ours
def test_verbose_says_how_many_workers_and_why(tools, twins):
    assert " worker" in tools.pfetch("checkout", "--verbose", "topic", cwd=twins.ours).ok().err


@pytest.mark.ours
def test_trace_writes_a_timeline(tools, twins, tmp_path):
    tools.pfetch("checkout", f"--trace={tmp_path / 'trace'}", "topic", cwd=twins.ours).ok()
    assert json.loads((tmp_path / "trace").read_text())
