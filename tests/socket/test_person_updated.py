"""Renames reach the person's own devices and the people in their conversations, nobody else."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.socket.client import Client
from tests.socket.node import CAST, Node

NAMES = (*CAST, "dora")
Received = dict[str, list[dict[str, Any]]]


async def _listening(node: Node, stack: AsyncExitStack) -> dict[str, Client]:
    return {name: await stack.enter_async_context(await node.connect(name)) for name in NAMES}


async def _received(clients: dict[str, Client]) -> Received:
    """The people whose renames each client received."""
    found: Received = {}
    for name, client in clients.items():
        for event in await client.events_so_far():
            if event["type"] == "person.updated":
                found.setdefault(name, []).append(event["person"])
    return found


async def _renamed(node: Node, clients: dict[str, Client], name: str, **names: str) -> Received:
    await _received(clients)
    await node.call(name, "PATCH", "/me", names or {"displayName": f"{name} renamed"})
    return await _received(clients)


@pytest.mark.parametrize(
    "names",
    [{"displayName": "A. N."}, {"username": "ana2"}, {"firstName": "Ana"}, {"lastName": "Nord"}],
)
async def test_everybody_in_a_conversation_receives_each_rename(
    node: Node, names: dict[str, str]
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        await node.talk("ana", "ben")
        received = await _renamed(node, clients, "ana", **names)
        assert received.keys() == {"ana", "ben"}
        page = await node.call("ben", "GET", f"/people?id={node.id('ana')}")
        assert received["ana"] == received["ben"] == page["people"]
        assert await _renamed(node, clients, "ana", **names) == {}, "nothing has changed"


async def test_a_group_receives_a_rename_once_and_removed_members_do_not(node: Node) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        thread = await node.group("ana", "ben", "cleo")
        await node.say("ana", thread, "hello all")
        received = await _renamed(node, clients, "ana")
        assert {name: len(people) for name, people in received.items()} == {
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
async def test_the_other_receives_renames_of_somebody_who_left_silently(
    node: Node, secret: Any
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        thread = await node.talk("ana", "ben")
        await secret(node, thread)
        assert (await _renamed(node, clients, "ben")).keys() == {"ana", "ben"}


@pytest.mark.parametrize(
    ("secret", "receives"),
    [(_leaves, False), (_blocks, False), (_leaves_and_declines, False), (_archives, True)],
)
async def test_somebody_who_left_receives_no_renames(
    node: Node, secret: Any, receives: bool
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        thread = await node.talk("ana", "ben")
        await secret(node, thread)
        received = await _renamed(node, clients, "ana")
        assert received.keys() == ({"ana", "ben"} if receives else {"ana"})


async def _asks(node: Node) -> str:
    """A request from Ana to Dora, a stranger."""
    thread = await node.open("ana", "dora")
    await node.say("ana", thread, "may I ask?")
    (request,) = (await node.call("ana", "GET", f"/threads/{thread}"))["requests"]
    return str(request["requestId"])


async def test_a_pending_request_shows_the_new_names(node: Node) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        await _asks(node)
        assert (await _renamed(node, clients, "ana")).keys() == {"ana", "dora"}


async def test_nobody_receives_renames_of_a_sender_before_the_first_message(node: Node) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        await node.open("ana", "dora")
        assert (await _renamed(node, clients, "ana")).keys() == {"ana"}


@pytest.mark.parametrize(
    ("who", "method", "path"),
    [
        ("dora", "POST", "/requests/{request}/decline"),
        ("dora", "POST", "/requests/{request}/block"),
        ("dora", "PUT", "/blocks/{ana}"),
        ("ana", "DELETE", "/requests/{request}"),
    ],
)
async def test_an_ended_request_sends_no_more_renames(
    node: Node, who: str, method: str, path: str
) -> None:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = await _listening(node, stack)
        request = await _asks(node)
        await node.call(who, method, path.format(request=request, ana=node.id("ana")))
        assert (await _renamed(node, clients, "ana")).keys() == {"ana"}


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
