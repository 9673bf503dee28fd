"""A thread that is started many times at once with one key is one thread for every caller."""

import asyncio
import random

import pytest

from greenroom.messaging import Messaging, access, open as opening
from greenroom.messaging.models import Kind
from greenroom.messaging.start import Started, start
from greenroom.people.actor import Actor
from tests.messaging.world import MessagingWorld

AT_ONCE = 5
BURSTS = 40
SPREAD_S = 0.004
"""Starts them as requests arrive: some while another is being written."""


async def _start(
    messaging: Messaging, actor: Actor, asks: opening.Opening, key: str, after_s: float
) -> Started:
    await asyncio.sleep(after_s)
    started = await start(messaging, actor, asks, "Hello!", key=key)
    await access.thread(messaging, actor, started.thread.id)
    return started


@pytest.mark.parametrize("kind", [Kind.INQUIRY, Kind.DIRECT])
@pytest.mark.parametrize("known", [False, True], ids=["stranger", "known"])
async def test_the_same_start_many_times_at_once_gets_the_same_answer(
    unlimited_world: MessagingWorld, kind: Kind, known: bool
) -> None:
    ana, dice = await unlimited_world.person("ana"), random.Random(4)
    for n in range(BURSTS):
        other = await unlimited_world.person(f"other{n}")
        if known:
            await unlimited_world.inquiry("ana", f"other{n}")
        asks = opening.Opening(kind=kind, others=(opening.Invited(other.user),))
        answers = await asyncio.gather(
            *(
                _start(unlimited_world.messaging, ana, asks, f"k{n}", dice.uniform(0, SPREAD_S))
                for _ in range(AT_ONCE)
            )
        )
        assert len({answer.thread.id for answer in answers}) == 1
        assert sorted(answer.created for answer in answers) == [False] * (AT_ONCE - 1) + [True]
