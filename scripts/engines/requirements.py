"""Finds or installs what an engine needs: a command, or a package from the pinned npm lock.

Installing happens under a lock, because several test runs may need the same package at once.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HERE = Path(__file__).parent
FOLDER = _HERE.parents[1] / ".engines"
LOCK = _HERE / "package-lock.json"


class Unavailable(Exception):
    """The engine cannot run on this machine; the text says why."""


def command(name: str, *, debian: str) -> str:
    """The path of a command, which is installed if we are root on Debian or a relative of it."""
    if found := shutil.which(name):
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise Unavailable(f"`{name}` is not installed (Debian and Ubuntu: apt install {debian})")
    with _one_at_a_time():
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *debian.split())
    if found := shutil.which(name):
        return found
    raise Unavailable(f"`{name}` is not installed, and {debian} did not bring it")


def npm_package(name: str) -> Path:
    """The folder of an installed package, in the version of package-lock.json."""
    version = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    target = FOLDER / f"npm-{version}"
    if not target.exists():
        npm = command("npm", debian="nodejs npm")
        with _one_at_a_time():
            if not target.exists():
                _install(npm, target)
    return target / "node_modules" / name


def _install(npm: str, target: Path) -> None:
    unfinished = target.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    shutil.copy(LOCK, unfinished)
    shutil.copy(LOCK.with_name("package.json"), unfinished)
    # nsfwjs asks for TensorFlow.js, of which we need nothing.
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund")
    _run(npm, "ci", "--legacy-peer-deps", *quiet, folder=unfinished)
    unfinished.rename(target)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _run(*argv: str, folder: Path | None = None) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Unavailable(f"`{' '.join(argv[:2])}` failed: {' / '.join(last)}")
