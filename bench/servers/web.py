"""Apache with git-http-backend on this machine, for the repositories of one directory. Ends with the program."""

import atexit
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

MODULES = ["mpm_event", "authz_core", "alias", "env", "cgi"]
MODULE_DIRECTORY = pathlib.Path("/usr/lib/apache2/modules")
START_SECONDS = 20

# As one process (-X) it changes no user, so that it reads what we can read.
CONFIG = """\
ServerRoot {folder}
PidFile {folder}/pid
DefaultRuntimeDir {folder}
ServerName localhost
Listen 127.0.0.1:{port}
{modules}
ErrorLog {folder}/errors
SetEnv GIT_PROJECT_ROOT {root}
SetEnv GIT_HTTP_EXPORT_ALL
SetEnv GIT_CONFIG_GLOBAL {global_config}
SetEnv GIT_CONFIG_NOSYSTEM 1
SetEnv PATH {path}
ScriptAlias / {backend}/
<Location />
  Require all granted
</Location>
"""


class WebServer:
    """`url` is that of the directory `root`."""

    def __init__(self, root, git, env):
        program = shutil.which("apache2", path=os.pathsep.join([env["PATH"], "/usr/sbin"]))
        if not program:
            raise OSError("apache2 is not there; run `scripts/deps bench`")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pfetch-bench-web-"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        backend = subprocess.run([git, "--exec-path"], env=env, check=True, capture_output=True,
                                 text=True).stdout.strip() + "/git-http-backend"
        (folder / "config").write_text(CONFIG.format(
            folder=folder, port=port, root=root, backend=backend, path=env["PATH"],
            global_config=env["GIT_CONFIG_GLOBAL"],
            modules="\n".join(f"LoadModule {name}_module {MODULE_DIRECTORY}/mod_{name}.so" for name in MODULES)),
            encoding="utf-8")
        self.url = f"http://127.0.0.1:{port}"
        self._folder = folder
        self._process = subprocess.Popen([program, "-f", folder / "config", "-X"], env=env, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.stop)
        self._wait(port)

    def _wait(self, port):
        for _ in range(START_SECONDS * 20):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        errors = self._folder / "errors"
        raise OSError("apache2 does not start: " + (errors.read_text()[-1000:] if errors.exists() else ""))

    def stop(self):
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
