"""Steps 6 and 7 of the eight alone: which roots refs need and which are reached, from bitmaps and by a plain walk."""

import re

from harness.measure import BenchError
from harness.runner import Test, Variant

COMMITS, REFS, ROOTS = 1_000_000, 100_000, 1_000
