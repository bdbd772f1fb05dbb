"""Libraries that are loaded in front of a program, and change what the system tells it."""
import shutil
import subprocess

import pytest

from tools import SANITIZED, SUPPORT


def built(name: str, folder) -> dict:
    """Builds tests/support/journey/<name>.c in the folder; returns the environment that loads it."""
    if SANITIZED:
        pytest.skip("a sanitizer must be the first library")
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "a C compiler is needed"
    library = folder / f"{name}.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SUPPORT / f"{name}.c", "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}
