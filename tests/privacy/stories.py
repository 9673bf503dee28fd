"""The scenarios that run twice, with and without a secret fact, and the facts.

Ana observes. She must not be able to tell any fact from nothing having happened.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from greenroom.files.models import FileState
from greenroom.ids import FileId, ThreadId, UserId
from greenroom.people import People
from greenroom.people.suspend import suspend
from tests.messaging.file_steps import announce, follow_files, ready_file, settle
from tests.privacy.world import PrivacyWorld

OTHERS = ("ben", "cleo", "dora", "emil")
Begin: TypeAlias = Callable[[PrivacyWorld], Awaitable[list[str]]]
Fact: TypeAlias = Callable[[PrivacyWorld, str, list[str]], Awaitable[None]]
"""Something that the named person does in these threads."""


async def known_pair(node: PrivacyWorld) -> list[str]:
    """An inquiry and a direct thread of Ana and Ben, who have written in both."""
    inquiry = await node.talk("ana", "ben")
    threads = [inquiry, await node.open_direct("ana", "ben")]
    for thread in threads:
        node.clock.advance(seconds=1)
        await node.say("ben", thread, "Good morning.")
        await node.say("ana", thread, "And to you.")
        await node.call("ben", "PUT", f"/threads/{thread}/read", {"seq": 2})
    return threads


async def asked_pair(node: PrivacyWorld) -> list[str]:
    """Ana has sent Ben, a stranger, a request."""
    thread = await node.open("ana", "ben")
    await node.say("ana", thread, "Hello Ben!")
    return [thread]


async def asked_group(node: PrivacyWorld) -> list[str]:
    """Ana has sent three strangers requests in one thread."""
    thread = await node.open("ana", "ben", "cleo", "dora", kind="group")
    await node.say("ana", thread, "Hello all!")
    return [thread]


async def known_group(node: PrivacyWorld) -> list[str]:
    thread = await node.group("ana", "ben", "cleo", "dora", kind="group")
    await node.say("ana", thread, "Hello all!")
    for name in ("ben", "cleo", "dora"):
        await node.call(name, "PUT", f"/threads/{thread}/read", {"seq": 1})
    return [thread]


async def nothing(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    pass


async def leaves(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    for thread in threads:
        await node.call(name, "DELETE", f"/threads/{thread}/participants/{node.id(name)}")


async def leaves_one(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await leaves(node, name, threads[-1:])


async def blocks(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await node.call(name, "PUT", f"/blocks/{node.id('ana')}")


async def blocks_from_thread(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await node.call(name, "PUT", f"/blocks/{node.id('ana')}?threadId={threads[0]}")


async def blocks_and_unblocks(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await blocks(node, name, threads)
    await node.call(name, "DELETE", f"/blocks/{node.id('ana')}")


async def leaves_and_returns(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await leaves_one(node, name, threads)
    await node.call(name, "PUT", f"/direct/{node.id('ana')}")


async def leaves_and_blocks(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await leaves(node, name, threads)
    await blocks(node, name, threads)


async def is_suspended(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await suspend(node.contexts[People], UserId(node.id(name)), None, "spam")


async def archives(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    for thread in threads:
        wish = {"archived": True, "mutedUntil": "2150-01-01T00:00:00Z", "pinned": True}
        await node.call(name, "PATCH", f"/threads/{thread}/mine", wish)


async def hides(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    for thread in threads:
        await node.call(name, "PATCH", f"/threads/{thread}/mine", {"hidden": True})


async def marks_spam(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await node.call(name, "PATCH", f"/threads/{threads[0]}/mine", {"spam": True})


async def reads(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    """Reading a request: its sender does not learn how far it was read."""
    await node.call(name, "PUT", f"/threads/{threads[0]}/read", {"seq": 1})


async def drafts(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await node.call(name, "PUT", f"/threads/{threads[0]}/draft", {"body": "I think"})


async def is_held(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    """Others do not see a message that is held for a moderator."""
    scam = "Please pay a deposit with a gift card, then wire the rest by western union"
    body = {"body": scam, "clientMessageId": "held"}
    sent = await node.call(name, "POST", f"/threads/{threads[0]}/messages", body)
    assert sent["status"] == "held"


async def picture_is_held(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    """It is like one that a moderator removed."""
    like = FileId("fil_01k75q8h4g8j0m2p4r6t8v0x2y")
    file = await ready_file(node, name, ThreadId(threads[0]), resembles=like)
    assert await _sends(node, name, threads[0], file) == "held"


async def picture_waits(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    """A message that waits for its file, and one whose file was refused meanwhile."""
    for state in (None, FileState.INFECTED):
        file = await announce(node, name, ThreadId(threads[0]))
        assert await _sends(node, name, threads[0], file) == "waiting"
        if state is not None:
            await settle(node, file, state)
    await follow_files(node)


async def _sends(node: PrivacyWorld, name: str, thread: str, file: FileId) -> str:
    body = {"clientMessageId": file, "attachments": [{"fileId": file}]}
    return str((await node.call(name, "POST", f"/threads/{thread}/messages", body))["status"])


async def _answer(node: PrivacyWorld, name: str, thread: str, way: str) -> None:
    [request] = (await node.call(name, "GET", f"/threads/{thread}"))["requests"]
    await node.call(name, "POST", f"/requests/{request['requestId']}/{way}")


async def declines(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await _answer(node, name, threads[0], "decline")


async def blocks_request(node: PrivacyWorld, name: str, threads: list[str]) -> None:
    await _answer(node, name, threads[0], "block")


_OWN: dict[str, Fact] = {
    "blocks": blocks,
    "blocks from the thread": blocks_from_thread,
    "is suspended": is_suspended,
    "archives": archives,
    "hides": hides,
}
_WAITING: dict[str, Fact] = _OWN | {
    "declines": declines,
    "blocks the request": blocks_request,
    "leaves": leaves,
    "marks as spam": marks_spam,
    "reads": reads,
}
STORIES: Mapping[str, tuple[Begin, tuple[str, ...], dict[str, Fact]]] = {
    "known pair": (
        known_pair,
        ("ben",),
        _OWN
        | {
            "leaves": leaves,
            "leaves one": leaves_one,
            "blocks and unblocks": blocks_and_unblocks,
            "leaves and returns": leaves_and_returns,
            "leaves and blocks": leaves_and_blocks,
            "drafts": drafts,
            "is held": is_held,
            "picture is held": picture_is_held,
            "picture waits": picture_waits,
        },
    ),
    "asked pair": (asked_pair, ("ben",), _WAITING),
    "asked group": (asked_group, ("ben", "cleo", "dora"), _WAITING),
    "known group": (
        known_group,
        ("cleo",),
        _OWN
        | {
            "drafts": drafts,
            "is held": is_held,
            "picture is held": picture_is_held,
            "picture waits": picture_waits,
        },
    ),
}
