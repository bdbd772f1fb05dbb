"""A real sshd on loopback with its own keys and settings; nothing of the user's own ssh set-up is read or written."""
import os
import pathlib
import pwd
import socket
import subprocess
import time

from servers import free_port

SSHD_CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
AcceptEnv GIT_PROTOCOL
SetEnv GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null SHLVL=2
"""

# SHLVL keeps bash from running the user's start-up files, whose words would mix with the server's.
CLIENT_CONFIG = """\
Host loopback
    HostName 127.0.0.1
    Port {port}
    User {user}
    IdentityFile {folder}/user_key
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
"""


class Sshd:
    """Runs until stop(). `command` is what GIT_SSH_COMMAND should say; the host's name is `loopback`."""

    def __init__(self, folder: pathlib.Path):
        folder.mkdir(parents=True)
        for key in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        self.port = free_port()
        names = {"port": self.port, "folder": folder, "user": pwd.getpwuid(os.getuid()).pw_name}
        (folder / "sshd_config").write_text(SSHD_CONFIG.format(**names))
        (folder / "ssh_config").write_text(CLIENT_CONFIG.format(**names))
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.command = f"ssh -F {folder}/ssh_config"
        self.log = folder / "log"
        self._process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-f", folder / "sshd_config", "-E", self.log])
        self._wait()

    def _wait(self) -> None:
        for _ in range(200):
            assert self._process.poll() is None, f"sshd does not start: {self.log.read_text()}"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("sshd does not listen")

    def url(self, path) -> str:
        return f"ssh://loopback{path}"

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
