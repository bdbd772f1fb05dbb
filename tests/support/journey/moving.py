"""A source with every kind of change between a clone and the fetch."""
import pathlib

from history import History, Repo
from twins import Twins


def history_before() -> History:
    """main c1..c6; topic, side, forced, gone and back off it; tags that will stay, move and go."""
    history = History().linear(6)
    for branch, start, names in (("topic", "c2", ("t1", "t2")), ("side", "c1", ("s1",)), ("forced", "c4", ("f1", "f2")),
                                 ("gone", "c3", ("g1",)), ("dir", "c3", ("d1",))):
        for number, name in enumerate(names):
            history.commit(branch, name, start=None if number else start, date=1600010000 + number)
    history.tag("v1", "c3", annotated=True)
    history.tag("light", "c2")
    history.tag("moving", "c2")
    history.tag("gone-tag", "c4", annotated=True)
    return history


def commit(source: Repo, branch: str, name: str, parents, tree="main", date=1600020000) -> str:
    """One more commit, as the new tip of a branch; parents: names or ids."""
    ids = [source.ids.get(parent, parent) for parent in parents]
    tree = source.git("rev-parse", f"{source.ids.get(tree, tree)}^{{tree}}")
    blob = source.object("blob", f"{name}\n".encode())
    listed = f"100644 blob {blob}\t{name}\n" + source.git("ls-tree", tree)
    new_tree = source.git("mktree", data=listed.encode())
    oid = source.git("commit-tree", "-m", name, *(word for parent in ids for word in ("-p", parent)), new_tree,
                     env={"GIT_COMMITTER_DATE": f"{date} +0000"})
    source.git("update-ref", f"refs/heads/{branch}", oid)
    source.ids[name] = oid
    return oid


def move(source: Repo) -> None:
    commit(source, "main", "c7", ["c6"])
    commit(source, "topic", "t3", ["t2"])
    commit(source, "main", "c8", ["c7", "t3"])
    commit(source, "forced", "f3", ["c4"])
    commit(source, "fresh", "n1", ["c5"])
    source.git("branch", "-q", "-D", "gone")
    source.git("tag", "-d", "gone-tag")
    commit(source, "deep/er/inner", "i1", ["d1"])
    loose_end = commit(source, "loose", "l1", ["c6"])
    source.git("branch", "-q", "-D", "loose")
    for name, target, annotated in (("v2", "c8", True), ("light2", "t3", False), ("old", "c1", True),
                                    ("apart", loose_end, True), ("blob", "main:c7", False)):
        source.git("tag", *(["-a", "-m", name] if annotated else []), name, source.ids.get(target, target))
    source.git("tag", "-a", "-m", "again", "v2-again", "v2")
    source.git("tag", "-f", "moving", source.ids["c7"])
    source.git("update-ref", "refs/notes/hidden", source.ids["s1"])
    source.git("update-ref", "refs/pull/1/head", source.ids["i1"])


class MovedSource:
    """The source as it is after the move, and clones made before it: `twins(folder, kind)` copies one of them."""
    CLONES = {"full": [], "depth": ["--depth=1"], "depths": ["--depth=2", "--no-single-branch"], "bare": ["--bare"],
              "mirror": ["--mirror"], "single": ["--single-branch"]}

    def __init__(self, tools, folder: pathlib.Path):
        self.tools, self.folder = tools, folder
        self.source = history_before().write(tools, folder / "src")
        for kind, options in self.CLONES.items():
            tools.git("clone", "-q", *options, self.source.url, folder / kind).ok()
        move(self.source)
        self.path, self.url, self.ids = self.source.path, self.source.url, self.source.ids

    def twins(self, folder: pathlib.Path, kind="full") -> Twins:
        return Twins(self.tools, folder, self.folder / kind)
