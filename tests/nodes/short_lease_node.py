"""A node with short leases and frequent heartbeats, so that tests need not wait long."""

from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from greenroom.messaging import presence
from greenroom.realtime.nats import peers
from tests.torture.server import serve


def serve_with_short_leases(
    given: Mapping[str, str], log: Path, told: "Connection[str, None]"
) -> None:
    presence.PRESENCE_MS = presence.TYPING_MS = 3_000
    peers.HERE_SECONDS = 0.2
    serve(given, log, told)
