"""Installs the two WebSocket libraries of uvicorn into a folder of their own, for a benchmark.

They are pinned by asgi_sockets.lock. The benchmark uses them with the product's own uvicorn and
uvloop.
"""

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from scripts.engines.requirements import FOLDER
from scripts.engines.servers import run

_LOCK = Path(__file__).with_name("asgi_sockets.lock")


def folder() -> Path:
    """The folder for `PYTHONPATH`, for this version of Python."""
    version = hashlib.sha256(_LOCK.read_bytes() + sys.version.encode()).hexdigest()[:12]
    target = FOLDER / f"asgi-sockets-{version}"
    if not target.exists():
        FOLDER.mkdir(exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="asgi-sockets-unfinished-", dir=FOLDER))
        try:
            _install(unfinished)
            unfinished.rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return target


def _install(target: Path) -> None:
    pip = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "-qq")
    run(
        (*pip, "--require-hashes", "--no-deps", "--target", str(target), "-r", str(_LOCK)),
        folder=target,
    )
