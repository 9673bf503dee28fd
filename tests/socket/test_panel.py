"""The project panel over the socket: edits, their events, and where others are."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from greenroom.clock import ManualClock, iso
from tests.socket.client import Client
from tests.socket.node import CAST, Node, serving
from tests.socket.test_presence import focus, wait_for_requests
from tests.stores import IN_2100_MS

_SHOT = {"action": "add", "kind": "shot", "fields": {"title": "The gate"}}


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    """A node whose clock stands still."""
    async with serving(tmp_path, clock=ManualClock(IN_2100_MS)) as found:
        await found.join(*CAST)
        yield found


async def _booking(node: Node) -> str:
    new = {
        "kind": "booking",
        "role": "buyer",
        "participants": [{"userId": node.id("ben"), "role": "seller"}],
    }
    thread = (await node.call("ana", "POST", "/threads", new))["thread"]
    for request in (await node.call("ben", "GET", f"/threads/{thread['threadId']}"))["requests"]:
        await node.call("ben", "POST", f"/requests/{request['requestId']}/accept")
    return str(thread["threadId"])


async def _edit(client: Client, thread: str, client_id: str, edit: Any) -> dict[str, Any]:
    return await client.ask(
        "edit_panel", threadId=thread, tab="shotlist", clientId=client_id, edit=edit
    )


async def test_an_edit_is_acked_and_told_to_both_once(node: Node) -> None:
    thread = await _booking(node)
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        ack = await _edit(ana, thread, "e1", _SHOT)
        assert ack["type"] == "ack", ack
        for client in (ana, ben):
            told = await client.event("panel.updated")
            assert (told["tab"], told["version"], told["change"]) == ("shotlist", 1, ack["change"])
        assert (await _edit(ana, thread, "e1", _SHOT))["change"] == ack["change"]
        refused = await _edit(ben, thread, "e1", {"action": "remove", "objectId": "shot-9"})
        assert refused["problem"]["type"] == "/problems/panel-object-not-found"
        await wait_for_requests(node, ana, ben)
        assert await ben.events_so_far() == []
    await node.quiet()


async def test_viewers_see_where_others_are_in_the_panel(node: Node) -> None:
    thread = await _booking(node)
    place = {"tab": "shotlist", "objectId": "shot-1", "field": "title"}
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        for client in (ana, ben):
            await focus(node, client, thread)
            await client.events_so_far()
        before = node.written()
        await ana.say("focus_panel", threadId=thread, **place)
        assert await ben.event("panel.focused") == {
            "type": "panel.focused",
            "threadId": thread,
            "userId": node.id("ana"),
            **place,
            "until": iso(IN_2100_MS + 15_000),
        }
        assert node.written() == before, "nothing is stored"
        await ana.close()
        left = await ben.event("panel.focused")
        assert "tab" not in left
    await node.quiet()


async def test_outsiders_and_conversations_without_a_panel_are_refused(node: Node) -> None:
    thread, inquiry = await _booking(node), await node.talk("ana", "ben")
    async with await node.connect("cleo") as cleo, await node.connect("ana") as ana:
        for client, where, problem in (
            (cleo, thread, "thread-not-found"),
            (ana, inquiry, "no-panel"),
        ):
            refused = await _edit(client, where, "e1", _SHOT)
            assert refused["problem"]["type"] == f"/problems/{problem}"
            await client.say("focus_panel", threadId=where, tab="brief")
            assert (await client.event("problem"))["problem"]["type"] == f"/problems/{problem}"
    await node.quiet()
