"""Who gets the event of a rename depends on who wrote last, not on private changes.

Ben has more threads than a rename is announced in, and has just pinned most of them.
"""

from pathlib import Path

import pytest

from greenroom.messaging.rename_person import MOST_THREADS
from tests.privacy.stories import (
    Fact,
    archives,
    blocks,
    drafts,
    hides,
    leaves,
    marks_spam,
    nothing,
)
from tests.privacy.world import PrivacyWorld, privacy_world
from tests.stores import SQLITE


async def _pins(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    for thread in threads:
        await node.call(name, "PATCH", f"/threads/{thread}/mine", {"pinned": True})


FACTS: dict[str, Fact] = {
    "nothing": nothing,
    "archives": archives,
    "hides": hides,
    "marks as spam": marks_spam,
    "pins": _pins,
    "drafts": drafts,
    "leaves": leaves,
    "blocks": blocks,
}


async def _others(node: PrivacyWorld) -> list[str]:
    threads = []
    for number in range(MOST_THREADS + 2):
        await node.join(f"guest{number}")
        node.clock.advance(seconds=1)
        threads.append(await node.talk(f"guest{number}", "ben"))
    return threads


async def _heard(node: PrivacyWorld, thread: str, others: list[str], fact: Fact) -> list[str]:
    """The events that Ana gets of Ben's rename, after he has pinned the others and done this."""
    node.clock.advance(seconds=1)
    await _pins(node, "ben", others)
    node.clock.advance(seconds=1)
    await fact(node, "ben", [thread])
    events = node.listen("ana")
    node.clock.advance(seconds=1)
    await node.call("ben", "PATCH", "/me", {"displayName": "Benjamin"})
    return [event["type"] for event in events.take()]


@pytest.mark.parametrize("fact", list(FACTS))
async def test_the_latest_thread_gets_the_event(tmp_path: Path, fact: str) -> None:
    async with privacy_world(f"{SQLITE}{tmp_path}/x.db") as node:
        await node.join("ana")
        await node.join("ben")
        others = await _others(node)
        node.clock.advance(seconds=1)
        thread = await node.talk("ana", "ben")
        assert await _heard(node, thread, others, FACTS[fact]) == ["person.updated"]


@pytest.mark.parametrize("fact", list(FACTS))
async def test_an_old_thread_does_not_get_the_event(tmp_path: Path, fact: str) -> None:
    async with privacy_world(f"{SQLITE}{tmp_path}/x.db") as node:
        await node.join("ana")
        await node.join("ben")
        thread = await node.talk("ana", "ben")
        others = await _others(node)
        assert await _heard(node, thread, others, FACTS[fact]) == []
