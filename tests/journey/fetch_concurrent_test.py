"""Eight fetches at once into one repository, beside `git gc`: no root is lost, and who loses says why."""
import os
import shutil
import subprocess

import pytest

from compare import six_checks
from history import History
from tools import PFETCH

ROUNDS = 100 if os.environ.get("PFETCH_NIGHTLY") == "1" else 3
BRANCHES = 8


@pytest.fixture(scope="module")
def busy(tools, tmp_path_factory):
    """(source, a clone of its main branch with depth 1): eight branches of ten commits, each from another commit of
    main, some of them merged into the next."""
    history = History()
    for number in range(20):
        history.commit("main", f"m{number}", date=1600000000 + number)
    for branch in range(BRANCHES):
        for number in range(10):
            merge = [f"b{branch - 1}-7"] if number == 5 and branch % 3 == 1 else []
            history.commit(f"b{branch}", f"b{branch}-{number}", merge=merge, start=None if number else f"m{branch * 2}",
                           date=1600001000 + number)
    folder = tmp_path_factory.mktemp("busy")
    source = history.write(tools, folder / "src")
    tools.git("clone", "-q", "--depth=1", source.url, folder / "clone").ok()
    return source, folder / "clone"


def one_round(tools, program, template, repo) -> list:
    """The fetches that failed, as (exit code, what was said)."""
    shutil.copytree(template, repo, symlinks=True)
    gc = tools.start("git", "gc", "-q", cwd=repo)
    running = [tools.start(program, "-c", "maintenance.auto=false", "fetch", f"--depth={branch % 4 + 1}", "origin",
                           f"+refs/heads/b{branch}:refs/remotes/origin/b{branch}", cwd=repo) for branch in range(BRANCHES)]
    failed = []
    for process in running:
        try:
            _, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"hangs: {process.args}") from None
        if process.returncode:
            failed.append((process.returncode, err.decode()))
    gc.communicate(timeout=60)
    return failed


@pytest.mark.slow
def test_eight_fetches_beside_gc(tools, busy, tmp_path):
    source, template = busy
    losers = 0
    for number in range(ROUNDS):
        repo = tmp_path / f"our{number}"
        failed = one_round(tools, PFETCH, template, repo)
        losers += len(failed)
        for code, err in failed:
            assert code in (1, 128) and ("fatal: " in err or "error: " in err), (code, err)
        six_checks(tools, repo)
        refs = tools.ask(repo, "for-each-ref", "--format=%(refname)", "refs/remotes/origin/b*").split()
        assert len(refs) >= BRANCHES - len(failed), failed  # one may fail at the last look, when its ref is there
        for ref in refs:
            assert tools.ask(repo, "rev-parse", ref) == source.git("rev-parse", f"refs/heads/{ref.rsplit('/', 1)[1]}")
        shutil.rmtree(repo)
    print(f"\npfetch: {losers} of {ROUNDS * BRANCHES} fetches failed, no root was lost\n{control(tools, template, tmp_path)}")


def control(tools, template, folder) -> str:
    """The same with git alone, for comparison."""
    failed = broken = 0
    for number in range(ROUNDS):
        repo = folder / f"git{number}"
        failed += len(one_round(tools, "git", template, repo))
        broken += tools.git("-C", repo, "fsck", "--connectivity-only").code != 0
        shutil.rmtree(repo)
    return f"git: {failed} of {ROUNDS * BRANCHES} fetches failed, {broken} of {ROUNDS} repositories do not pass fsck"
