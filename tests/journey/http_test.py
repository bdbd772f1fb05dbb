"""http and https: Apache with git-http-backend, in every protocol, beside git; redirects, proxies, TLS, compression."""
import pytest

from history import History
from servers import Apache, Dulwich, Tinyproxy
from tools import PROTOCOLS, speaking

PASSWORD = "open-sesame-7431"
VARIANTS = {"full": [], "depth": ["--depth=1"], "since": ["--shallow-since=2018-06-01T00:00:00"],
            "exclude": ["--shallow-exclude=v0.1", "--no-single-branch"], "branch": ["--branch=topic", "--depth=2"],
            "mirror": ["--mirror"], "tag": ["-b", "v1.0", "--depth=1"], "no tags": ["--no-tags", "--depth=2"]}


@pytest.fixture(scope="module")
def web(tools, tmp_path_factory):
    server = Apache(tools, tmp_path_factory.mktemp("web") / "a", PASSWORD)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def trusting(web):
    """Settings that trust the server's authority."""
    return ["-c", f"http.sslCAInfo={web.authority.certificate}"]


@PROTOCOLS
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_clone_is_what_git_makes(both, check, web, rich, protocol, variant):
    both.clone(*VARIANTS[variant], url=web.url("open", rich.path), before=speaking(protocol))
    both.same()
    both.same_messages()
    check(both.ours)


@PROTOCOLS
def test_one_connection_is_kept_for_all_requests(tools, web, rich, tmp_path, protocol):
    web.requests()
    tools.pfetch(*speaking(protocol), "clone", "--depth=1", web.url("moved", rich.path), tmp_path / "x").ok()
    lines = web.requests()
    assert len(lines) == (4 if protocol == 2 else 3), lines  # redirect, refs, (ls-refs,) fetch
    assert len({line.split()[0] for line in lines}) == 1, lines
    assert all("accept=[deflate, gzip]" in line and "agent=[git/" in line for line in lines)


@PROTOCOLS
def test_over_tls_with_an_authority_of_our_own(both, web, trusting, rich, protocol):
    web.requests()
    both.clone("--depth=1", url=web.tls_url("open", rich.path), before=[*trusting, *speaking(protocol)]).same()
    assert {line.split()[1] for line in web.requests()} == {"HTTP/2.0"}


def test_http_1_1_where_it_is_asked_for(both, web, trusting, rich):
    web.requests()
    both.clone("--depth=1", url=web.tls_url("open", rich.path), before=[*trusting, "-c", "http.version=HTTP/1.1"])
    both.same()
    assert {line.split()[1] for line in web.requests()} == {"HTTP/1.1"}


def test_an_unknown_authority_is_refused_unless_told_otherwise(both, web, rich):
    url = web.tls_url("open", rich.path)
    both.clone(url=url).both_refused("unable to access", "certificate", code=128)
    both.clone("--depth=1", url=url, directory="y", before=["-c", "http.sslVerify=false"]).same()
    both.clone("--depth=1", url=url, directory="z", env={"GIT_SSL_NO_VERIFY": "1"}).same()
    both.clone("--depth=1", url=url, directory="u", env={"GIT_SSL_CAINFO": str(web.authority.certificate)}).same()
    scoped = ["-c", f"http.https://localhost:{web.tls_port}/open.sslVerify=false"]
    both.clone("--depth=1", url=url, directory="v", before=scoped).same()
    other = ["-c", f"http.https://localhost:{web.tls_port}/other.sslVerify=false"]
    both.clone(url=url, directory="w", before=other).both_refused("certificate", code=128)


def test_a_certificate_of_ours(both, web, trusting, rich):
    certificate, key = web.authority.sign("client")
    url = web.strict_url("open", rich.path)
    both.clone("--depth=1", url=url, env={"GIT_SSL_CERT": str(certificate), "GIT_SSL_KEY": str(key)}, before=trusting)
    both.same()
    settings = ["-c", f"http.sslCert={certificate}", "-c", f"http.sslKey={key}"]
    both.clone("--depth=1", url=url, directory="y", before=[*trusting, *settings]).same()
    both.clone(url=url, directory="z", before=[*trusting, "-c", "http.maxRetries=0"])
    both.both_refused("unable to access", code=128)


@PROTOCOLS
def test_redirects(both, web, rich, protocol):
    for number, place in enumerate(("moved", "half")):
        both.clone("--depth=1", url=web.url(place, rich.path), directory=f"x{number}", before=speaking(protocol)).same()
        both.same_messages()
        assert "warning: redirecting to " in both.result.err


def test_redirects_as_far_as_they_are_wanted(both, web, rich):
    never, always = (["-c", f"http.followRedirects={value}"] for value in ("false", "true"))
    both.clone(url=web.url("moved", rich.path), before=never).both_refused("returned error: 301", code=128)
    both.same_messages()
    both.clone(url=web.url("post", rich.path), directory="y").both_refused(code=128)  # the first request alone
    both.clone("--depth=1", url=web.url("post", rich.path), directory="z", before=always).same()
    both.clone(url=web.url("lost", rich.path), directory="u").both_refused(code=128)
    both.clone(url=web.url("round", rich.path), directory="v").both_refused("redirects", code=128)
    forbidden = ["-c", "protocol.http.allow=user"]
    both.clone(url=web.url("moved", rich.path), directory="w", before=forbidden).both_refused(code=128)


@PROTOCOLS
def test_compressed_both_ways(both, tools, web, src, tmp_path, protocol):
    tools.git("clone", "-q", "--bare", src.url, tmp_path / "s").ok()
    lines = "".join(f"create refs/heads/b{number} {src.ids[f'c{number % 6 + 1}']}\n" for number in range(300))
    lines += "".join(f"create refs/tags/{oid[:9]} {oid}\n" for oid in make_many(tools, tmp_path / "s"))
    tools.git("-C", tmp_path / "s", "update-ref", "--stdin", data=lines.encode()).ok()
    web.requests()
    both.clone("--mirror", url=web.url("packed", tmp_path / "s"), before=speaking(protocol)).same()
    ours = [line for line in web.requests() if "pfetch" in line]
    assert "sent=[gzip]" in ours[-1] and "got=[gzip]" in ours[0], ours


def make_many(tools, repo) -> list:
    """Many commits without parents, so that a request names them all."""
    tree = tools.ask(repo, "rev-parse", "HEAD^{tree}")
    stream = "".join(f"commit refs/m/{number}\ncommitter a <a@b> {number} +0000\ndata 1\nx\nM 040000 {tree} \n\n"
                     for number in range(1, 60))
    tools.git("-C", repo, "fast-import", "--quiet", data=stream.encode()).ok()
    ids = tools.ask(repo, "for-each-ref", "--format=%(objectname)", "refs/m/").split()
    return ids


def test_what_is_not_there_or_no_git(both, tools, web, tmp_path, src):
    both.clone(url=web.url("open", tmp_path / "nosuch"), before=["-c", "http.maxRetries=0"])
    both.both_refused("repository", "not found", code=128)
    both.same_messages()
    both.clone(url=web.url("nowhere", src.path)).both_refused("not found", code=128)
    both.same_messages()
    tools.git("-C", src.path, "update-server-info").ok()
    result = tools.pfetch("clone", web.url("dumb", f"{src.path}/.git"), tmp_path / "x")
    result.refused("dumb", "smart HTTP protocol", code=128)
    assert not (tmp_path / "x").exists()


@pytest.fixture(scope="module")
def proxy(tools, tmp_path_factory):
    """Lets in who says bob and proxy-word-5577."""
    server = Tinyproxy(tools, tmp_path_factory.mktemp("proxy") / "p", login=("bob", "proxy-word-5577"))
    yield server
    server.stop()


@pytest.mark.parametrize("how", ["config", "environment", "all", "remote"])
@pytest.mark.parametrize("secure", [False, True])
def test_a_proxy_in_between(both, web, proxy, trusting, rich, how, secure):
    address = f"http://bob:proxy-word-5577@127.0.0.1:{proxy.port}"
    url, name = ((web.tls_url, "https_proxy") if secure else (web.url, "http_proxy"))
    url = url("open", rich.path)
    settings = {"config": ["-c", f"http.proxy={address}"], "remote": ["-c", f"remote.origin.proxy={address}"]}
    before = [*trusting, *settings.get(how, [])]
    env = {"environment": {name: address}, "all": {"ALL_PROXY": address}}.get(how, {})
    seen = len(proxy.seen())
    both.clone("--depth=1", url=url, before=before, env=env).same()
    assert proxy.seen()[seen:].count("CONNECT" if secure else "GET") >= 2, proxy.seen()
    for text in (both.result.err, (both.ours / ".git/config").read_text()):
        assert "proxy-word" not in text
    seen = len(proxy.seen())
    both.clone("--depth=1", url=url, directory="y", before=before,
               env={**env, "no_proxy": "127.0.0.1,localhost"}).same()
    assert len(proxy.seen()) == seen


def test_a_proxy_that_does_not_know_us(both, web, proxy, rich):
    wrong = f"http://bob:not-the-word@127.0.0.1:{proxy.port}"
    both.clone(url=web.url("open", rich.path), before=["-c", f"http.proxy={wrong}"]).both_refused(code=128)
    assert "not-the-word" not in both.result.err


def test_names_that_are_resolved_by_the_settings(both, web, rich):
    """Also: a setting for *.example applies to host.example."""
    url = f"http://host.example:{web.port}/open{rich.path}"
    resolve = ["-c", f"http.http://*.example:{web.port}/.curloptResolve=host.example:{web.port}:127.0.0.1"]
    both.clone("--depth=1", url=url, before=resolve).same()


def test_a_shallow_source_and_its_boundary(both, check, tools, web, src, tmp_path):
    """C26 over a stateless connection."""
    tools.git("clone", "-q", "--bare", "--depth=3", src.url, tmp_path / "s").ok()
    for protocol in (0, 1, 2):
        for number, options in enumerate(([], ["--depth=2"], ["--mirror"])):
            both.clone(*options, url=web.url("open", tmp_path / "s"), directory=f"x{protocol}{number}",
                       before=speaking(protocol)).same()
            check(both.ours, {"HEAD": 2 if number == 1 else 3})


@PROTOCOLS
@pytest.mark.parametrize("options", [["--shallow-since=2040-01-01"], ["--shallow-exclude=nosuch"],
                                     ["--shallow-exclude=" + "1" * 40]], ids=" ".join)
def test_a_boundary_that_cannot_be(both, web, src, options, protocol):
    """C15: nothing is left, and there is a reason."""
    both.clone(*options, url=web.url("open", src.path), before=speaking(protocol)).both_refused(code=128)


@PROTOCOLS
def test_tags_of_every_kind_and_a_depth(both, check, tools, web, tmp_path, protocol):
    """C24: only tags of what came, and of its own; tags of tags, trees and blobs."""
    history = History().linear(6)
    for number in (1, 4, 6):
        history.tag(f"light{number}", f"c{number}")
        history.tag(f"annotated{number}", f"c{number}", annotated=True)
    history.tag("of-tag", "annotated6", annotated=True)
    history.tag("of-blob", "main:file.txt", annotated=True)
    history.tag("of-tree", "main:dir")
    source = history.write(tools, tmp_path / "s")
    for number, options in enumerate((["--depth=2"], ["--depth=2", "--no-single-branch"], ["--depth=2", "--no-tags"],
                                      ["--depth=1", "--mirror"], ["--depth=3", "--branch=annotated4"])):
        both.clone(*options, url=web.url("open", source.path), directory=f"x{number}", before=speaking(protocol)).same()
        check(both.ours)


@PROTOCOLS
def test_objects_that_are_here_are_proposed_in_rounds(both, check, tools, web, tmp_path, protocol):
    """Several rounds of proposals over a connection that remembers nothing."""
    history = History().linear(80)
    source = history.write(tools, tmp_path / "s")
    tools.git("clone", "-q", "--bare", source.url, tmp_path / "r").ok()
    for number in range(60):  # commits that the server does not know come first
        tree = tools.ask(tmp_path / "r", "rev-parse", "HEAD^{tree}")
        commit = tools.ask(tmp_path / "r", "commit-tree", tree, "-p", "HEAD", "-m", str(number),
                           env={"GIT_COMMITTER_DATE": f"{1700000000 + number} +0000"})
        tools.ask(tmp_path / "r", "update-ref", "HEAD", commit)
    source.git("commit", "-q", "--allow-empty", "-m", "new")
    both.clone("--reference", tmp_path / "r", url=web.url("open", source.path), before=speaking(protocol))
    both.same()
    check(both.ours)
    assert int(tools.ask(both.ours, "count-objects", "-v").split("in-pack: ")[1].split()[0]) <= 2


def test_dulwich_over_http(both, tools, rich, tmp_path):
    tools.git("clone", "-q", "--mirror", rich.url, tmp_path / "x").ok()
    server = Dulwich(tools, tmp_path / "d", "http", tmp_path / "x")
    try:
        for protocol in (0, 2):
            for number, options in enumerate(([], ["--depth=1"], ["--mirror"])):
                both.clone(*options, url=server.url, directory=f"x{protocol}{number}", before=speaking(protocol))
                if both.git_result.code:
                    both.result.refused()
                else:
                    both.same()
    finally:
        server.stop()


def test_policies_as_for_git(both, web, rich):
    url = web.url("open", rich.path)
    for number, how in enumerate(({"before": ["-c", "protocol.http.allow=never"]},
                                  {"before": ["-c", "protocol.allow=never"]}, {"env": {"GIT_ALLOW_PROTOCOL": "https"}},
                                  {"before": ["-c", "protocol.allow=user"], "env": {"GIT_PROTOCOL_FROM_USER": "0"}})):
        both.clone(url=url, directory=f"x{number}", **how).both_refused("transport 'http' not allowed", code=128)
    both.clone("--depth=1", url=url, directory="y", env={"GIT_PROTOCOL_FROM_USER": "0"}).same()
    rule = ["-c", f"url.http://127.0.0.1:{web.port}/.insteadOf=web:"]
    both.clone("--depth=1", url=f"web:open{rich.path}", directory="z", before=rule).same()
