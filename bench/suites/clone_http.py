"""A whole shallow clone over loopback http: Apache with git-http-backend on this machine."""

from harness.runner import PEAK, Test
from servers.web import WebServer
from suites.clone import variants


def tests(bench):
    tree = bench.options.tree
    source = bench.data.repository(tree)
    bench.data.warm(source)
    server = WebServer(source.parent, bench.git, bench.env)
    return [Test(f"clone --depth 1 over http, {tree} tree",
                 variants(bench, source, url=f"{server.url}/{source.name}"), figures=[PEAK])]
