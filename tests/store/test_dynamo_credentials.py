"""The DynamoDB engine with credentials from a container's metadata service."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiodynamo.credentials import ContainerMetadataCredentials
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

from greenroom.store.dynamo import RetryPolicy
from greenroom.store.dynamo.endpoint import Endpoint
from greenroom.store.dynamo.sender import Repeat, RequestSender
from greenroom.store.problems import OutcomeUnknown, StoreUnavailable
from tests.fault_proxy import Answer, FaultProxy, always, dropped, fault_proxy, refusal
from tests.socket.node import until


class Machine:
    """A metadata service that returns a new key each time, or fails."""

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False
        self.let = asyncio.Event()
        self.let.set()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        self.asked += 1
        await self.let.wait()
        if self.fails:
            return web.Response(status=500)
        return web.json_response(
            {
                "AccessKeyId": f"key{self.asked}",
                "SecretAccessKey": "secret",
                "Token": f"session{self.asked}",
                "Expiration": "2100-01-01T00:00:00Z",
            }
        )


@pytest.fixture
async def machine() -> AsyncIterator[tuple[Machine, ContainerMetadataCredentials]]:
    machine = Machine()
    app = web.Application()
    app.router.add_get("/credentials", machine.handle)
    async with TestServer(app) as server:
        uri = URL(str(server.make_url("/credentials")))
        yield machine, ContainerMetadataCredentials(relative_uri=None, full_uri=uri)


@pytest.fixture
async def behind(
    machine: tuple[Machine, ContainerMetadataCredentials],
) -> AsyncIterator[tuple[Machine, FaultProxy, RequestSender]]:
    """The metadata service, a DynamoDB that accepts everything, and a sender that uses both."""
    giver, credentials = machine
    async with fault_proxy("http://127.0.0.1:9/") as (proxy, place):
        proxy.otherwise = always((200, {}))
        endpoint = f"http://{place}/"
        retry = RetryPolicy(attempts=3, first_delay=0.01)
        sender = RequestSender(Endpoint(endpoint, endpoint, "local", "", credentials), retry)
        yield giver, proxy, sender
        await sender.close()


async def test_a_key_of_the_machine_signs_until_it_is_refused(
    behind: tuple[Machine, FaultProxy, RequestSender],
) -> None:
    giver, proxy, sender = behind
    for _ in range(2):
        await sender.send("GetItem", {})
    assert giver.asked == 1
    assert proxy.headers["x-amz-security-token"] == "session1"
    assert "Credential=key1/" in proxy.headers["Authorization"]
    proxy.on("GetItem", always(refusal("ExpiredTokenException")))
    await sender.send("GetItem", {})
    assert giver.asked == 2
    assert proxy.headers["x-amz-security-token"] == "session2"
    assert "Credential=key2/" in proxy.headers["Authorization"]
    await sender.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await sender.send("GetItem", {})


async def test_without_credentials_the_store_is_unavailable(
    behind: tuple[Machine, FaultProxy, RequestSender],
) -> None:
    giver, proxy, sender = behind
    giver.fails = True
    with pytest.raises(StoreUnavailable, match="no AWS credentials"):
        await sender.send("PutItem", {}, Repeat.SAFE)
    assert proxy.sent == []
    giver.fails = False
    await sender.send("PutItem", {}, Repeat.SAFE)


async def test_missing_credentials_after_a_lost_response_leave_the_outcome_unknown(
    behind: tuple[Machine, FaultProxy, RequestSender],
) -> None:
    giver, proxy, sender = behind
    await sender.send("GetItem", {})
    giver.fails = True
    proxy.on("PutItem", dropped, always(refusal("ExpiredTokenException")))
    with pytest.raises(OutcomeUnknown, match="no AWS credentials"):
        await sender.send("PutItem", {}, Repeat.SAFE)
    assert proxy.sent == ["GetItem", "PutItem", "PutItem"]


async def test_cancelling_a_request_leaves_the_key_to_the_others(
    behind: tuple[Machine, FaultProxy, RequestSender],
) -> None:
    giver, proxy, sender = behind
    giver.let.clear()
    gone, *others = [asyncio.create_task(sender.send("GetItem", {})) for _ in range(4)]
    await until(lambda: giver.asked == 1)
    gone.cancel()
    await asyncio.wait([gone])
    giver.let.set()
    assert await asyncio.gather(*others) == [{}, {}, {}]
    assert gone.cancelled()
    assert (giver.asked, len(proxy.sent)) == (1, 3)


async def test_refused_requests_share_one_credentials_renewal(
    behind: tuple[Machine, FaultProxy, RequestSender],
) -> None:
    giver, proxy, sender = behind
    await sender.send("GetItem", {})
    late = asyncio.Event()

    async def refused_late(*_: object) -> Answer:
        await late.wait()
        return refusal("ExpiredTokenException")

    proxy.on("GetItem", always(refusal("ExpiredTokenException")), refused_late)
    requests = [asyncio.create_task(sender.send("GetItem", {})) for _ in range(2)]
    await asyncio.wait(requests, return_when=asyncio.FIRST_COMPLETED)
    late.set()
    assert await asyncio.gather(*requests) == [{}, {}]
    assert giver.asked == 2


async def test_closing_ends_requests_that_wait_for_credentials(
    behind: tuple[Machine, FaultProxy, RequestSender],
) -> None:
    giver, _, sender = behind
    giver.let.clear()
    waiting = asyncio.create_task(sender.send("GetItem", {}))
    await until(lambda: giver.asked == 1)
    async with asyncio.timeout(5):
        await sender.close()
        for request in (waiting, sender.send("GetItem", {})):
            with pytest.raises(StoreUnavailable, match="closed"):
                await request
    giver.let.set()
