"""fsck while receiving: old real faults are taken unless asked, and refused by name when asked."""
import pytest

from history import History


@pytest.fixture(scope="module")
def old_repository(tools, tmp_path_factory):
    """What real old repositories hold: padded modes, mode 100664, entries out of order, a timezone that is none."""
    source = History().linear(1).write(tools, tmp_path_factory.mktemp("old") / "src")
    blob = source.git("rev-parse", "main:file.txt")
    inner = source.tree(("100644", "f", blob))
    faults = {"zero": source.tree(("040000", "d", inner), ("100644", "e", blob)),
              "mode": source.tree(("100664", "f", blob)),
              "order": source.tree(("100644", "b", blob), ("100644", "a", blob))}
    for name, tree in faults.items():
        source.commit_tree(tree, f"refs/heads/{name}")
    raw = f"tree {inner}\nauthor A <a@b> 1600000000 +051800\ncommitter A <a@b> 1600000000 +0000\n\nzone\n"
    faults["zone"] = source.object("commit", raw.encode())
    source.git("update-ref", "refs/heads/zone", faults["zone"])
    source.faults = faults
    return source


FAULTS = {"zero": "zeroPaddedFilemode", "mode": "badFilemode", "order": "treeNotSorted", "zone": "badTimezone"}


@pytest.mark.parametrize("fault", FAULTS)
def test_old_faults_are_taken_unless_asked(both, tmp_path, old_repository, fault):
    wanted, url = ["--depth=1", f"--branch={fault}"], old_repository.url
    both.clone(*wanted, url=url).same(fsck=None, clean=False)
    for number, key in enumerate(("transfer.fsckObjects", "fetch.fsckObjects")):
        both.clone(*wanted, url=url, directory=f"a{number}", before=("-c", f"{key}=true"))
        if both.git_result.code:
            both.both_refused(old_repository.faults[fault], FAULTS[fault], code=128)
        else:
            both.same(fsck=None, clean=False)
    strict = ("-c", "transfer.fsckObjects=true")
    for number, level in enumerate(("ignore", "warn", "error")):
        both.clone(*wanted, url=url, directory=f"b{number}",
                   before=(*strict, "-c", f"fetch.fsck.{FAULTS[fault]}={level}"))
        if both.git_result.code:
            both.both_refused(code=128)
        else:
            both.same(fsck=None, clean=False)
    (tmp_path / "skip").write_text(old_repository.faults[fault] + "\n")
    both.clone(*wanted, url=url, directory="c",
               before=(*strict, "-c", f"fetch.fsck.skipList={tmp_path}/skip")).same(fsck=None, clean=False)
    both.clone(*wanted, url=url, directory="d", before=("-c", "transfer.fsckObjects=true", "-c",
                                                        "fetch.fsckObjects=false"))
    both.same(fsck=None, clean=False)


@pytest.mark.parametrize("setting", ["fetch.fsck.nosuchId=ignore", "fetch.fsck.badTimezone=nonsense",
                                     "fetch.fsck.skipList=/no/such/file"])
def test_bad_settings_of_fsck(both, src, setting):
    both.clone(url=src.url, before=("-c", "transfer.fsckObjects=true", "-c", setting))
    assert both.result.code == both.git_result.code, both.result


def test_absent_parents_of_roots_are_no_fault(both, check, src):
    both.clone("--depth=2", url=src.url, before=("-c", "transfer.fsckObjects=true")).same()
    check(both.ours, {"HEAD": 2})


@pytest.mark.parametrize("content, refused", [(b"[submodule \"../evil\"]\n\tpath = x\n\turl = u\n", True),
                                              (b"[submodule \"x\"]\n\tpath = x\n\turl = -evil\n", True),
                                              (b"[submodule \"x\"]\n\tpath = x\n\turl = https://good.example/x\n",
                                               False)])
def test_gitmodules_are_checked_when_asked(both, tools, tmp_path, content, refused):
    history = History()
    history.commit("main", "one", {".gitmodules": content})
    source = history.write(tools, tmp_path / "src")
    both.clone(url=source.url, before=("-c", "transfer.fsckObjects=true"))
    assert (both.git_result.code != 0) == refused, both.git_result
    assert both.result.code == both.git_result.code, both.result
    assert both.ours.exists() == (not refused)


