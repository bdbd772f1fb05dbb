"""A tree into an empty worktree, its objects being there."""

from harness.data import mixed_tree
from harness.measure import BenchError
from harness.runner import PEAK, Test, Variant
from suites.clone import TUNED_WORKERS

FEW = 250
SHORT_REPEATS = 4  # times --runs, where a run takes less than a second
SHORT_SPACE = 1 << 30


def checked_out(bench, branch="main"):
    """A check that `branch` is what HEAD, index and worktree have."""

    def check(directory):
        clone = directory / "dst"
        head = bench.ask(bench.git, "-C", clone, "symbolic-ref", "--short", "HEAD")
        if head != branch:
            raise BenchError(f"HEAD is {head}, not {branch}")
        changes = bench.ask(bench.git, "-C", clone, "status", "--porcelain")
        if changes:
            raise BenchError(f"the worktree is not clean:\n{changes[:1000]}")

    return check


def variants(bench, prepare, words, tuned, branch="main"):
    """`checkout -q WORDS` in `dst` by every program; `tuned` gives git's settings: {label: [setting]}."""

    def variant(column, *program, label=""):
        return Variant(column, lambda d: [*program, "-C", d / "dst", "checkout", "-q", *words], label=label,
                       prepare=prepare, check=checked_out(bench, branch))

    found = [variant("git", bench.git)]
    for label, settings in tuned.items():
        found.append(variant("git tuned", bench.git, *(word for s in settings for word in ("-c", s)), label=label))
    return found + [variant("pfetch", bench.pfetch)]


def workers(counts):
    return {f"workers={count}": [f"checkout.workers={count}"] for count in counts}


def without_worktree(bench, source):
    """For Variant.prepare: a clone `dst` that borrows the objects, with nothing checked out and no index."""
    return lambda directory: bench.ask(bench.git, "clone", "-q", "-n", "-s", source, directory / "dst")


def tests(bench):
    tree = bench.options.tree
    source, archive = bench.data.repository(tree), bench.data.tar(tree)
    few = bench.data.generated("few", lambda: mixed_tree(FEW))
    bench.data.warm(source, archive, few)

    def make_target(directory):
        (directory / "dst").mkdir()

    whole = variants(bench, without_worktree(bench, source), ["-f", "main"], workers(TUNED_WORKERS))
    whole.append(Variant("tar", lambda d: ["tar", "-xf", archive, "-C", d / "dst"], prepare=make_target))
    small = variants(bench, without_worktree(bench, few), ["-f", "main"], workers(TUNED_WORKERS))
    return [
        Test(f"checkout into an empty worktree, {tree} tree", whole, figures=[PEAK]),
        Test(f"the same, {FEW} files", small, repeats=SHORT_REPEATS, space=SHORT_SPACE),
        Test(f"the same, {FEW} files, tmpfs", small, repeats=SHORT_REPEATS, space=SHORT_SPACE, kind="tmpfs"),
    ]
