"""`index-pack` alone, on a pack that lies on the fresh file system."""

import shutil

from harness.measure import BenchError
from harness.runner import PEAK, Test, Variant

TUNED_THREADS = (1, 2, 4)


def tests(bench):
    pack = bench.data.pack(bench.options.tree)
    bench.data.warm(pack)

    def copy(directory):
        shutil.copyfile(pack, directory / "the.pack")

    def same_index(directory):
        if (directory / "the.idx").read_bytes() != pack.with_suffix(".idx").read_bytes():
            raise BenchError("the.idx is not the same as git's")

    def variant(column, *words, label="", check=same_index):
        return Variant(column, lambda d: [*words, d / "the.pack"], label=label, prepare=copy, check=check)

    found = [variant("git", bench.git, "index-pack")]
    for threads in TUNED_THREADS:
        found.append(variant("git tuned", bench.git, "index-pack", f"--threads={threads}", label=f"threads={threads}"))
    found.append(variant("pfetch", bench.pfetch, "index-pack"))
    if bench.gix:
        found.append(Variant("gix", lambda d: [bench.gix, "free", "pack", "index", "create", "-p", d / "the.pack", d],
                             prepare=copy))
    return [Test(f"index-pack, {bench.options.tree} tree, {pack.stat().st_size / 1e6:.0f} MB", found, figures=[PEAK])]
