"""Authentication on the socket: token in the first frame or the subprotocol, and its expiry."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from greenroom.api.auth import ACT_FOR
from greenroom.api.tokens import LEEWAY_SECONDS, MAX_TOKEN_LENGTH
from greenroom.api.ws.socket_server import Timeouts
from greenroom.api.ws.upgrade import MOST_BYTES_WAITING
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people import People
from greenroom.people.actor import Scope, system
from greenroom.people.suspend import suspend
from greenroom.safety import Safety
from greenroom.safety.reinstate import reinstate
from tests.socket.client import Client
from tests.socket.node import CAST, Node, held, serving
from tests.socket.raw_client import RawClient

NO_TOKEN, EXPIRED, SLOW = 4401, 4403, 4408


async def refused(client: Client, code: str, **auth: str) -> None:
    answer = await client.ask("auth", **auth)
    assert answer["type"] == "problem"
    assert answer["problem"]["type"] == f"/problems/{code}"
    assert await client.closed() == NO_TOKEN


@pytest.mark.both_loops
async def test_a_token_in_the_first_frame(node: Node) -> None:
    async with await node.connect() as client:
        ack = await client.ask("auth", token=node.token("ana"))
        assert ack["type"] == "ack"
        assert ack["userId"] == node.id("ana")
        assert ack["cursor"]
        assert ack["expiresAt"]


@pytest.mark.both_loops
async def test_a_token_in_the_subprotocol_and_a_request_at_once(node: Node) -> None:
    offered = ("greenroom.v1", f"bearer.{node.token('ana')}")
    async with await node.connect(protocols=offered) as client:
        assert client.socket.protocol == "greenroom.v1"
        assert (await client.ask("ping"))["type"] == "ack", "a request may be sent before the ack"
        hello = await client.event("ack")
        assert (hello["id"], hello["userId"]) == (0, node.id("ana"))


async def test_only_our_own_protocol_is_chosen(node: Node) -> None:
    for offered in ("greenroom.v1", f"soap, greenroom.v1, bearer.{node.token('ana')}"):
        raw = await node.raw(headers={"Sec-WebSocket-Protocol": offered})
        assert raw.headers["sec-websocket-protocol"] == "greenroom.v1"
        raw.abort()
    for offered in (f"bearer.{node.token('ana')}", "soap", ","):
        raw = await node.raw(headers={"Sec-WebSocket-Protocol": offered})
        assert "sec-websocket-protocol" not in raw.headers
        raw.abort()


async def test_a_wrong_token_in_the_subprotocol_is_refused(node: Node) -> None:
    for token in ("nonsense", "", "ünïcode"):
        raw = await node.raw(headers={"Sec-WebSocket-Protocol": f"greenroom.v1, bearer.{token}"})
        answer = await raw.answer(0)
        assert answer["problem"]["type"] == "/problems/invalid-token"
        assert await raw.closed() == (NO_TOKEN, "the token is not accepted")


async def test_the_longest_token_that_the_schema_allows_is_answered(node: Node) -> None:
    raw = await node.raw()
    raw.text({"type": "auth", "id": 1, "token": "x" * MAX_TOKEN_LENGTH, "actFor": "u" * 64})
    assert (await raw.answer(1))["problem"]["type"] == "/problems/invalid-token"
    assert MAX_TOKEN_LENGTH + 256 < MOST_BYTES_WAITING, "any valid first frame is read completely"


async def test_a_first_frame_that_is_too_large_is_refused_at_once(node: Node) -> None:
    raw = await node.raw()
    raw.text({"type": "auth", "id": 1, "token": "x" * 2 * MOST_BYTES_WAITING})
    code, reason = await raw.closed()
    assert (code, str(MOST_BYTES_WAITING) in reason) == (1009, True)


async def test_a_token_in_the_url_is_ignored(node: Node) -> None:
    token = node.token("ana")
    raw = await RawClient.connect(node.port, f"/v1/socket?token={token}&access_token={token}")
    raw.text({"type": "ping", "id": 1})
    assert (await raw.answer(1))["problem"]["type"] == "/problems/auth-required"
    raw.abort()


async def test_a_handshake_with_keep_alive_like_firefoxs_is_accepted(node: Node) -> None:
    raw = await node.raw("ana", headers={"Connection": "keep-alive, Upgrade"})
    raw.text({"type": "ping", "id": 1})
    assert (await raw.answer(1))["type"] == "ack"
    raw.abort()


async def test_a_wrong_token_is_refused(node: Node) -> None:
    await refused(await node.connect(), "invalid-token", token="nonsense")
    signed_by_another = node.token("ana")[:-4] + "aaaa"
    await refused(await node.connect(), "invalid-token", token=signed_by_another)


async def test_an_expired_token_is_refused(node: Node) -> None:
    old = node.token("ana", seconds=-LEEWAY_SECONDS - 1)
    await refused(await node.connect(), "token-expired", token=old)


async def test_a_token_without_an_account_is_refused(node: Node) -> None:
    await refused(await node.connect(), "no-account", token=node.token("usr_nobody"))


async def test_a_refusal_is_the_same_problem_as_over_rest(node: Node) -> None:
    client = await node.connect()
    token = node.token("usr_nobody")
    answer = await client.ask("auth", token=token)
    headers = {"Authorization": f"Bearer {token}"}
    async with node.http.get("/v1/inbox", headers=headers) as over_rest:
        assert answer["problem"] == await over_rest.json()
    await client.closed()


async def test_a_service_acts_for_a_user_and_never_for_itself(node: Node) -> None:
    service = node.token("shop", Scope.SERVICE)
    thread = await node.talk("ana", "ben")
    async with await node.connect() as client:
        ack = await client.ask("auth", token=service, actFor=node.id("ana"))
        assert ack["userId"] == node.id("ana")
        sent = await client.send(thread, "from the shop")
        assert sent["message"]["authorUserId"] == node.id("ana")
    await refused(await node.connect(), "not-allowed", token=service)
    nobody = {"token": service, "actFor": "usr_nobody"}
    await refused(await node.connect(), "no-account", **nobody)
    ana = {"token": node.token("ana"), "actFor": node.id("ben")}
    await refused(await node.connect(), "not-allowed", **ana)
    headers = {"Authorization": f"Bearer {service}"}
    async with node.http.get("/v1/inbox", headers=headers) as over_rest:
        assert over_rest.status == 403, "same as a service over REST"
    headers[ACT_FOR] = node.id("ana")
    async with node.http.get("/v1/inbox", headers=headers) as over_rest:
        assert over_rest.status == 200


async def test_a_request_before_the_token_is_refused_and_the_socket_stays(node: Node) -> None:
    async with await node.connect() as client:
        answer = await client.ask("ping")
        assert answer["problem"]["type"] == "/problems/auth-required"
        assert answer["problem"]["status"] == 401
        assert (await client.ask("auth", token=node.token("ana")))["type"] == "ack"
        assert (await client.ask("ping"))["type"] == "ack"


async def test_repeated_requests_without_a_token_close_the_socket(node: Node) -> None:
    async with await node.connect() as client:
        for _ in range(node.socket_server.most_invalid):
            await client.begin("ping")
        assert await client.closed() == 1008


async def test_requests_right_after_the_token_wait_for_it(node: Node) -> None:
    async with await node.connect() as client:
        answers = [await client.begin("auth", token=node.token("ana"))]
        answers += [await client.begin("ping") for _ in range(5)]
        assert [(await answer)["type"] for answer in answers] == ["ack"] * 6


async def test_requests_right_after_a_wrong_token_get_nothing(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect() as client:
        answer = await client.begin("auth", token="nonsense")
        await client.begin("send", threadId=thread, clientMessageId="c", body="hello")
        assert (await answer)["type"] == "problem"
        assert await client.closed() == NO_TOKEN
    assert len(await node.history("ana", thread)) == 1


async def test_a_token_is_renewed_in_place(node: Node) -> None:
    async with await node.connect("ana") as client:
        ack = await client.ask("auth", token=node.token("ana", seconds=7200))
        assert ack["type"] == "ack"
        assert ack["expiresAt"] > client.hello["expiresAt"]
        assert ack["cursor"]


async def test_another_users_token_on_the_same_socket_is_refused(node: Node) -> None:
    async with await node.connect("ana") as client:
        answer = await client.ask("auth", token=node.token("ben"))
        assert answer["problem"]["type"] == "/problems/auth-required"
        wrong = await client.ask("auth", token="nonsense")
        assert wrong["problem"]["type"] == "/problems/invalid-token"
        thread = await node.talk("ana", "cleo")
        sent = await client.send(thread, "still me")
        assert sent["message"]["authorUserId"] == node.id("ana")


async def test_of_two_users_tokens_sent_at_once_only_one_is_accepted(node: Node) -> None:
    async with await node.connect() as client:
        first = await client.begin("auth", token=node.token("ana"))
        second = await client.begin("auth", token=node.token("ben"))
        assert (await first)["userId"] == node.id("ana")
        assert (await second)["problem"]["type"] == "/problems/auth-required"


async def test_an_expiring_token_is_announced_and_then_closes_the_socket(node: Node) -> None:
    lasts = 1.5 - LEEWAY_SECONDS
    async with await node.connect() as client:
        await client.ask("auth", token=node.token("ana", seconds=lasts))
        warning = await client.event("token.expiring")
        assert warning["expiresAt"]
        assert (await client.ask("ping"))["type"] == "ack"
        last = await client.event("problem")
        assert last["problem"]["type"] == "/problems/token-expired"
        assert await client.closed() == EXPIRED
        assert not client.take(), "one warning"


async def test_a_token_renewed_in_time_keeps_the_socket_open(node: Node) -> None:
    lasts = 1.5 - LEEWAY_SECONDS
    async with await node.connect() as client:
        await client.ask("auth", token=node.token("ana", seconds=lasts))
        await client.event("token.expiring")
        renewed = await client.ask("auth", token=node.token("ana"))
        assert renewed["type"] == "ack"
        await asyncio.sleep(1.6)  # past the end of the first
        assert (await client.ask("ping"))["type"] == "ack"
        assert not client.take()


async def test_a_socket_without_a_token_is_closed(tmp_path: Path) -> None:
    async with serving(tmp_path, timeouts=Timeouts(first_frame=0.05)) as node:
        client = await node.connect()
        assert await client.closed() == SLOW
        await node.join("ana")
        async with await node.connect("ana") as ana:
            await asyncio.sleep(0.1)
            assert (await ana.ask("ping"))["type"] == "ack", "it is for the first frame only"


async def test_a_suspension_closes_an_open_socket(tmp_path: Path) -> None:
    async with serving(tmp_path, clock=ManualClock()) as node:
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        ben, silent = await node.connect("ben"), await node.connect("ben")
        await suspend(node.contexts[People], UserId(node.id("ben")), None, "for a test")
        held(node).advance(seconds=600)
        answer = await ben.send(thread, "let me in")
        assert answer["problem"]["type"] == "/problems/account-suspended"
        assert answer["problem"] == (await node.rest("ben", "GET", "/inbox"))[1]
        assert await ben.closed() == EXPIRED
        await node.socket_server.renew()
        told = await silent.event("problem")
        assert told["problem"] == answer["problem"]
        assert await silent.closed() == EXPIRED, "he receives no events either"
        await refused(await node.connect(), "account-suspended", token=node.token("ben"))
        await reinstate(node.contexts[Safety], system(), UserId(node.id("ben")))
        held(node).advance(seconds=5)
        async with await node.connect("ben") as again:
            assert (await again.send(thread, "thank you"))["type"] == "ack"


async def test_other_paths_refuse_the_handshake(node: Node) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
        await node.http.ws_connect("/v1/sockets")
    assert refusal.value.status == 404
