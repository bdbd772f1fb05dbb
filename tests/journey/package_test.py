"""What is installed: the program, its link for git, manual pages, completions, and the Debian package."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("clone", "fetch", "checkout", "reset", "index-pack")
COMPLETIONS = ("pfetch.bash", "_pfetch", "pfetch.fish")

pytestmark = pytest.mark.ours


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def long_options(tools, command):
    """What the program itself says it takes, without what it names only to refuse it."""
    text = tools.pfetch(command, "-h").out
    entries = re.split(r"\n(?=    -)", text)[1:]
    built = [entry for entry in entries if "not supported yet" not in entry]
    words = " ".join(entry.strip().split("  ", 1)[0].split("\n", 1)[0] for entry in built)
    return set(re.findall(r"--[a-z][a-z-]*", words))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_page_has_every_option(tools, command):
    page = (ROOT / "man" / f"pfetch-{command}.1").read_text().replace("\\-", "-").replace("Fl -", "--").replace(" , -", " , --")
    plain = {option for option in long_options(tools, command) if option not in page}
    # One entry says both ways of a switch: "--[no-]progress".
    missing = {option for option in plain if f"--[no-]{option.removeprefix('--no-').removeprefix('--')}" not in page}
    assert not missing


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", COMPLETIONS)
def test_completions_have_every_option(tools, command, name):
    text = (ROOT / "completions" / name).read_text()
    words = set(re.findall(r"--[a-z][a-z-]*", text)) | {f"--{word}" for word in re.findall(r"-l ([a-z-]+)", text)}
    assert long_options(tools, command) <= words


@pytest.mark.parametrize("shell,name", zip(("bash", "zsh", "fish"), COMPLETIONS))
def test_completions_are_sound_scripts(shell, name):
    run(shell, "-n", ROOT / "completions" / name)


def bash_completes(*words):
    script = f"""source {ROOT}/completions/pfetch.bash
      COMP_WORDS=({' '.join(words[:-1])} "{words[-1]}"); COMP_CWORD={len(words) - 1}
      compopt() {{ :; }}
      _pfetch; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return run("bash", "-c", script).split()


def test_bash_completes_commands_and_their_options():
    assert bash_completes("pfetch", "") == ["clone", "fetch", "checkout", "reset", "index-pack"]
    assert bash_completes("pfetch", "-c", "a.b=c", "cl") == ["clone"]
    assert bash_completes("pfetch", "clone", "--dep") == ["--depth"]
    assert bash_completes("pfetch", "fetch", "--unsh") == ["--unshallow"]
    assert bash_completes("pfetch", "checkout", "--det") == ["--detach"]
    assert bash_completes("pfetch", "reset", "--ha") == ["--hard"]
    assert bash_completes("pfetch", "index-pack", "--fix") == ["--fix-thin"]
    assert bash_completes("pfetch", "--git") == ["--git-dir="]


def test_manual_pages_are_clean():
    for page in sorted((ROOT / "man").glob("*.1")):
        result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], text=True,
                                stdout=subprocess.PIPE, check=False)
        assert result.returncode == 0, result.stdout


def test_there_is_a_manual_page_for_each_command(tools):
    assert all(command in tools.pfetch("--help").out for command in COMMANDS)
    assert {page.name for page in (ROOT / "man").glob("*.1")} >= {f"pfetch-{command}.1" for command in COMMANDS}


@pytest.fixture(scope="module")
def build(tools):
    directory = Path(os.environ["PFETCH"]).resolve().parent
    if not (directory / "CPackConfig.cmake").exists():
        pytest.fail(f"{directory} is no build directory")
    return directory


def test_git_runs_an_installed_pfetch(tools, build, src, tmp_path):
    run("cmake", "--install", build, "--prefix", tmp_path / "usr")
    path = f"{tmp_path / 'usr' / 'bin'}:{os.environ['PATH']}"
    tools.git("pfetch", "clone", "--depth=1", src.url, tmp_path / "x", env={"PATH": path}).ok()
    assert (tmp_path / "x" / "file.txt").exists()
    share = tmp_path / "usr" / "share"
    assert (share / "man" / "man1" / "git-pfetch.1").resolve() == share / "man" / "man1" / "pfetch.1"
    assert (share / "bash-completion" / "completions" / "pfetch").exists()


@pytest.mark.skipif(shutil.which("dpkg-shlibdeps") is None, reason="dpkg-dev is not installed")
def test_the_debian_package_declares_what_it_needs(build, tmp_path):
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", tmp_path)
    (package,) = tmp_path.glob("pfetch_*.deb")
    depends = run("dpkg-deb", "-f", package, "Depends")
    for name in ("libc6", "libdeflate0", "libssl3", "libcurl4", "zlib1g", "git"):
        assert re.search(rf"(^|[ ,]){re.escape(name)}([ ,(]|$)", depends.strip()), f"{name} is not in: {depends}"
    contents = run("dpkg-deb", "-c", package)
    for path in ("./usr/bin/pfetch", "./usr/bin/git-pfetch -> pfetch", "./usr/share/man/man1/pfetch-clone.1",
                 "./usr/share/zsh/vendor-completions/_pfetch", "./usr/share/fish/vendor_completions.d/pfetch.fish"):
        assert path in contents
