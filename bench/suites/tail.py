"""What is left to do when the last byte has come, on a link held at 20 MB/s."""

import struct

from harness.data import PYTHON, SERVERS
from harness.runner import Figure, Test
from suites import clone

RATE = 20_000_000  # bytes per second


def tests(bench):
    tree = bench.options.tree
    source = bench.data.repository(tree)
    bench.data.warm(source)

    def throttled(directory):
        return bench.script(directory, "upload-pack", *PYTHON, SERVERS / "throttle.py", RATE, directory / "times",
                            "git-upload-pack")

    def tail(directory, sample):
        first, last, _ = struct.unpack("ddd", (directory / "times").read_bytes())
        return {"tail": sample.ended - last, "transfer": last - first}

    found = clone.variants(bench, source, throttled)
    for variant in found:
        variant.figures = tail
    return [Test(f"clone --depth 1 at 20 MB/s, {tree} tree", found, figures=[
        Figure("transfer, first byte to last", "s", lambda sample: sample.figures["transfer"]),
        Figure("last byte to done", "s", lambda sample: sample.figures["tail"]),
        Figure("last byte to done, of the transfer", "%",
               lambda sample: 100 * sample.figures["tail"] / sample.figures["transfer"]),
    ])]
