"""A service confirms a booking with pending, declined or blocked requests."""

from pathlib import Path
from typing import Any

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging import Messaging
from greenroom.messaging.rules import MAX_PARTICIPANTS, known_gates
from greenroom.messaging.set_status import write_accepted
from tests.privacy.world import PrivacyWorld, privacy_world
from tests.stores import SQLITE

_AT_FIRST = 60


async def _asked(node: PrivacyWorld, count: int) -> tuple[str, list[str]]:
    """Ana has sent requests to `count` strangers in one thread."""
    names = [f"p{number}" for number in range(count)]
    for name in ("ana", *names):
        await node.join(name)
    thread = await node.open("ana", *names[:_AT_FIRST], kind="group")
    await node.say("ana", thread, "Hello all!")
    for name in names[_AT_FIRST:]:
        person = {"userId": node.id(name), "role": "seller"}
        await node.call("ana", "POST", f"/threads/{thread}/participants", person)
    return thread, names


async def _request(node: PrivacyWorld, name: str, thread: str) -> str:
    found = (await node.call(name, "GET", f"/threads/{thread}"))["requests"]
    return str(found[0]["requestId"])


async def _inbox(node: PrivacyWorld, name: str, folder: str = "all") -> list[Any]:
    return list((await node.call(name, "GET", f"/inbox?folder={folder}"))["threads"])


@pytest.mark.parametrize("engine", ["sqlite", "dynamodb"])
async def test_every_request_of_the_largest_thread_is_accepted(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str
) -> None:
    sqlite = f"{SQLITE}{tmp_path}/large.db"
    url = sqlite if engine == "sqlite" else request.getfixturevalue("dynamodb_url")
    async with privacy_world(url) as node:
        thread, names = await _asked(node, MAX_PARTICIPANTS - 1)
        await node.confirm(thread)
        assert (await node.call("ana", "GET", f"/threads/{thread}"))["requests"] == []
        for name in (names[0], names[-1]):
            assert len(await _inbox(node, name)) == 1
            assert await _inbox(node, name, "requests") == []
            await node.say(name, thread, "Here I am.")


@pytest.mark.parametrize("way", ["decline", "block"])
async def test_people_who_rejected_a_request_get_nothing_and_nobody_sees_it(
    tmp_path: Path, way: str
) -> None:
    async with privacy_world(f"{SQLITE}{tmp_path}/one.db") as node:
        thread, [ben, cleo, dora] = await _asked(node, 3)
        await node.accept(ben, thread)
        place = f"/requests/{await _request(node, cleo, thread)}/{way}"
        await node.call(cleo, "POST", place)
        ears = node.listen(cleo)
        await node.confirm(thread)
        await node.say("ana", thread, "See you on Friday.")
        for name in ("ana", ben, dora):
            shown = await node.call(name, "GET", f"/threads/{thread}")
            assert shown["requests"] == []
        assert (await node.call("ana", "GET", "/requests/sent"))["requests"] == []
        assert ears.take() == []
        assert await _inbox(node, cleo) == await _inbox(node, cleo, "requests") == []
        assert (await node.ask(cleo, "GET", f"/v1/threads/{thread}/messages")).status_code == 404
        await node.call(cleo, "POST", place)


@pytest.mark.parametrize("heals", ["confirm", "accept", "decline"])
async def test_an_interrupted_confirmation_can_be_repeated(tmp_path: Path, heals: str) -> None:
    async with privacy_world(f"{SQLITE}{tmp_path}/half.db") as node:
        thread, [ben, cleo] = await _asked(node, 2)
        messaging = node.contexts[Messaging]
        head = await messaging.thread_cache.read(ThreadId(thread))
        assert head is not None
        await write_accepted(messaging, head.id, known_gates(head))
        if heals != "confirm":
            place = f"/requests/{await _request(node, ben, thread)}/{heals}"
            await node.call(ben, "POST", place)
        await node.confirm(thread)
        assert (await node.call("ana", "GET", f"/threads/{thread}"))["requests"] == []
        assert len(await _inbox(node, ben)) == (heals != "decline")
        assert len(await _inbox(node, cleo)) == 1
