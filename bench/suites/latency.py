"""A checkout onto a file system whose every operation takes a millisecond, as a network mount's do."""

from harness import latency
from harness.data import mixed_tree
from harness.runner import Test
from suites.checkout import variants

DELAY_US = 1000
REMEMBER_SECONDS = 3  # what NFS clients trust names and attributes for, at least (nfs(5), acregmin)
SPACE = 1 << 30
WORKERS = (8, 16, 32, 64)
LONG_ROUNDS = 3  # at most, where git takes more than half a minute


def tests(bench):
    tuned = {f"workers={count}": [f"checkout.workers={count}", "checkout.thresholdForParallelism=1"]
             for count in WORKERS}
    latency.program(bench)

    def test(count, cache_seconds, name, **options):
        source = bench.data.generated(f"files-{count}", lambda: mixed_tree(count))
        bench.data.warm(source)

        def prepare(directory):  # all of the repository is on the slow file system
            bench.ask(bench.git, "clone", "-q", "-n", source, directory / "dst")

        return Test(f"checkout of {count} files, 1 ms per operation{name}",
                    variants(bench, prepare, ["-f", "main"], tuned), space=SPACE,
                    seen_through=latency.slow(bench, DELAY_US, cache_seconds), **options)

    return [test(2000, REMEMBER_SECONDS, ""), test(250, REMEMBER_SECONDS, ""),
            test(2000, 0, ", nothing remembered", rounds_max=LONG_ROUNDS)]
