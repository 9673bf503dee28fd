"""A backup that is taken while people make deals is restored into a folder that is sound."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from greenroom.app import REGISTRY, TABLES
from greenroom.audit_commands import verified
from greenroom.backup import backup
from greenroom.bookings.models import CardState
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.clock import SystemClock
from greenroom.messaging.inbox import inbox
from greenroom.open_sql import opened_sql
from greenroom.open_store import opened
from greenroom.people.actor import Actor
from greenroom.restore import heal, restore
from greenroom.settings import Settings
from tests.cards.world import OK, CardWorld
from tests.world import UNLIMITED


async def test_a_restored_folder_has_every_deal_and_adds_up(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    async with world_in(settings, {}) as world:
        await world.person("ana")
        await world.person("ben")
        dealt = asyncio.Event()
        dealing = asyncio.create_task(keep_dealing(world, dealt))
        await asyncio.wait_for(dealt.wait(), 60)
        await asyncio.to_thread(backup, settings, tmp_path / "copy")
        await asyncio.sleep(0.2)
        dealing.cancel()
        await asyncio.gather(dealing, return_exceptions=True)
        actors = world.actors

    copy = Settings(data=tmp_path / "restored")
    restore(copy, tmp_path / "copy")
    await heal(copy)
    checked = await verified(copy)
    assert checked.faults == ()
    assert checked.groups >= 1
    async with world_in(copy, actors) as restored:
        page = await inbox(restored.messaging, restored.actors["ana"])
        assert page.rows
        for row in page.rows:
            log = await restored.log("ana", row.thread.id)
            booking = await booking_of_thread(restored.bookings, row.thread.id)
            events = [one.event for one in log]
            assert ("card.applied" in events) == bool(booking and booking.legs)


async def keep_dealing(world: CardWorld, dealt: asyncio.Event) -> None:
    for _ in count():
        thread = await world.inquiry()
        offered = await world.propose("ben", thread.id, world.offer())
        accepted = await world.answer("ana", offered, "accept", pays=OK)
        assert accepted.state is CardState.APPLIED
        dealt.set()


@asynccontextmanager
async def world_in(settings: Settings, actors: dict[str, Actor]) -> AsyncIterator[CardWorld]:
    clock = SystemClock()
    async with (
        opened(settings, clock, create_tables=True, tables=TABLES) as store,
        opened_sql(settings, create_tables=True, schemas=REGISTRY.sql_schemas) as sql,
    ):
        yield CardWorld.over(store, clock, UNLIMITED, sql=sql, actors=dict(actors))  # type: ignore[arg-type]
