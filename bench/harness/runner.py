"""Runs tests: every variant in turn, in rounds, each run in a fresh file system."""

import contextlib
import dataclasses
import pathlib
import shutil
import subprocess
import sys
import typing

from .measure import BenchError, Sample, measure

GIGABYTE = 1 << 30


@dataclasses.dataclass
class Variant:
    """One way to do the work of a test. `command` is asked for the words to run, in a fresh directory."""

    column: str  # git, git tuned, pfetch, gix, tar
    command: typing.Callable[[pathlib.Path], list]
    label: str = ""  # which of several tuned ones
    prepare: typing.Callable[[pathlib.Path], None] = None  # before the clock starts
    figures: typing.Callable[[pathlib.Path, Sample], dict] = None  # after it stopped
    check: typing.Callable[[pathlib.Path], None] = None  # after the first run: is the result right?


@dataclasses.dataclass
class Figure:
    """A row of its own under the test's time, made from each sample."""

    name: str
    unit: str  # MB, s, %
    value: typing.Callable[[Sample], float]


@dataclasses.dataclass
class Test:
    name: str
    variants: list
    figures: list = dataclasses.field(default_factory=list)
    repeats: int = 1  # short commands need more runs than long ones
    rounds_max: int = None  # long ones get by with fewer
    space: int = 8 * GIGABYTE  # of the fresh file system, sparse
    kind: str = None  # of file system, where it must be one in particular (tmpfs)
    # A context manager from the prepared directory to the one to work in: another file system on top.
    seen_through: typing.Callable[[pathlib.Path], typing.ContextManager] = contextlib.nullcontext


PEAK = Figure("peak memory of the client", "MB", lambda sample: sample.peak / 1e6)


class Bench:
    """What suites are given: the programs, the data, and `run`."""

    def __init__(self, options, data, file_systems, env):
        self.options, self.data, self.file_systems, self.env = options, data, file_systems, env
        self.git, self.pfetch = options.git, options.pfetch
        self.gix = shutil.which("gix", path=env["PATH"])
        self.notes = []

    def run(self, test):
        """[(variant, samples)] of a test; a column that is only a guest (gix) may fail, and is then left out."""
        variants = list(test.variants)
        samples = [[] for _ in variants]
        dead = set()
        rounds = self.options.runs * test.repeats
        for number in range(min(rounds, test.rounds_max or rounds)):
            # Each round begins with another variant, so that no one always runs after the same neighbour.
            order = [(at + number) % len(variants) for at in range(len(variants))]
            for at in order:
                if at in dead:
                    continue
                try:
                    samples[at].append(self._one(test, variants[at], first=number == 0))
                except BenchError as error:
                    if variants[at].column != "gix":
                        raise
                    dead.add(at)
                    self.notes.append(f"{test.name}: gix left out: {str(error).splitlines()[-1]}")
        return [(variant, samples[at]) for at, variant in enumerate(variants) if at not in dead]

    def _one(self, test, variant, first):
        with self.file_systems.fresh(test.space, test.kind) as prepared:
            if variant.prepare:
                variant.prepare(prepared)
                self.ask("sync", "-f", prepared)  # what was prepared is not written back during the run
            with test.seen_through(prepared) as directory:
                sample = measure(variant.command(directory), self.env, directory)
                if variant.figures:
                    sample.figures = variant.figures(directory, sample)
                if first and variant.check:
                    variant.check(directory)
        name = f"{variant.column} {variant.label}".strip()
        print(f"  {test.name}: {name}: {sample.elapsed:.3f} s, {sample.peak / 1e6:.0f} MB", file=sys.stderr, flush=True)
        return sample

    def ask(self, *command, cwd=None):
        """The standard output of a command that must work."""
        done = subprocess.run([str(word) for word in command], env=self.env, cwd=cwd, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise BenchError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr[-2000:]}")
        return done.stdout.strip()

    def script(self, directory, name, *words):
        """An executable `name` in `directory` that runs `words` with its own arguments after them."""
        path = directory / name
        quoted = " ".join("'" + str(word).replace("'", "'\\''") + "'" for word in words)
        path.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        return path

    def check_clone(self, source):
        """A check that a clone in `dst` has the tip of `source` checked out, and nothing to complain of."""

        def check(directory):
            clone = directory / "dst"
            tips = [self.ask(self.git, "-C", place, "rev-parse", "HEAD") for place in (source, clone)]
            if tips[0] != tips[1]:
                raise BenchError(f"the clone is at {tips[1]}, its source at {tips[0]}")
            changes = self.ask(self.git, "-C", clone, "status", "--porcelain")
            if changes:
                raise BenchError(f"the clone is not clean:\n{changes[:1000]}")

        return check
