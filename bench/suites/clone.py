"""A whole shallow clone: with a real server on this machine, and with the server's time taken out."""

from harness.data import PYTHON, SERVERS
from harness.runner import PEAK, Test, Variant

TUNED_WORKERS = (2, 4)


def variants(bench, source, upload_pack=None, url=None):
    """Every client that can clone `source` at depth 1; `upload_pack(directory)` gives another server."""
    url = url or f"file://{source}"

    def server(directory):
        return ["--upload-pack", upload_pack(directory)] if upload_pack else []

    def git(*settings):
        return lambda d: [bench.git, *settings, "clone", "-q", "--depth", "1", *server(d), url, d / "dst"]

    check = bench.check_clone(source)
    found = [Variant("git", git(), check=check)]
    for workers in TUNED_WORKERS:
        setting = f"checkout.workers={workers}"
        found.append(Variant("git tuned", git("-c", setting), label=f"workers={workers}", check=check))
    found.append(Variant("pfetch", lambda d: [bench.pfetch, "clone", "-q", "--depth", "1", *server(d), url, d / "dst"],
                         check=check))
    if bench.gix and not upload_pack:
        found.append(Variant("gix", lambda d: [bench.gix, "clone", "--depth", "1", url, d / "dst"], check=check))
    return found


def tests(bench):
    tree = bench.options.tree
    source, recording, archive = bench.data.repository(tree), bench.data.recording(tree), bench.data.tar(tree)
    bench.data.warm(source, recording, archive)

    def replay(directory):
        return bench.script(directory, "upload-pack", *PYTHON, SERVERS / "replay.py", recording)

    def make_target(directory):
        (directory / "dst").mkdir()

    tar = Variant("tar", lambda d: ["tar", "-xf", archive, "-C", d / "dst"], prepare=make_target)
    return [
        Test(f"clone --depth 1, {tree} tree", variants(bench, source), figures=[PEAK]),
        Test(f"client time (server replayed), {tree} tree", variants(bench, source, replay) + [tar], figures=[PEAK]),
    ]
