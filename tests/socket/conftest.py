"""`node`: a running server with three people. `serving` starts one with other options.

The tests run on uvloop, as the server does; those with `both_loops` on asyncio's own loop as well.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
import uvloop

from tests.socket.node import CAST, Node, serving

_UVLOOP = {"uvloop": uvloop.new_event_loop}
_BOTH = {**_UVLOOP, "asyncio": asyncio.new_event_loop}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "both_loops: runs on asyncio's own loop too")


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return _BOTH if item.get_closest_marker("both_loops") else _UVLOOP


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    async with serving(tmp_path) as found:
        await found.join(*CAST)
        yield found


@pytest.fixture(params=["sqlite", "dynamodb"])
async def any_node(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Node]:
    """A node on each store engine in turn."""
    url = request.getfixturevalue("dynamodb_url") if request.param == "dynamodb" else ""
    async with serving(tmp_path, dynamodb_url=url) as found:
        await found.join(*CAST)
        yield found
