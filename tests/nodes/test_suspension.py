"""A suspension on one node disconnects the user on all nodes at once. The clock is stopped, so that
no periodic check does it.
"""

import asyncio
from typing import Any

from greenroom.api.safety.events import ACCOUNTS
from greenroom.ids import UserId
from greenroom.people.actor import StaffRole, system
from greenroom.realtime.bus import ALL_NODES, BusMessage, Invalidated
from greenroom.safety import Safety
from greenroom.safety.grant import grant, revoke
from tests.nodes.cluster import Cluster
from tests.socket.node import Node

SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
EXPIRED = 4403


async def moderates(node: Node, method: str, path: str, body: object = None) -> Any:
    user = UserId(node.id("cleo"))
    await grant(node.contexts[Safety], system(), user, StaffRole.MODERATOR)
    status, answer = await node.rest("cleo", method, f"/moderation{path}", body)
    assert status < 400, answer
    return answer


async def suspends(node: Node) -> None:
    """Suspends the user of the only open case."""
    [case] = (await moderates(node, "GET", "/queue"))["cases"]
    place = f"/cases/{case['caseId']}"
    claimed = await moderates(node, "POST", f"{place}/claim")
    decision = {"decision": "suspend", "version": claimed["version"], "forGood": True}
    await moderates(node, "POST", f"{place}/decide", decision)


async def test_a_suspension_on_one_node_disconnects_the_user_on_all(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await two.connect("ana") as ana:
        phone, tablet, laptop = [await node.connect("ben") for node in (one, two, two)]
        await two.socket_server.hub.bus.ready()
        assert (await phone.send(thread, SCAM))["status"] == "held"
        await suspends(one)
        for device in (phone, tablet, laptop):
            told = await device.event("problem")
            assert told["problem"]["type"] == "/problems/account-suspended"
            assert await device.closed() == EXPIRED
        status, _ = await two.rest("ben", "GET", "/inbox")
        assert status == 403, "he cannot use REST either"
        assert (await ana.send(thread, "are you there?"))["type"] == "ack", "nobody else is"


async def test_a_false_suspension_message_disconnects_nobody(cluster: Cluster) -> None:
    node = await cluster.node()
    async with await node.connect("ben") as ben:
        for key in (node.id("ben"), "nonsense"):
            changed = BusMessage("account.changed", invalidates=(Invalidated(ACCOUNTS, key),))
            node.socket_server.hub.bus.publish((ALL_NODES,), changed)
        assert await ben.events_so_far() == []
        assert (await node.rest("ben", "GET", "/inbox"))[0] == 200
        assert (await ben.ask("ping"))["type"] == "ack"


async def test_a_reinstated_person_is_let_in_by_every_node(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await two.connect("ben") as ben:
        assert (await ben.send(thread, SCAM))["status"] == "held"
        await suspends(one)
        assert await ben.closed() == EXPIRED
    assert (await two.rest("ben", "GET", "/inbox"))[0] == 403
    await moderates(one, "POST", f"/people/{one.id('ben')}/reinstate", {"reason": "Sorry."})
    await two.socket_server.hub.bus.ready()
    for node in (one, two):
        async with asyncio.timeout(5):
            while (await node.rest("ben", "GET", "/inbox"))[0] != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    async with await two.connect("ben") as again:
        assert (await again.ask("ping"))["type"] == "ack", "the clock has not moved"
    notices = (await two.rest("ben", "GET", "/me/notices"))[1]["notices"]
    assert {"reinstated", "suspended"} <= {notice["kind"] for notice in notices}


async def test_a_role_that_is_revoked_on_one_node_is_gone_on_all(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    user = UserId(one.id("cleo"))
    await grant(one.contexts[Safety], system(), user, StaffRole.ADMIN)
    assert (await two.rest("cleo", "GET", "/moderation/queue"))[0] == 200
    await revoke(one.contexts[Safety], system(), user)
    for node in (one, two):
        async with asyncio.timeout(5):
            while (await node.rest("cleo", "GET", "/moderation/queue"))[0] != 403:  # noqa: ASYNC110
                await asyncio.sleep(0.02)


async def test_the_sender_gets_the_outcome_of_a_held_message_over_the_socket(
    cluster: Cluster,
) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await two.connect("ben") as ben, await two.connect("ana") as ana:
        assert (await ben.send(thread, SCAM, "c9"))["status"] == "held"
        [case] = (await moderates(one, "GET", "/queue"))["cases"]
        place = f"/cases/{case['caseId']}"
        claimed = await moderates(one, "POST", f"{place}/claim")
        decision = {"decision": "warn", "version": claimed["version"], "reason": "Not here."}
        await moderates(one, "POST", f"{place}/decide", decision)
        told = (await ben.event("notice.created"))["notice"]
        assert (told["kind"], told["clientMessageId"]) == ("warned", "c9")
        assert told["reason"] == "Not here."
        again = await ben.send(thread, SCAM, "c9")
        assert (again["status"], again["warned"]) == ("rejected", True)
        notice_id = told["noticeId"]
        await one.call("ben", "POST", f"/me/notices/{notice_id}/acknowledge")
        assert (await ben.event("notice.acknowledged"))["noticeId"] == notice_id
        assert all(not event["type"].startswith("notice.") for event in await ana.events_so_far())
