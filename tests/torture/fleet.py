"""The nodes under test: one on an SQLite file, or several on DynamoDB and NATS.

async with on_sqlite(folder) as fleet, on_dynamodb(folder, url, nodes=3, seed="7") as fleet:
    await fleet.apply(step)
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import jwt

from greenroom import app
from greenroom.clock import SystemClock
from greenroom.store.dynamo import DynamoStore
from scripts.engines.faketime import FakeClock
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.torture.bus import Bus
from tests.torture.faulty_store import FaultyStore
from tests.torture.node_process import NodeProcess, Serve
from tests.torture.plan import Incident, Step
from tests.torture.server import serve

SECRET = "a secret that only the torturer has"
_FAR_FUTURE = 4_102_444_800


class Fleet:
    def __init__(
        self,
        nodes: list[NodeProcess],
        bus: Bus | None = None,
        faulty_store: FaultyStore | None = None,
        clock: FakeClock | None = None,
        *,
        given: Mapping[str, str],
    ) -> None:
        """`given` are the settings with which the store is opened as it is, without faults."""
        self.nodes = nodes
        self.given = given
        self.pauses = 0
        self.jumps = 0
        self.clock = clock
        self._bus = bus
        self._faulty_store = faulty_store

    def urls(self) -> list[str]:
        return [node.url for node in self.nodes if node.url is not None]

    async def start(self) -> None:
        for node in self.nodes:
            node.start()
        await self.up()

    async def up(self) -> None:
        await asyncio.gather(*(node.up() for node in self.nodes))

    async def apply(self, step: Step) -> None:
        node = self.nodes[step.node]
        match step.incident:
            case Incident.KILL:
                await node.kill()
            case Incident.KILL_TWICE:
                await node.kill()
                await asyncio.sleep(step.seconds)
                await node.kill(young=True)
            case Incident.KILL_FROZEN:
                await node.kill(frozen_seconds=step.seconds)
            case Incident.PAUSE:
                self.pauses += 1
                await node.pause(step.seconds)
            case Incident.BUS_RESTART if self._bus is not None:
                await self._bus.restart(step.seconds)
            case Incident.BUS_PAUSE if self._bus is not None:
                await self._bus.pause(step.seconds)
            case Incident.CLOCK if self.clock is not None:
                self.jumps += 1
                self.clock.set(step.offset)
                await asyncio.sleep(step.seconds)
                self.clock.set("+0")
            case Incident.STORE_FAULTS if self._faulty_store is not None:
                self._faulty_store.fault_mode = step.fault_mode
                await asyncio.sleep(step.seconds)
                if self._faulty_store.fault_mode is step.fault_mode:
                    self._faulty_store.fault_mode = None

    async def stop(self) -> list[int | None]:
        return await asyncio.gather(*(node.stop() for node in self.nodes))

    def up_ms(self, since_ms: int, until_ms: int) -> int:
        """For how much of this time at least one node was up; once they have stopped."""
        total, end = 0.0, since_ms / 1000
        for up, down in sorted(time for node in self.nodes for time in node.up_times):
            begin, end_of_it = max(up, end), min(down, until_ms / 1000)
            if end_of_it > begin:
                total, end = total + end_of_it - begin, end_of_it
        return round(1000 * total)

    @property
    def bus_restarts(self) -> int:
        return 0 if self._bus is None else self._bus.restarts

    @property
    def store_fails(self) -> bool:
        return self._faulty_store is not None

    @property
    def faults(self) -> int:
        return 0 if self._faulty_store is None else self._faulty_store.faults


@asynccontextmanager
async def on_sqlite(folder: Path, clock: FakeClock | None = None) -> AsyncIterator[Fleet]:
    given = {"GREENROOM_DATA": str(folder), "GREENROOM_SECRET": SECRET}
    node = NodeProcess("node", folder, given)
    async with running(Fleet([node], clock=clock, given=given)) as fleet:
        yield fleet


@asynccontextmanager
async def on_dynamodb(
    folder: Path, url: str, *, nodes: int, seed: str, serve: Serve = serve
) -> AsyncIterator[Fleet]:
    """`url` names a running DynamoDB Local; the tables have a prefix of their own."""
    prefix = f"torture-{secrets.token_hex(6)}-"
    await _make_tables(f"{url}&prefix={prefix}")
    faulty_store, bus = FaultyStore(f"{seed} weather"), Bus()
    try:
        async with fault_proxy(f"http://{urlsplit(url).netloc}") as (proxy, address):
            proxy.otherwise = faulty_store.fault
            given = {
                "GREENROOM_SECRET": SECRET,
                "GREENROOM_DATA": str(folder),
                "GREENROOM_STORE": f"dynamodb+http://{address}?region=local&prefix={prefix}",
                "GREENROOM_BUS": bus.url,
            }
            names = [f"node{number}" for number in range(1, nodes + 1)]
            some = [NodeProcess(name, folder, given, serve=serve) for name in names]
            direct = given | {"GREENROOM_STORE": f"{url}&prefix={prefix}"}
            some_fleet = Fleet(some, bus, faulty_store, given=direct)
            async with running(some_fleet) as fleet, _forgetful(proxy):
                yield fleet
    finally:
        bus.close()


@asynccontextmanager
async def running(fleet: Fleet) -> AsyncIterator[Fleet]:
    try:
        await fleet.start()
        yield fleet
    finally:
        await fleet.stop()


@asynccontextmanager
async def _forgetful(proxy: FaultProxy) -> AsyncIterator[None]:
    """Clears the proxy's log of requests, which would grow too large here."""

    async def forget() -> None:
        while True:
            await asyncio.sleep(1)
            proxy.sent.clear()

    task = asyncio.create_task(forget())
    try:
        yield
    finally:
        task.cancel()


async def _make_tables(url: str) -> None:
    store = await DynamoStore.open(
        url, app.TABLES, clock=SystemClock(), cursor_secret=SECRET.encode(), create=True
    )
    await store.close()


def token(user: str) -> str:
    return jwt.encode({"sub": user, "exp": _FAR_FUTURE, "scope": "user"}, SECRET, "HS256")
