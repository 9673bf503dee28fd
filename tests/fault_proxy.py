"""An HTTP proxy in front of DynamoDB that injects faults.

    proxy.on("PutItem", lost)          the next PutItem takes effect and its response is lost
    proxy.on("Query", throttled, passed)

Each fault is used once, in order. Other requests are forwarded, or handled by `proxy.otherwise`.
`proxy.sent` lists all actions that arrived, including failed ones.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import aiohttp
import msgspec
from aiohttp import web

Answer: TypeAlias = tuple[int, dict[str, Any]]
Forward: TypeAlias = Callable[[dict[str, Any]], Awaitable[Answer]]
Fault: TypeAlias = Callable[[dict[str, Any], Forward], Awaitable[Answer | None]]
"""Takes the request and a function that forwards it; returns the response, None to disconnect."""


class FaultProxy:
    def __init__(self, target: str, session: aiohttp.ClientSession) -> None:
        self.sent: list[str] = []
        self.headers: dict[str, str] = {}
        self.otherwise: Fault = passed
        self._target = target
        self._session = session
        self._faults: dict[str, deque[Fault]] = defaultdict(deque)

    def on(self, action: str, *faults: Fault) -> None:
        self._faults[action].extend(faults)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        action = request.headers["X-Amz-Target"].rpartition(".")[2]
        self.sent.append(action)
        self.headers = dict(request.headers)

        async def forward(payload: dict[str, Any]) -> Answer:
            names = ("Content-Type", "X-Amz-Target", "X-Amz-Date", "Authorization")
            async with self._session.post(
                self._target,
                data=msgspec.json.encode(payload),
                headers={name: request.headers[name] for name in names},
            ) as answer:
                return answer.status, msgspec.json.decode(await answer.read())

        faults = self._faults[action]
        fault = faults.popleft() if faults else self.otherwise
        answer = await fault(msgspec.json.decode(await request.read()), forward)
        if answer is None:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        return web.Response(status=answer[0], body=msgspec.json.encode(answer[1]))


@asynccontextmanager
async def fault_proxy(target: str) -> AsyncIterator[tuple[FaultProxy, str]]:
    """The proxy and where it listens (`127.0.0.1:…`)."""
    async with aiohttp.ClientSession() as session:
        proxy = FaultProxy(target, session)
        runner = web.ServerRunner(web.Server(proxy.handle, access_log=None), shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        try:
            yield proxy, f"{host}:{port}"
        finally:
            await runner.cleanup()


async def passed(payload: dict[str, Any], forward: Forward) -> Answer:
    return await forward(payload)


async def dropped(payload: dict[str, Any], forward: Forward) -> None:
    """The connection breaks before the request is carried out."""


async def lost(payload: dict[str, Any], forward: Forward) -> None:
    """The connection breaks after the request was carried out."""
    await forward(payload)


async def failed_after(payload: dict[str, Any], forward: Forward) -> Answer:
    """Carried out, and answered with a 500."""
    await forward(payload)
    return refusal("InternalServerError", 500)


async def silent(payload: dict[str, Any], forward: Forward) -> None:
    """Takes effect, without a response."""
    await forward(payload)
    await asyncio.sleep(5)


async def throttled(payload: dict[str, Any], forward: Forward) -> Answer:
    return refusal("ProvisionedThroughputExceededException")


async def conflicted(payload: dict[str, Any], forward: Forward) -> Answer:
    if "TransactItems" in payload:
        return cancelled("None", "TransactionConflict")
    return refusal("TransactionConflictException")


def refusal(kind: str, status: int = 400) -> Answer:
    return status, {"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": "simulated"}


def cancelled(*codes: str) -> Answer:
    status, body = refusal("TransactionCanceledException")
    return status, {**body, "CancellationReasons": [{"Code": code} for code in codes]}


def always(answer: Answer) -> Fault:
    async def respond(payload: dict[str, Any], forward: Forward) -> Answer:
        return answer

    return respond
