"""Steps 6 and 7 of the eight alone, on 1,000,000 commits, 100,000 refs and 1,000 roots: from bitmaps, and by a walk."""

import pathlib

from harness.measure import BenchError
from harness.runner import Figure, Test, Variant

STEPS = Figure("steps 6 and 7, with what they open", "s", lambda sample: sample.figures["seconds"])
WALKED = Figure("commits walked", "commits", lambda sample: sample.figures["walked"])


def tests(bench):
    program = pathlib.Path(bench.pfetch).parent / "bench/reach_bench"
    if not program.exists():
        raise BenchError(f"{program} is not there; build it with `cmake --build --preset release`")
    repository = bench.data.once("reach-1000000", lambda path: bench.ask(program, "make", path))
    bench.data.warm(repository)

    def variant(column, way):
        def figures(directory, _):
            seconds, walked = (directory / "figures").read_text(encoding="ascii").split()
            return {"seconds": float(seconds), "walked": int(walked)}

        return Variant(column, lambda d: [program, way, repository, d / "figures"], figures=figures)

    return [Test("reading refs and roots, steps 6 and 7", [variant("plain walk", "plain"), variant("bitmaps", "bitmaps")],
                 figures=[STEPS, WALKED])]
