"""Requests on the socket: one reply each, the same problems as REST, sends in order."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from greenroom.messaging.policy import BURST
from greenroom.safety.limits import Rate
from tests.socket.client import sending
from tests.socket.node import CAST, Node, serving
from tests.world import RATES, UNLIMITED

NOWHERE = "thr_01k75q8h3c9m2n4p6r8t0v2x4z"
NOTHING = "msg_01k75q8j5d7f9h1k3m5p7r9t1w"


@pytest.mark.both_loops
async def test_every_request_gets_exactly_one_reply(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    hello = (await node.history("ana", thread))[0]["messageId"]
    raw = await node.raw("ben")
    mine = {"threadId": thread, "messageId": hello}
    asked: list[dict[str, Any]] = [
        {"type": "send", **sending(thread, "Friday then")},
        {"type": "edit", **mine, "body": "not mine"},
        {"type": "delete", **mine},
        {"type": "react", **mine, "emoji": "👍"},
        {"type": "react", **mine, "emoji": "👍", "on": False},
        {"type": "delivered", "threadId": thread, "seq": 1},
        {"type": "read", "threadId": thread, "seq": 1},
        {"type": "resume", "cursor": "nonsense"},
        {"type": "history", "threadId": thread},
        {"type": "history", "threadId": thread, "before": hello, "after": hello},
        {"type": "ping"},
        {"type": "auth", "token": node.token("ben")},
        {"type": "nonsense"},
    ]
    for number, request in enumerate(asked, 1):
        raw.text(request | {"id": number})
    raw.text({"type": "typing", "threadId": thread})
    raw.text({"type": "focus", "threadIds": [thread]})
    answers: dict[int, Any] = {}
    while len(answers) < len(asked):
        frame = await raw.frame()
        if frame["type"] in ("ack", "problem"):
            assert frame["id"] not in answers
            answers[frame["id"]] = frame
    refused = [asked[number - 1]["type"] for number, a in answers.items() if a["type"] != "ack"]
    assert sorted(refused) == ["delete", "edit", "nonsense", "resume"]
    await node.quiet(1)
    raw.text({"type": "ping", "id": 99})
    rest = [frame async for frame in _until(raw, 99)]
    assert not [frame for frame in rest if frame["type"] in ("ack", "problem")]
    raw.abort()


async def _until(raw: Any, number: int) -> AsyncIterator[Any]:
    while (frame := await raw.frame()).get("id") != number:
        yield frame


class Case(NamedTuple):
    """The same result over REST and the socket."""

    kind: str
    fields: dict[str, Any]
    method: str
    path: str
    body: dict[str, Any] | None = None
    headers: dict[str, str] | None = None


def refusals(thread: str, theirs: str, mine: str) -> dict[str, Case]:
    at, messages = f"/threads/{thread}", f"/threads/{thread}/messages"
    empty, long = sending(thread, " ", "c-1"), sending(thread, "x" * 8001, "c-2")
    nowhere = sending(NOWHERE, "hello", "c-3")
    reply = sending(thread, "hello", "c-4") | {"replyToMessageId": NOTHING}
    reused = sending(thread, "something else", "first")
    misnamed = sending(thread, "hello", "not a name")

    def edit(message: str, **fields: Any) -> dict[str, Any]:
        return {"threadId": thread, "messageId": message, "body": "changed", **fields}

    def over_rest(body: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in body.items() if name != "threadId"}

    return {
        "thread-not-found": Case(
            "send", nowhere, "POST", f"/threads/{NOWHERE}/messages", over_rest(nowhere)
        ),
        "invalid-text": Case("send", empty, "POST", messages, over_rest(empty)),
        "invalid-text (long)": Case("send", long, "POST", messages, over_rest(long)),
        "invalid-text (name)": Case("send", misnamed, "POST", messages, over_rest(misnamed)),
        "message-not-found": Case("send", reply, "POST", messages, over_rest(reply)),
        "client-id-reused": Case("send", reused, "POST", messages, over_rest(reused)),
        "not-yours": Case("edit", edit(theirs), "PATCH", f"{messages}/{theirs}", {"body": "mine"}),
        "version-mismatch": Case(
            "edit",
            edit(mine, version=7),
            "PATCH",
            f"{messages}/{mine}",
            {"body": "changed"},
            {"If-Match": '"7"'},
        ),
        "message-not-found (edit)": Case(
            "edit", edit(NOTHING), "PATCH", f"{messages}/{NOTHING}", {"body": "changed"}
        ),
        "not-yours (delete)": Case(
            "delete",
            {"threadId": thread, "messageId": theirs},
            "DELETE",
            f"{messages}/{theirs}",
        ),
        "invalid-reaction": Case(
            "react",
            {"threadId": thread, "messageId": theirs, "emoji": "x"},
            "PUT",
            f"{messages}/{theirs}/reactions/x",
        ),
        "invalid-read-position": Case("read", {"threadId": thread, "seq": 99}, "PUT", f"{at}/read"),
        "invalid-read-position (delivered)": Case(
            "delivered", {"threadId": thread, "seq": 99}, "PUT", f"{at}/delivered"
        ),
        "thread-not-found (read)": Case(
            "read", {"threadId": NOWHERE, "seq": 0}, "PUT", f"/threads/{NOWHERE}/read"
        ),
        "invalid-cursor": Case("resume", {"cursor": "nonsense"}, "GET", "/sync?cursor=nonsense"),
    }


async def test_refusals_are_the_same_problems_as_over_rest(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    theirs = (await node.say("ben", thread, "from Ben"))["messageId"]
    mine = (await node.say("ana", thread, "from Ana", "first"))["messageId"]
    async with await node.connect("ana") as ana:
        for name, case in refusals(thread, theirs, mine).items():
            answer = await ana.ask(case.kind, **case.fields)
            body = case.body
            if case.kind in ("read", "delivered"):
                body = {"seq": case.fields["seq"]}
            _, document = await node.rest(
                "ana", case.method, case.path, body, **(case.headers or {})
            )
            assert answer["type"] == "problem", name
            assert answer["problem"] == document, name
            assert document["type"] == f"/problems/{name.partition(' ')[0]}"


async def test_rate_limits_are_the_same_problems_as_over_rest(tmp_path: Path) -> None:
    async with serving(tmp_path, rates=RATES) as node:
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        async with await node.connect("ana") as ana:
            texts = [f"message number {number}" for number in range(40)]
            answers = [await ana.begin("send", **sending(thread, text)) for text in texts]
            done = [await answer for answer in answers]
            refused = [answer["problem"] for answer in done if answer["type"] == "problem"]
            assert refused
            body = sending(thread, "once more")
            del body["threadId"]
            status, document = await node.rest("ana", "POST", f"/threads/{thread}/messages", body)
            assert status == 429
            assert refused[-1]["type"] == document["type"] == "/problems/too-many"
            assert refused[-1].keys() == document.keys()


@pytest.mark.both_loops
async def test_a_send_on_the_socket_and_a_post_are_the_same_message(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana:
        sent = (await ana.send(thread, "Is Friday free?", "c-1"))["message"]
        assert (await node.say("ana", thread, "Is Friday free?", "c-1")) == sent
        posted = await node.say("ana", thread, "Or Saturday?", "c-2")
        assert (await ana.send(thread, "Or Saturday?", "c-2"))["message"] == posted
        at_once = await asyncio.gather(
            ana.send(thread, "Or Sunday?", "c-3"), node.say("ana", thread, "Or Sunday?", "c-3")
        )
        assert at_once[0]["message"] == at_once[1]
    bodies = [message["body"] for message in await node.history("ben", thread)]
    assert bodies == ["hello", "Is Friday free?", "Or Saturday?", "Or Sunday?"]


async def test_a_held_message_is_acked_without_a_message(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    body = {"body": "I will kill you", "clientMessageId": "c-1"}
    status, posted = await node.rest("ana", "POST", f"/threads/{thread}/messages", body)
    assert (status, posted["status"]) == (202, "held")
    async with await node.connect("ana") as ana:
        ack = await ana.send(thread, "I will kill you", "c-1")
        assert (ack["type"], ack["status"]) == ("ack", "held")
        assert "message" not in ack


async def test_pipelined_sends_keep_their_order(any_node: Node) -> None:
    """Also those that take longer to process: a reply, and a mention."""
    node = any_node
    thread = await node.talk("ana", "ben")
    first = (await node.history("ana", thread))[0]["messageId"]
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        answers = []
        for number in range(50):
            request = sending(thread, f"number {number}" + " for @ben" * (number % 7 == 3))
            if number % 5 == 2:
                request["replyToMessageId"] = first
            answers.append(await ana.begin("send", **request))
        acks = [await answer for answer in answers]
        assert Counter(ack["type"] for ack in acks) == {"ack": 50}
        seqs = [ack["message"]["seq"] for ack in acks]
        assert seqs == sorted(seqs)
        told = [event for event in await ben.events_so_far() if event["type"] == "message.created"]
        assert [event["message"]["seq"] for event in told] == seqs


async def test_pipelined_sends_keep_their_order_while_a_limit_is_leased(tmp_path: Path) -> None:
    rate = Rate(most=10**6, window_ms=60_000, local_share=5, lease_size=3, lease_ms=10_000)
    async with serving(tmp_path, rates=UNLIMITED | {BURST: rate}) as node:
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        async with await node.connect("ana") as ana:
            answers = []
            for number in range(50):
                answers.append(await ana.begin("send", **sending(thread, f"number {number}")))
                await asyncio.sleep(0.001 * (number % 3))  # some arrive while others wait
            seqs = [(await answer)["message"]["seq"] for answer in answers]
            assert seqs == sorted(seqs)


async def test_sends_into_two_threads_do_not_wait_for_one_another(any_node: Node) -> None:
    node = any_node
    threads = [await node.talk("ana", "ben"), await node.talk("ana", "cleo")]
    async with await node.connect("ana") as ana:
        answers = [
            (thread, await ana.begin("send", **sending(thread, f"number {number}")))
            for number in range(10)
            for thread in threads
        ]
        for thread in threads:
            seqs = [(await answer)["message"]["seq"] for to, answer in answers if to == thread]
            assert seqs == sorted(seqs)
            assert len(seqs) == 10


async def test_a_page_is_the_same_over_rest_and_the_socket(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    ana, ben = await node.connect("ana"), await node.connect("ben")
    for number in range(12):
        await ana.ask("send", **sending(thread, f"number {number}"))
    middle = (await node.history("ben", thread))[6]["messageId"]
    alone = [{name: middle} for name in ("before", "after", "around")]
    for place in ({}, *alone, alone[0] | alone[1], alone[0] | alone[1] | alone[2]):
        query = "&".join(f"{name}={value}" for name, value in place.items())
        page = await node.call("ben", "GET", f"/threads/{thread}/messages?limit=4&{query}")
        answer = await ben.ask("history", threadId=thread, limit=4, **place)
        assert answer["page"] == page
        assert len(page["messages"]) == 4
    stranger = await node.connect("cleo")
    refused = await stranger.ask("history", threadId=thread)
    assert refused["problem"]["status"] == 404
