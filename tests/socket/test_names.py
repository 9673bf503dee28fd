"""New names reach the person's own devices and the people in their conversations, nobody else."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.socket.client import Client
from tests.socket.node import CAST, Node

NAMES = (*CAST, "dora")
Told = dict[str, list[dict[str, Any]]]


async def _listening(node: Node, stack: AsyncExitStack) -> dict[str, Client]:
    return {name: await stack.enter_async_context(await node.connect(name)) for name in NAMES}


async def _told(clients: dict[str, Client]) -> Told:
    """The people that each was told of."""
    found: Told = {}
    for name, client in clients.items():
        for event in await client.told():
            if event["type"] == "person.updated":
                found.setdefault(name, []).append(event["person"])
    return found


async def _renamed(node: Node, clients: dict[str, Client], name: str, **names: str) -> Told:
    await _told(clients)
    await node.call(name, "PATCH", "/me", names or {"displayName": f"{name} renamed"})
    return await _told(clients)


@pytest.mark.parametrize(
    "names",
    [{"displayName": "A. N."}, {"username": "ana2"}, {"firstName": "Ana"}, {"lastName": "Nord"}],
)
async def test_everybody_in_a_conversation_is_told_of_each_name(
    node: Node, names: dict[str, str]
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        await node.talk("ana", "ben")
        told = await _renamed(node, clients, "ana", **names)
        assert told.keys() == {"ana", "ben"}
        page = await node.call("ben", "GET", f"/people?id={node.id('ana')}")
        assert told["ana"] == told["ben"] == page["people"]
        assert await _renamed(node, clients, "ana", **names) == {}, "nothing has changed"


async def test_a_group_is_told_once_and_nobody_who_was_removed(node: Node) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        thread = await node.group("ana", "ben", "cleo")
        await node.say("ana", thread, "hello all")
        told = await _renamed(node, clients, "ana")
        assert {name: len(people) for name, people in told.items()} == {
            "ana": 1,
            "ben": 1,
            "cleo": 1,
        }
        await node.call("ana", "DELETE", f"/threads/{thread}/participants/{node.id('cleo')}")
        assert (await _renamed(node, clients, "ben", firstName="B.")).keys() == {"ana", "ben"}
        assert (await _renamed(node, clients, "cleo", firstName="C.")).keys() == {"ana", "cleo"}


async def _leaves(node: Node, thread: str) -> None:
    await node.call("ben", "DELETE", f"/threads/{thread}/participants/{node.id('ben')}")


async def _blocks(node: Node, thread: str) -> None:
    await node.call("ben", "PUT", f"/blocks/{node.id('ana')}?threadId={thread}")


async def _leaves_and_declines(node: Node, thread: str) -> None:
    await _leaves(node, thread)
    await node.say("ana", thread, "are you there?")
    shown = await node.call("ben", "GET", f"/threads/{thread}")
    for request in shown["requests"]:
        await node.call("ben", "POST", f"/requests/{request['requestId']}/decline")


async def _archives(node: Node, thread: str) -> None:
    await node.call("ben", "PATCH", f"/threads/{thread}/mine", {"archived": True})


@pytest.mark.parametrize("secret", [_leaves, _blocks, _leaves_and_declines, _archives])
async def test_whoever_has_gone_in_secret_is_told_and_heard_of_as_before(
    node: Node, secret: Any
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        thread = await node.talk("ana", "ben")
        await secret(node, thread)
        assert (await _renamed(node, clients, "ben")).keys() == {"ana", "ben"}
        assert (await _renamed(node, clients, "ana")).keys() == {"ana", "ben"}


@pytest.mark.parametrize("answer", [None, "decline", "block"])
async def test_a_sender_cannot_tell_how_a_request_was_answered(
    node: Node, answer: str | None
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        thread = await node.open("dora", "ana")
        await node.say("dora", thread, "may I ask?")
        (request,) = (await node.call("ana", "GET", f"/threads/{thread}"))["requests"]
        if answer is not None:
            await node.call("ana", "POST", f"/requests/{request['requestId']}/{answer}")
        assert (await _renamed(node, clients, "ana")).keys() == {"ana"}
