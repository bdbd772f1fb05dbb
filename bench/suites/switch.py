"""From one branch to another in a worktree that is there."""

from harness import branches
from harness.runner import PEAK, Test
from suites.checkout import variants, workers
from suites.clone import TUNED_WORKERS

SETTLE_SECONDS = 1.1  # then no file is as young as the index, and nobody has to read it to be sure


def worktree(bench, source):
    """For Variant.prepare: a clone `dst` with main checked out, and an index that knows it."""

    def prepare(directory):
        clone = directory / "dst"
        bench.ask(bench.git, "-c", "checkout.workers=0", "clone", "-q", "-s", source, clone)
        for branch in ("twentieth", "few"):
            bench.ask(bench.git, "-C", clone, "branch", "-q", branch, f"origin/{branch}")
        bench.ask("sleep", SETTLE_SECONDS)
        bench.ask(bench.git, "-C", clone, "update-index", "-q", "--really-refresh", "--force-write-index")

    return prepare


def tests(bench):
    tree = bench.options.tree
    source = branches.with_branches(bench.data, tree)
    bench.data.warm(source)

    def test(name, branch):
        found = variants(bench, worktree(bench, source), [branch], workers(TUNED_WORKERS), branch)
        return Test(f"{name}, {tree} tree", found, figures=[PEAK])

    return [
        test("switch, 5 % of the files differ", "twentieth"),
        test(f"switch, {branches.FEW} files differ", "few"),
        test("switch to where it is already", "main"),
    ]
