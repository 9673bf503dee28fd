"""A node with leases that end soon, so that a test can wait for it."""

from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from greenroom.messaging import presence
from tests.torture.server import serve


def serve_briefly(given: Mapping[str, str], log: Path, told: "Connection[str, None]") -> None:
    presence.PRESENCE_MS = presence.TYPING_MS = 3_000
    serve(given, log, told)
