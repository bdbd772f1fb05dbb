"""One directory with very many files: a clone, and a switch that changes all of them."""
import json

import pytest

from compare import compare_repositories
from history import History
from tools import side_by_side

KINDS = 97  # of content


def huge(tools, path, count):
    """Branches `main` and `other`, which have the same names in `huge`, and no content in common. Made by hand: what
    git imports takes as long as the square of the number of files."""
    history = History()
    history.commit("main", "kinds", {f"{branch}{kind:02}": f"{branch} {kind}\n".encode()
                                     for branch in ("main", "other") for kind in range(KINDS)})
    source = history.write(tools, path)
    for branch in ("main", "other"):
        listed = source.git("ls-tree", source.ids["kinds"]).splitlines()
        ids = [line.split()[2] for line in listed if f"\t{branch}" in line]
        folder = source.tree(*[("100644", f"file-{number:06}", ids[number % KINDS]) for number in range(count)])
        source.commit_tree(source.tree(("40000", "huge", folder), ("100644", "top", ids[0])), f"refs/heads/{branch}")
    return source


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=[pytest.mark.nightly, pytest.mark.slow])])
def test_every_file_of_a_huge_directory_comes_and_changes(both, tools, tmp_path, count):
    source = huge(tools, tmp_path / "src", count)
    both.clone(url=source.url).same(fsck=None)
    assert len(list((both.ours / "huge").iterdir())) == count

    both.git_result, both.result = side_by_side(lambda: tools.git("checkout", "other", cwd=both.theirs),
                                                lambda: tools.pfetch("checkout", "--json", "other", cwd=both.ours))
    assert both.git_result.ok().code == both.result.ok().code
    assert json.loads(both.result.out)["files_written"] == count + 1
    compare_repositories(tools, both.theirs, both.ours, fsck=None)
    assert (both.ours / "huge" / f"file-{count - 1:06}").read_bytes() == f"other {(count - 1) % KINDS}\n".encode()
    assert tools.ask(both.ours, "write-tree") == source.git("rev-parse", "other^{tree}")
