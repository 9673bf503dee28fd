"""A node on a simulated disk whose power is cut: acked messages must survive undamaged.

async with on_a_disk(folder) as fleet:
    await torture(fleet, cuts(seed, seconds=60, count=20), seed)
"""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.disk.disk import Disk, mounted
from tests.disk.media import Kept
from tests.torture.checks import history
from tests.torture.client import Client, Refused
from tests.torture.client_state import Message
from tests.torture.fleet import SECRET, Fleet, running
from tests.torture.node_process import NodeProcess, Serve
from tests.torture.plan import Incident, Step
from tests.torture.population import begin, gather
from tests.torture.server import serve


class Cut(Step, frozen=True):
    kept: Kept = Kept.NOTHING
    seed: str = ""


class PoweredFleet(Fleet):
    """A node and its disk."""

    def __init__(self, node: NodeProcess, disk: Disk, given: Mapping[str, str]) -> None:
        super().__init__([node], given=given)
        self.unsynced = 0
        """Bytes written but not synced at the moments of the cuts."""
        self._disk = disk

    async def apply(self, step: Step) -> None:
        assert isinstance(step, Cut)

        def cut() -> None:
            self.unsynced += self._disk.cut(step.kept, step.seed)

        await self.nodes[0].cut(cut, self._disk.power_on)


def cuts(seed: str, *, seconds: float, count: int) -> list[Step]:
    """Some cuts come while the node still starts after the one before."""
    chance = random.Random(seed)
    kinds = [*Kept] * (count // len(Kept) + 1)
    times = sorted(chance.uniform(0.5, seconds) for _ in range(count))
    return [
        Cut(at, Incident.KILL, kept=kept, seed=f"{seed} {number}")
        for number, (at, kept) in enumerate(zip(times, kinds, strict=False))
    ]


@asynccontextmanager
async def on_a_disk(folder: Path, *, serve: Serve = serve) -> AsyncIterator[PoweredFleet]:
    with mounted(folder) as disk:
        given = {"GREENROOM_DATA": str(disk.root / "data"), "GREENROOM_SECRET": SECRET}
        node = NodeProcess("node", folder, given, serve=serve)
        fleet = PoweredFleet(node, disk, given)
        async with running(fleet):
            yield fleet


async def losses(fleet: PoweredFleet, steps: Sequence[Step], seed: str) -> tuple[int, int]:
    """How many messages were acked, and how many of them are lost; nothing else is checked."""
    population = await gather(fleet.urls, seed)
    people = population.people.values()
    for person in people:
        person.client.start()
    for person in people:
        await person.client.live.wait()
    begin(population)
    try:
        for step in steps:
            await asyncio.sleep(1)
            await fleet.apply(step)
        await fleet.up()
    finally:
        for person in people:
            person.stop()
    try:
        stored = {
            message["messageId"]
            for thread in population.threads
            for message in await _stored(population.members(thread)[0].client, thread)
        }
    finally:
        for person in people:
            await person.client.stop()
    sendings = [sending for person in people for sending in person.sendings.values()]
    acked = {message for sending in sendings for message, _ in sending.acks}
    return len(acked), len(acked - stored)


async def _stored(client: Client, thread: str) -> list[Message]:
    try:
        return await history(client, thread)
    except Refused:
        return []  # the account itself was lost
