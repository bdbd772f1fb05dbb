"""Real servers on this machine: git's daemon, Apache with git-http-backend, a proxy, JGit, Dulwich."""
import hashlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

APACHE_MODULES = "/usr/lib/apache2/modules"
CERTIFICATE_DAYS = "2"


def free_port(host="127.0.0.1") -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Server:
    """A program that listens on `port` of 127.0.0.1."""

    def __init__(self, argv, port, env=None, log=None, host="127.0.0.1"):
        self.port, self.log = port, pathlib.Path(log)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with open(self.log, "ab") as out:
            self._process = subprocess.Popen([str(word) for word in argv], env=env, stdin=subprocess.DEVNULL,
                                             stdout=out, stderr=out, start_new_session=True)
        for _ in range(1200):
            assert self._process.poll() is None, f"{argv[0]} does not start: {self.log.read_text()}"
            with socket.socket(family) as probe:
                if probe.connect_ex((host, port)) == 0:
                    return
            time.sleep(0.05)
        self.stop()
        raise AssertionError(f"{argv[0]} does not listen")

    def stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class GitDaemon(Server):
    """`git daemon` for every repository on this machine; `url(path)` names one."""

    def __init__(self, tools, folder: pathlib.Path, *options, host="127.0.0.1"):
        folder.mkdir(parents=True)
        port = free_port(host)
        self.host = f"[{host}]" if ":" in host else host
        super().__init__(["git", "daemon", "--export-all", f"--listen={host}", f"--port={port}", "--reuseaddr",
                          *options], port, env=tools.env, log=folder / "log", host=host)

    def url(self, path) -> str:
        return f"git://{self.host}:{self.port}{path}"


class Authority:
    """A certification authority of our own, and certificates that it signs."""

    def __init__(self, folder: pathlib.Path):
        folder.mkdir(parents=True)
        self.folder, self.certificate = folder, folder / "ca.pem"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                      "/CN=Journey CA", "-keyout", folder / "ca.key", "-out", self.certificate, "-days",
                      CERTIFICATE_DAYS)

    def _openssl(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

    def sign(self, name: str, extension: str = "") -> tuple:
        """(certificate, key) for `name`; extension: a line such as subjectAltName=…"""
        key, request, certificate = (self.folder / f"{name}.{kind}" for kind in ("key", "csr", "pem"))
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                      f"/CN={name}", "-keyout", key, "-out", request)
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(extension + "\n")
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.folder / "ca.key",
                      "-CAcreateserial", "-out", certificate, "-days", CERTIFICATE_DAYS, "-extfile", extensions)
        return certificate, key


APACHE_CONFIG = """\
ServerRoot {folder}
PidFile {folder}/pid
DefaultRuntimeDir {folder}
ServerName localhost
Listen 127.0.0.1:{port}
Listen 127.0.0.1:{tls_port}
Listen 127.0.0.1:{strict_port}
{modules}
Mutex file:{folder} default
ErrorLog {folder}/errors
CustomLog {folder}/access "%{{remote}}p %H %u %r %>s keepalive=%k accept=[%{{Accept-Encoding}}i] \
sent=[%{{Content-Encoding}}i] got=[%{{Content-Encoding}}o] agent=[%{{User-Agent}}i] token=[%{{X-Token}}i] \
cookie=[%{{Cookie}}i]"
SetEnv GIT_PROJECT_ROOT /
SetEnv GIT_HTTP_EXPORT_ALL
SetEnv HOME {folder}
SetEnv GIT_CONFIG_NOSYSTEM 1
{environment}
ScriptAlias /open {backend}
ScriptAlias /basic {backend}
ScriptAlias /digest {backend}
ScriptAlias /bearer {backend}
ScriptAlias /packed {backend}
Alias /dumb /
Redirect 301 /moved /open
RedirectMatch 302 ^/half/(.*)/info/refs$ /open/$1/info/refs
RedirectMatch 307 ^/post/(.*)/git-upload-pack$ /open/$1/git-upload-pack
ScriptAlias /post {backend}
Redirect 302 /elsewhere http://localhost:{port}/basic
Redirect 302 /lost /login?from=
Redirect 302 /round /round
<Location />
  Require all granted
</Location>
<Location /basic>
  AuthType Basic
  AuthName "a realm"
  AuthUserFile {folder}/basic
  Require valid-user
</Location>
<Location /digest>
  AuthType Digest
  AuthName "digest"
  AuthUserFile {folder}/digest
  Require valid-user
</Location>
<Location /bearer>
  Require expr "%{{HTTP:Authorization}} == 'Bearer {password}'"
</Location>
<Location /packed>
  SetOutputFilter DEFLATE
</Location>
<VirtualHost 127.0.0.1:{tls_port}>
  Protocols h2 http/1.1
  SSLEngine on
  SSLCertificateFile {certificate}
  SSLCertificateKeyFile {key}
  SSLCACertificateFile {authority}
</VirtualHost>
<VirtualHost 127.0.0.1:{strict_port}>
  SSLEngine on
  SSLCertificateFile {certificate}
  SSLCertificateKeyFile {key}
  SSLCACertificateFile {authority}
  SSLVerifyClient require
</VirtualHost>
"""
MODULES = ("mpm_event authz_core authz_user authn_core authn_file auth_basic auth_digest alias env cgi deflate filter "
           "ssl http2 socache_shmcb").split()


class Apache(Server):
    """Apache with git-http-backend, for every repository on this machine: `url(place, path)`, place as in its
    configuration. User `alice`; her password is `password`."""
    user = "alice"

    def __init__(self, tools, folder: pathlib.Path, password: str, backend_environment=None):
        folder.mkdir(parents=True)
        self.folder, self.password, self.tls_port, self.strict_port = folder, password, free_port(), free_port()
        self.authority = Authority(folder / "ca")
        certificate, key = self.authority.sign("localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        coded = subprocess.run(["openssl", "passwd", "-apr1", password], check=True, capture_output=True, text=True)
        (folder / "basic").write_text(f"{self.user}:{coded.stdout}")
        digest = hashlib.md5(f"{self.user}:digest:{password}".encode()).hexdigest()
        (folder / "digest").write_text(f"{self.user}:digest:{digest}\n")
        port = free_port()
        backend = tools.git("--exec-path").ok().out.strip() + "/git-http-backend"
        (folder / "config").write_text(APACHE_CONFIG.format(
            folder=folder, port=port, tls_port=self.tls_port, strict_port=self.strict_port,
            backend=backend,
            certificate=certificate, key=key, authority=self.authority.certificate, password=password,
            modules="\n".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so" for name in MODULES),
            environment="\n".join(f"SetEnv {name} {value}" for name, value in (backend_environment or {}).items())))
        # As one process it changes no user, so that it can read what the tests have made.
        super().__init__(["apache2", "-f", folder / "config", "-X"], port, env=tools.env,
                         log=folder / "log")

    def url(self, place, path, user_info="") -> str:
        return f"http://{user_info and user_info + '@'}127.0.0.1:{self.port}/{place}{path}"

    def tls_url(self, place, path) -> str:
        return f"https://localhost:{self.tls_port}/{place}{path}"

    def strict_url(self, place, path) -> str:
        """Where a client needs a certificate of the authority."""
        return f"https://localhost:{self.strict_port}/{place}{path}"

    def requests(self) -> list:
        """The lines of the access log since the last call."""
        path = self.folder / "access"
        text = path.read_text() if path.exists() else ""
        lines = text.splitlines()[getattr(self, "_seen", 0):]
        self._seen = len(text.splitlines())
        return lines


TINYPROXY_CONFIG = """\
Port {port}
Listen 127.0.0.1
Timeout 60
LogFile "{folder}/proxy.log"
LogLevel Connect
PidFile "{folder}/proxy.pid"
Allow 127.0.0.1
{login}
"""


class Tinyproxy(Server):
    """A proxy; with a login only for who knows it."""

    def __init__(self, tools, folder: pathlib.Path, login=None):
        folder.mkdir(parents=True)
        port = free_port()
        line = f"BasicAuth {login[0]} {login[1]}" if login else ""
        (folder / "config").write_text(TINYPROXY_CONFIG.format(port=port, folder=folder, login=line))
        self.folder = folder
        super().__init__(["tinyproxy", "-d", "-c", folder / "config"], port, env=tools.env, log=folder / "log")

    def seen(self) -> str:
        path = self.folder / "proxy.log"
        return path.read_text() if path.exists() else ""


class JgitDaemon(Server):
    """JGit's own server of git://, for the repositories below `root`. Started
    by hand: the launcher of Debian's jgit-cli leaves out two of the libraries that it needs."""

    def __init__(self, tools, folder: pathlib.Path, root: pathlib.Path):
        folder.mkdir(parents=True)
        port = free_port()
        java = pathlib.Path("/usr/share/java")
        names = ("", ".archive", ".http.apache", ".lfs", ".pgm", ".ui")
        jars = [java / f"org.eclipse.jgit{name}.jar" for name in names]
        jars += [java / f"{name}.jar" for name in ("args4j", "gson", "httpclient", "httpcore", "javaewah", "jsch",
                                                   "slf4j-api", "slf4j-nop")]
        super().__init__(["java", f"-Duser.home={folder}", "-XX:TieredStopAtLevel=1", "-cp", ":".join(map(str, jars)),
                          "org.eclipse.jgit.pgm.Main", "daemon", "--port", port, "--listen", "127.0.0.1",
                          "--export-all", root], port, env=tools.env, log=folder / "log")

    def url(self, name) -> str:
        return f"git://127.0.0.1:{self.port}/{name}"


DULWICH = """\
import sys
from dulwich.repo import Repo
from dulwich.server import DictBackend, TCPGitServer
from dulwich.web import WSGIRequestHandlerLogger, WSGIServerLogger, make_server, make_wsgi_chain
kind, port, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
backend = DictBackend({"/x": Repo(path)})
if kind == "git":
    TCPGitServer(backend, "127.0.0.1", port).serve_forever()
make_server("127.0.0.1", port, make_wsgi_chain(backend), handler_class=WSGIRequestHandlerLogger,
            server_class=WSGIServerLogger).serve_forever()
"""


class Dulwich(Server):
    """Dulwich's server, of git:// or http, for one repository."""

    def __init__(self, tools, folder: pathlib.Path, scheme: str, repository: pathlib.Path):
        folder.mkdir(parents=True)
        port = free_port()
        (folder / "server.py").write_text(DULWICH)
        super().__init__([sys.executable, folder / "server.py", scheme, port, repository], port, env=tools.env,
                         log=folder / "log")
        self.url = f"{scheme}://127.0.0.1:{port}/x"
