import json
import sys
from pathlib import Path

from bench.sockets_load import FRAME, FRAME_BYTES, connected, measured
from bench.sockets_server import PICOWS
from scripts.engines.process import launch


def test_the_frame_is_json_of_a_hundred_and_twenty_bytes() -> None:
    assert len(FRAME) == FRAME_BYTES
    assert json.loads(FRAME)["type"] == "send"


async def test_our_own_way_in_echoes_as_many_as_are_under_way(tmp_path: Path) -> None:
    engine = launch(
        "sockets-test",
        lambda port: (
            *(sys.executable, "-m", "bench.sockets_server"),
            *(PICOWS, str(port), str(tmp_path)),
        ),
        url="ws://127.0.0.1:{port}/v1/socket",
    )
    try:
        connections = await connected(engine.url, 2)
        found = await measured(connections, engine.process.pid, 4, 0.2)
        assert found.per_s > 100
        assert 0 < found.p50 <= found.p99
        for connection in connections:
            connection.close()
    finally:
        engine.stop()
