"""Starts the real systems that tests and benchmarks use, each on a free loopback port.

    with running("dynamodb") as engine:
        engine.url          dynamodb+http://127.0.0.1:PORT?region=local

They are installed into `.engines/` on first use, pinned by the lock files in this folder. If a
machine cannot run one, `Unavailable` says why, and the caller decides whether to skip or to fail.
To add an engine, add a module with a `start()` and a line in `ENGINES`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scripts.engines import clamd, dynalite, dynamodb, moto, nats, seaweedfs, temporary_postgresql
from scripts.engines.process import Engine
from scripts.engines.requirements import Unavailable

ENGINES: dict[str, Callable[[], Engine]] = {
    "dynamodb": dynamodb.start,
    "dynalite": dynalite.start,
    "moto": moto.start,
    "nats": nats.start,
    "seaweedfs": seaweedfs.start,
    "clamd": clamd.start,
    "postgresql": temporary_postgresql.start,
}


def start(name: str) -> Engine:
    return ENGINES[name]()


@contextmanager
def running(name: str) -> Iterator[Engine]:
    engine = start(name)
    try:
        yield engine
    finally:
        engine.stop()


__all__ = ["ENGINES", "Engine", "Unavailable", "running", "start"]
