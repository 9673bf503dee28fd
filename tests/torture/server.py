"""A node to be tortured: the server as it is, but for the limits on how often somebody may write.

It is forked from a process that has imported everything already, so that it is back at once; and it
ends with that one, which ends with whoever started it.
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
from greenroom import app, settings
from greenroom.errors import Problem
from greenroom.realtime.nats import peers
from greenroom.store.sqlite import schema

_DIE_WITH_PARENT = 1


def serve_with_fast_peer_timeout(
    given: Mapping[str, str], log: Path, told: "Connection[str, None]"
) -> None:
    """Where it is noticed sooner that another node is dead: for those who have not much time. No
    pause of the plan is as long."""
    peers.HERE_SECONDS, peers.SILENT_SECONDS = 1.0, 5.0
    serve(given, log, told)


def serve_without_fsync(given: Mapping[str, str], log: Path, told: "Connection[str, None]") -> None:
    """Acknowledges before it is on the disk: for those who look whether that is noticed."""
    schema.SYNCHRONOUS = "NORMAL"
    serve(given, log, told)


def serve(given: Mapping[str, str], log: Path, told: "Connection[str, None]") -> None:
    """With these settings; `told` is told the address."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True)
    try:
        uvloop.run(
            app.serve(
                settings.read_settings(given),
                create_tables=False,
                samples=False,
                tell=told.send,
                rates=UNLIMITED,
            )
        )
    except Problem as problem:  # the bus or the store is not there: whoever keeps us tries again
        logging.error("it does not start: %s", problem)
        sys.exit(2)
