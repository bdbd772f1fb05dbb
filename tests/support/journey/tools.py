"""The programs under test, an environment that knows nothing of this machine, commands run under a time limit."""
import mmap
import os
import pathlib
import subprocess
import sys
import threading

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SUPPORT = pathlib.Path(__file__).resolve().parent
PYTHON = sys.executable
DATE = "1600000000 +0000"
# At night there are gigabytes, and sanitizers that make everything ten times slower.
TIME_LIMIT_SECONDS = 600 if os.environ.get("PFETCH_NIGHTLY") == "1" else 60
PROTOCOLS = pytest.mark.parametrize("protocol", [0, 1, 2])


def speaking(protocol) -> tuple:
    """The options that choose the protocol."""
    return ("-c", f"protocol.version={protocol}")


def find_pfetch() -> str:
    if "PFETCH" in os.environ:
        return os.path.abspath(os.environ["PFETCH"])
    for preset in ("dev", "release"):
        path = SOURCE / "build" / preset / "pfetch"
        if path.exists():
            return str(path)
    return str(SOURCE / "build" / "dev" / "pfetch")


def is_sanitized(program: str) -> bool:
    """Whether it is built with ASan or TSan: then its memory and CPU time say nothing, and nothing can be preloaded."""
    try:
        with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return any(text.find(name) >= 0 for name in (b"__asan_init", b"__tsan_init"))
    except OSError:
        return False


PFETCH = find_pfetch()
SANITIZED = is_sanitized(PFETCH)


def clean_environment(home: pathlib.Path) -> dict:
    """Everything a command may see. Nothing is inherited but PATH and what a sanitizer build needs."""
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
                                     "[advice]\n\tdetachedHead = false\n")
    env = {name: value for name, value in os.environ.items() if name == "PATH" or name.endswith("SAN_OPTIONS")}
    env.update(HOME=str(home), GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=str(home / ".gitconfig"), LC_ALL="C",
               TZ="UTC",
               GIT_TERMINAL_PROMPT="0", PYTHONDONTWRITEBYTECODE="1")
    for role in ("AUTHOR", "COMMITTER"):
        env.update({f"GIT_{role}_NAME": "A U Thor", f"GIT_{role}_EMAIL": "author@example.com",
                    f"GIT_{role}_DATE": DATE})
    return env


class Result:
    """How a command ended: code (negative: killed by that signal), out and err as text, raw as bytes."""

    def __init__(self, argv, code, out, err):
        self.argv, self.code, self.raw = argv, code, out
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")

    def __repr__(self):
        command = " ".join(map(str, self.argv))
        return f"{command}\nexit {self.code}\n--- out\n{self.out[-3000:]}--- err\n{self.err[-3000:]}"

    def ok(self) -> "Result":
        assert self.code == 0, self
        return self

    def refused(self, *words, code=None) -> "Result":
        """It failed in an orderly way, and its message has all the words (in any case)."""
        assert self.code > 0, self
        assert code is None or self.code == code, f"expected exit {code}: {self}"
        for word in words:
            assert word.lower() in self.err.lower(), f"'{word}' is not in the message: {self}"
        return self


class Tools:
    """Runs git and pfetch in one clean environment."""

    def __init__(self, env: dict):
        self.env = env

    def run(self, *argv, cwd=None, env=None, data=None, timeout=TIME_LIMIT_SECONDS) -> Result:
        argv = [str(arg) if not isinstance(arg, bytes) else arg for arg in argv]
        with self.start(*argv, cwd=cwd, env=env, stdin=subprocess.PIPE if data is not None else None) as process:
            try:
                out, err = process.communicate(data, timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                raise AssertionError(f"hangs: {Result(argv, process.returncode, out, err)}") from None
        return Result(argv, process.returncode, out, err)

    def start(self, *argv, cwd=None, env=None, stdin=None) -> subprocess.Popen:
        return subprocess.Popen([str(arg) if not isinstance(arg, bytes) else arg for arg in argv], cwd=cwd,
                                env={**self.env, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=stdin if stdin is not None else subprocess.DEVNULL)

    def git(self, *argv, **how) -> Result:
        return self.run("git", *argv, **how)

    def pfetch(self, *argv, **how) -> Result:
        return self.run(PFETCH, *argv, **how)

    def ask(self, repo, *argv, **how) -> str:
        """What git answers about a repository, without the last newline."""
        return self.git("-C", repo, *argv, **how).ok().out.rstrip("\n")


def side_by_side(*jobs) -> list:
    """Runs the functions at the same time and returns their results in order; the first error is raised."""
    results = [None] * len(jobs)

    def work(slot, job):
        try:
            results[slot] = job()
        except BaseException as error:  # carried over to the caller's thread
            results[slot] = error

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
