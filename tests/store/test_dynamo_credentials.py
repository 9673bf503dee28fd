"""The DynamoDB engine with the credentials of a container, which the machine gives over HTTP."""

from collections.abc import AsyncIterator

import pytest
from aiodynamo.credentials import ContainerMetadataCredentials
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

from greenroom.store.dynamo import Retry
from greenroom.store.dynamo.address import Address
from greenroom.store.dynamo.wire import Wire
from greenroom.store.problems import StoreUnavailable
from tests.fault_proxy import always, fault_proxy, refusal


class Machine:
    """Gives another key each time."""

    def __init__(self) -> None:
        self.asked = 0

    async def handle(self, request: web.BaseRequest) -> web.Response:
        self.asked += 1
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


async def test_a_key_of_the_machine_signs_until_it_is_refused(
    machine: tuple[Machine, ContainerMetadataCredentials],
) -> None:
    giver, credentials = machine
    async with fault_proxy("http://127.0.0.1:9/") as (proxy, place):
        proxy.otherwise = always((200, {}))
        endpoint = f"http://{place}/"
        wire = Wire(Address(endpoint, endpoint, "local", "", credentials), Retry(first_delay=0.01))
        for _ in range(2):
            await wire.send("GetItem", {})
        assert giver.asked == 1
        assert proxy.headers["x-amz-security-token"] == "session1"
        assert "Credential=key1/" in proxy.headers["Authorization"]
        proxy.on("GetItem", always(refusal("ExpiredTokenException")))
        await wire.send("GetItem", {})
        assert giver.asked == 2
        assert proxy.headers["x-amz-security-token"] == "session2"
        assert "Credential=key2/" in proxy.headers["Authorization"]
        await wire.close()
        with pytest.raises(StoreUnavailable, match="closed"):
            await wire.send("GetItem", {})
        await wire.close()
