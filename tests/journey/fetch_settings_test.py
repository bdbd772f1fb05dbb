"""What the configuration says of fetches, remotes and groups."""
import pytest

from twins import said

SETTINGS = {
    "fetch.prune": {"fetch.prune": "true"}, "remote prune": {"remote.origin.prune": "true"},
    "the remote goes before": {"fetch.prune": "true", "remote.origin.prune": "false"},
    "fetch.pruneTags": {"fetch.prune": "1", "fetch.pruneTags": "1"},
    "remote pruneTags": {"remote.origin.prune": "yes", "remote.origin.pruneTags": "yes"},
    "pruneTags alone": {"fetch.pruneTags": "true"},
    "all tags": {"remote.origin.tagOpt": "--tags"}, "no tags": {"remote.origin.tagOpt": "--no-tags"},
    "compact": {"fetch.output": "compact"}, "full": {"fetch.output": "full"},
    "compact prune": {"fetch.output": "compact", "fetch.prune": "true"},
    "abbrev": {"core.abbrev": "12"}, "no abbrev": {"core.abbrev": "no"},
    "skipping": {"fetch.negotiationAlgorithm": "skipping"}, "noop": {"fetch.negotiationAlgorithm": "noop"},
    "consecutive": {"fetch.negotiationAlgorithm": "consecutive"}, "default": {"fetch.negotiationAlgorithm": "default"},
    "fsck": {"fetch.fsckObjects": "true"}, "transfer fsck": {"transfer.fsckObjects": "true"},
    "no maintenance": {"maintenance.auto": "false"}, "gc": {"gc.auto": "0"},
    "all refs have logs": {"core.logAllRefUpdates": "always"}, "no logs": {"core.logAllRefUpdates": "false"},
    "two refspecs": {"remote.origin.fetch": "+refs/pull/*:refs/remotes/origin/pull/*"},
    "negative refspec": {"remote.origin.fetch": "^refs/heads/f*"},
    "negative and prune": {"remote.origin.fetch": "^refs/heads/gone", "fetch.prune": "true"},
    "tags by refspec": {"remote.origin.fetch": "+refs/tags/*:refs/tags/*"},
    "tags by refspec, pruned": {"remote.origin.fetch": "+refs/tags/*:refs/tags/*", "fetch.prune": "true"},
    "upload-pack": {"remote.origin.uploadpack": "git-upload-pack"},
    "protocol": {"protocol.version": "0"}, "jobs": {"fetch.parallel": "2"},
    "server option": {"remote.origin.serverOption": "x"},
    "instead": {"url.file:///.insteadOf": "file:///"}, "odd tagOpt": {"remote.origin.tagOpt": "--what"},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_does_what_it_does_in_git(moved, tmp_path, name):
    twins = moved.twins(tmp_path)
    for key, value in SETTINGS[name].items():
        twins.each("config", "--add", key, value)
    twins.fetch(code=None)


@pytest.mark.parametrize("setting", ["fetch.negotiationAlgorithm=what", "fetch.prune=what", "remote.origin.prune=what",
                                     "remote.origin.fetch=a:b:c", "fetch.showForcedUpdates=what"])
def test_a_setting_that_cannot_be(moved, tmp_path, setting):
    twins = moved.twins(tmp_path).run(before=("-c", setting))
    assert twins.result.code == twins.git_result.code == 128, f"{twins.git_result}\n{twins.result}"
    twins.same(differs=["said", "FETCH_HEAD"])


@pytest.mark.parametrize("args, settings", [
    (["--no-prune"], {"fetch.prune": "true"}), (["--prune"], {"remote.origin.prune": "false"}),
    (["--no-prune-tags", "-p"], {"fetch.pruneTags": "true"}), (["--tags", "-f"], {"remote.origin.tagOpt": "--no-tags"}),
    (["--no-tags"], {"remote.origin.tagOpt": "--tags"}), (["-p", "origin", "main"], {"fetch.pruneTags": "true"}),
    (["--prune", "--prune-tags", "-f", "origin"], {}), (["--prune", "--prune-tags", "origin", "refs/heads/*:refs/x/*"], {}),
    (["-p", "origin", "+refs/heads/f*:refs/remotes/origin/f*"], {}), (["--prune", "origin", "main:refs/heads/gone"], {}),
    (["--prune", "--no-tags", "origin"], {"remote.origin.tagOpt": "--tags"}),
], ids=str)
def test_options_go_before_settings(moved, tmp_path, args, settings):
    twins = moved.twins(tmp_path)
    for key, value in settings.items():
        twins.each("config", key, value)
    twins.fetch(*args, code=None)


def test_a_pruned_branch_that_the_remotes_head_names(moved, tmp_path):
    for name, args in (("dry", ["--prune", "--dry-run", "--no-tags"]), ("wet", ["--prune"])):
        twins = moved.twins(tmp_path / name)
        twins.each("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone").run(*args)
        twins.result.ok()
        twins.same()


# Several remotes.

@pytest.fixture
def several(moved, src, tmp_path):
    """Remotes origin, far (which leads nowhere), linear, and quiet, which --all leaves out."""
    twins = moved.twins(tmp_path)
    for name, url in (("linear", src.url), ("quiet", moved.url), ("far", f"file://{tmp_path}/nowhere")):
        twins.each("remote", "add", name, url)
    twins.each("config", "remote.quiet.skipFetchAll", "true")
    twins.each("config", "remotes.good", "origin linear").each("config", "remotes.one", "linear")
    twins.each("config", "remotes.bad", "origin far").each("config", "--add", "remotes.bad", "linear")
    return twins


WAYS = {"group": ["good"], "multiple": ["--multiple", "linear", "origin"], "multiple with a group": ["--multiple", "good"],
        "one of them": ["--multiple", "quiet"],
        "prune": ["--prune", "good"], "append": ["--append", "good"], "quiet": ["-q", "good"],
        "tags": ["--tags", "--force", "good"]}
# git runs itself for each remote: its reflogs say so, and "Fetching <remote>" is on standard output.
OF_CHILDREN = ("reflogs", "said", "out")


def compared(several, args, code):
    several.fetch(*args, code=code, differs=OF_CHILDREN)
    return [sorted(said(result.err + result.out, repo)) for result, repo in
            ((several.git_result, several.theirs), (several.result, several.ours))]


@pytest.mark.parametrize("name", WAYS)
def test_several_remotes(several, name):
    several.write("FETCH_HEAD", "before\n")
    theirs, ours = compared(several, WAYS[name], 0)
    assert ours == theirs
    assert "before" not in (several.read("FETCH_HEAD")[1] or "") or "--append" in WAYS[name]


def test_groups_where_git_stumbles(several, src):
    """A group of one remote, a remote that is named twice, --no-write-fetch-head and --depth for a group."""
    ours = several.tools.pfetch("fetch", "one", cwd=several.ours).ok()
    assert "refs/remotes/linear/main" in several.tools.ask(several.ours, "for-each-ref"), ours
    twice = several.tools.pfetch("fetch", "--multiple", "linear", "good", cwd=several.ours).ok()
    assert twice.err.count("Fetching linear") == 1
    assert several.read("FETCH_HEAD")[1].count(f"of {src.url}\n") == 1
    several.write("FETCH_HEAD", "before\n")
    several.tools.pfetch("fetch", "--no-write-fetch-head", "good", cwd=several.ours).ok()
    assert several.read("FETCH_HEAD")[1] == "before\n"
    several.tools.pfetch("fetch", "--depth=2", "one", cwd=several.ours).ok()
    assert several.count("linear/main") == 2


@pytest.mark.parametrize("args", [["--all"], ["bad"], ["--multiple", "far", "linear"]], ids=" ".join)
def test_one_that_fails_does_not_stop_the_others(several, args):
    several.write("FETCH_HEAD", "before\n")
    several.fetch(*args, code=1, differs=OF_CHILDREN)
    assert "could not fetch far" in several.result.err
    assert "before" not in several.read("FETCH_HEAD")[1]
    assert not several.tools.git("-C", several.ours, "for-each-ref", "refs/remotes/quiet").out


def test_the_remote_of_the_branch_is_the_default(several, moved):
    several.each("config", "branch.main.remote", "linear").fetch()
    several.each("checkout", "-q", "--detach").fetch()
