"""The server as it is, without rate limits, for a process that is killed and restarted.

It is forked from a process that has already imported everything, so that it starts quickly, and it
ends with that process.
"""

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

import uvloop

import greenroom.store.dynamo  # noqa: F401 (imported where it is used, otherwise)
from bench.unlimited import UNLIMITED
from greenroom import serve as serving, settings
from greenroom.errors import Problem
from greenroom.realtime.nats import peers
from greenroom.store.sqlite import schema

_DIE_WITH_PARENT = 1


def serve_with_fast_peer_timeout(
    given: Mapping[str, str], log: Path, told: "Connection[str, None]"
) -> None:
    """Notices sooner that another node is dead, for short runs. The plan's pauses are shorter."""
    peers.HERE_SECONDS, peers.SILENT_SECONDS = 1.0, 5.0
    serve(given, log, told)


def serve_without_fsync(given: Mapping[str, str], log: Path, told: "Connection[str, None]") -> None:
    """Acks before the data is on the disk: the control of the power-cut runs."""
    schema.SYNCHRONOUS = "NORMAL"
    serve(given, log, told)


def serve(given: Mapping[str, str], log: Path, told: "Connection[str, None]") -> None:
    """Serves with these settings, and sends the address to `told`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True)
    try:
        uvloop.run(
            serving.serve(
                settings.read_settings(given),
                create_tables=False,
                samples=False,
                tell=told.send,
                rates=UNLIMITED,
            )
        )
    except Problem as problem:  # the bus or the store is not there: the parent starts us again
        logging.error("the server does not start: %s", problem)
        sys.exit(2)
