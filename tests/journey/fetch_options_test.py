"""Every option of `pfetch fetch`, beside git: refs, FETCH_HEAD, reflogs, the table, exit codes."""
import pytest

from twins import objects_of, said, state_of

SAME = {
    "plain": [], "verbose": ["-v"], "quiet": ["-q"], "tags": ["--tags"], "short tags": ["-t"],
    "no tags": ["--no-tags"], "n": ["-n"], "prune": ["--prune"], "prune verbose": ["-p", "-v"],
    "prune quiet": ["-p", "-q"], "no prune": ["--no-prune"], "append": ["--append"], "force": ["--force"],
    "force short": ["-f", "-t"], "prune tags": ["--prune", "--prune-tags"], "prune tags alone": ["-P"],
    "prune tags by force": ["-f", "-p", "-P"], "atomic": ["--atomic"], "atomic prune": ["--atomic", "-p"],
    "no FETCH_HEAD": ["--no-write-fetch-head"], "FETCH_HEAD": ["--write-fetch-head"],
    "refetch": ["--refetch"], "refetch branch": ["--refetch", "origin", "main"],
    "all": ["--all"], "all prune": ["--all", "--prune"], "all and multiple": ["--all", "--multiple"],
    "all quiet": ["--all", "-q"], "all verbose": ["--all", "-v"],
    "shown forced updates": ["--show-forced-updates"],
    "jobs": ["-j4"], "ip": ["-4"], "no maintenance": ["--no-auto-maintenance"], "no gc": ["--no-auto-gc"],
    "upload-pack": ["--upload-pack", "git-upload-pack"], "server option": ["-o", "x=1", "--server-option=y"],
    "tip": ["--negotiation-tip=refs/remotes/origin/main", "origin"], "tips": ["--negotiation-tip=remotes/origin/*"],
    "tips that match nothing": ["--negotiation-tip=origin/*", "origin", "fresh"],
    "no submodules": ["--no-recurse-submodules"], "submodules no": ["--recurse-submodules=no"],
    "end of options": ["--", "origin"], "shortened": ["--verb", "--app", "--prune-t"],
    "taken back": ["--prune", "--no-prune", "--tags", "--no-tags", "--force", "--no-force"],
    "refmap": ["--refmap=refs/heads/*:refs/mine/*", "origin", "main", "topic"],
    "refmap twice": ["--refmap=refs/heads/m*:refs/one/m*", "--refmap=+refs/heads/*:refs/two/*", "origin", "main"],
    "no refmap": ["--refmap=", "origin", "main"],
    "upstream": ["--set-upstream", "origin", "topic"], "upstream of nothing": ["--set-upstream", "origin"],
    "upstream of a tag": ["--set-upstream", "origin", "tag", "v2"],
    "upstream of HEAD": ["--set-upstream", "origin", "HEAD"],
    "upstream of two": ["--set-upstream", "origin", "main", "topic"],
    "update head": ["-u", "origin", "main:main"],
}


@pytest.mark.parametrize("name", SAME)
def test_an_option_does_what_it_does_in_git(moved, tmp_path, name):
    moved.twins(tmp_path).fetch(*SAME[name], code=None)


def test_a_pack_that_is_to_be_kept(moved, tmp_path):
    """--keep: a pack however small; its .keep file goes when refs hold it, as in git."""
    twins = moved.twins(tmp_path)
    packs = [set((repo / ".git/objects/pack").glob("*.pack")) for repo in (twins.theirs, twins.ours)]
    twins.fetch("-k")
    for repo, before in zip((twins.theirs, twins.ours), packs):
        assert len(set((repo / ".git/objects/pack").glob("*.pack")) - before) >= 1, repo


DRY = {"plain": [], "prune": ["-p"], "tags": ["--tags", "-f"], "branch": ["origin", "main"],
       "FETCH_HEAD": ["--write-fetch-head"], "all": ["--all"], "stored": ["origin", "main:refs/heads/copy"],
       "depth": ["--depth=3"], "unshallow": ["--unshallow"]}


@pytest.mark.parametrize("name", DRY)
def test_a_dry_run_says_what_would_be_and_changes_nothing(tools, moved, tmp_path, name):
    """git names the tags that would follow twice, and moves the boundary; we do neither."""
    twins = moved.twins(tmp_path, "depths" if name in ("depth", "unshallow") else "full")
    before, objects = state_of(tools, twins.ours), objects_of(tools, twins.ours)
    twins.run("--dry-run", *DRY[name])
    theirs, ours = said(twins.git_result.ok().err, twins.theirs), said(twins.result.ok().err, twins.ours)
    assert list(dict.fromkeys(theirs)) == ours
    assert (state_of(tools, twins.ours), objects_of(tools, twins.ours)) == (before, objects)


@pytest.mark.parametrize("how", ["option", "config", "unadvised"])
def test_forced_updates_that_nobody_looks_for(moved, tmp_path, how):
    """In words of our own, and once; git warns once more when tags follow."""
    twins = moved.twins(tmp_path)
    before = {"option": (), "config": ("-c", "fetch.showForcedUpdates=false"),
              "unadvised": ("-c", "advice.fetchShowForcedUpdates=false")}[how]
    twins.fetch(*(["--no-show-forced-updates"] if how != "config" else []), before=before, differs=["said"])
    theirs, ours = ({line for line in said(result.err, repo) if line.startswith((" ", "From "))}
                    for result, repo in ((twins.git_result, twins.theirs), (twins.result, twins.ours)))
    assert theirs == ours
    assert twins.result.err.count("warning: ") == (how != "unadvised")


REJECTED = {
    "not a fast-forward": ["-n", "origin", "forced:refs/remotes/origin/forced"],
    "clobbered tag": ["--tags"],
    "clobbered tag beside others": ["origin", "refs/tags/*:refs/tags/*", "main"],
    "one tag": ["-n", "origin", "tag", "moving"],
    "atomic": ["-n", "--atomic", "origin", "forced:refs/remotes/origin/forced", "main", "topic:refs/heads/topic"],
    "atomic tags": ["--atomic", "--tags"],
    "dry run": ["-n", "--dry-run", "origin", "forced:refs/remotes/origin/forced"],
    "quiet": ["-n", "-q", "origin", "forced:refs/heads/forced", "fresh:refs/remotes/origin/forced"],
}


@pytest.mark.parametrize("name", REJECTED)
def test_what_is_rejected_makes_the_exit_code_1(moved, tmp_path, name):
    twins = moved.twins(tmp_path)
    if name.startswith("clobbered") or name in ("one tag", "atomic tags"):
        twins.each("tag", "-f", "moving", moved.ids["c1"])
    twins.fetch(*REJECTED[name], code=1, differs=["FETCH_HEAD"] if "--atomic" in REJECTED[name] else [])


def test_tags_follow_also_where_a_ref_is_rejected(tools, moved, tmp_path):
    """git does not look for tags once a ref is rejected."""
    twins = moved.twins(tmp_path).run("origin", "forced:refs/remotes/origin/forced", "main")
    assert twins.result.code == twins.git_result.code == 1
    assert [tools.git("-C", twins.ours, "rev-parse", "-q", "--verify", f"refs/tags/{tag}").code
            for tag in ("v2", "light2", "apart")] == [0, 0, 1]


REFUSED = {
    "depth 0": ["--depth=0"], "depth below 0": ["--depth=-1"], "no depth": ["--depth=x"], "deepen": ["--deepen=-1"],
    "shortened too much": ["--pru"],
    "deepen and depth": ["--deepen=1", "--depth=1"], "depth and unshallow": ["--depth=1", "--unshallow"],
    "unshallow": ["--unshallow"], "all and a remote": ["--all", "origin"],
    "all and refspecs": ["--all", "origin", "main"], "refmap without refspecs": ["--refmap=a:b"],
    "no such option": ["--zzz"], "no value": ["origin", "--depth"], "value": ["--prune=x"],
    "no such remote": ["nowhere"], "no such group": ["--multiple", "nowhere"], "no such ref": ["origin", "nosuch"],
    "no such ref among others": ["origin", "main", "nosuch"], "no such tag": ["origin", "tag", "nosuch"],
    "tag without a name": ["origin", "tag"], "ill refspec": ["origin", "a:b:c"], "ill name": ["origin", "main:a..b"],
    "two to one": ["origin", "main:refs/heads/a", "topic:refs/heads/a"],
    "checked out": ["origin", "main:main"], "checked out by glob": ["origin", "refs/heads/*:refs/heads/*"],
    "tip that is none": ["--negotiation-tip=nosuch", "origin"],
    "since never": ["--shallow-since=2030-01-01"], "exclude nothing": ["--shallow-exclude=nosuch"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_and_changes_nothing(moved, tmp_path, name):
    """Exit codes and what stays are git's; the words are ours where git's would not help."""
    twins = moved.twins(tmp_path).write("FETCH_HEAD", "before\n")
    twins.run(*REFUSED[name])
    assert twins.result.code == twins.git_result.code > 0, f"{twins.git_result}\n{twins.result}"
    twins.same(differs=["said", "out", "FETCH_HEAD"])
    assert twins.read("FETCH_HEAD")[1] == "before\n"  # git may have emptied it by then; we replace it at the end
    assert twins.result.err.startswith(("fatal: ", "error: ")), twins.result


@pytest.mark.parametrize("kind", ["depth", "depths"])
@pytest.mark.parametrize("options", [[], ["--tags", "-f"], ["--depth=1"], ["--depth=3"], ["--deepen=1"], ["--unshallow"],
                                     ["--shallow-since=1600004000"], ["--shallow-exclude=v1"], ["--prune", "-n", "--depth=2"],
                                     ["--no-tags", "--depth=2"], ["--refetch"],
                                     ["--update-shallow"], ["--depth=2147483647"], ["origin", "topic"],
                                     ["--depth=1", "origin", "topic:refs/heads/topic"]], ids=" ".join)
def test_in_a_shallow_clone(moved, tmp_path, kind, options):
    again = kind == "depths" and any(option.startswith(("--depth", "--shallow")) for option in options)
    moved.twins(tmp_path, kind).fetch(*options, again=again)
