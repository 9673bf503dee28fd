"""The connection pool: number, lifetime, cancellation and closing of connections."""

import asyncio
import gc
import time
import warnings
from typing import Any

import pytest
import uvloop

from greenroom.store.dynamo.connection import ConnectFailed, HttpResponse, NoResponse
from greenroom.store.dynamo.http import ClientClosed, HttpClient
from tests.socket.node import until
from tests.store.http.server import OK, REQUEST, Gate, Peer, answering, never_answering, talking


async def test_a_refused_connection_sends_nothing() -> None:
    for host in ("127.0.0.1:1", "[::1]:1", "a..b"):
        client = HttpClient(f"http://{host}/", connect_seconds=2.0, response_seconds=2.0)
        with pytest.raises(ConnectFailed, match=host.partition(":1")[0].strip("[]")):
            await client.send(REQUEST)
        await client.close()


async def test_a_connection_that_does_not_come_about_is_waited_for_only_so_long() -> None:
    """The server accepts the connection and never responds to TLS."""
    async with talking(never_answering) as (plain, server):
        client = HttpClient(
            f"https://127.0.0.1:{plain._port}/", connect_seconds=0.1, response_seconds=5.0
        )
        with pytest.raises(ConnectFailed, match="TimeoutError"):
            await client.send(REQUEST)
        await client.close()
        await until(lambda: server.open == 0)


async def test_a_kept_connection_that_the_server_closed_is_not_used() -> None:
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.write(OK)
        peer.close()

    async with talking(handler) as (client, server):
        for _ in range(3):
            assert await client.send(REQUEST) == HttpResponse(200, b"ok")
            await until(lambda: server.open == 0)
            await asyncio.sleep(0.01)
        assert server.opened == 3


async def test_unrequested_bytes_close_the_connection() -> None:
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.write(OK)
        await asyncio.sleep(0.02)
        await peer.write(OK.replace(b"ok", b"no"))

    async with talking(handler) as (client, server):
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        await until(lambda: server.open == 0)
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")


async def test_idle_connections_are_closed_after_a_while() -> None:
    async with talking(answering(OK), idle_seconds=0.3) as (client, server):
        await asyncio.gather(*(client.send(REQUEST) for _ in range(3)))
        assert server.open == 3
        for _ in range(10):
            await client.send(REQUEST)
            await asyncio.sleep(0.05)
        await until(lambda: server.open == 1)  # the one that was used
        await until(lambda: server.open == 0)
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        assert server.opened == 4


async def test_requests_beyond_the_most_connections_wait_in_order() -> None:
    gate = Gate()
    done: list[int] = []

    async def send(client: HttpClient, number: int) -> None:
        await client.send(REQUEST)
        done.append(number)

    async with talking(gate, max_connections=2) as (client, server), asyncio.TaskGroup() as tasks:
        for number in range(8):
            tasks.create_task(send(client, number))
        await until(lambda: gate.came == 2)
        await asyncio.sleep(0.01)
        assert gate.came == 2
        for count in range(1, 9):
            gate.let(1)
            await until(lambda count=count: len(done) == count)  # type: ignore[misc]
        assert sorted(done[:2]) == [0, 1]
        assert done == sorted(done, key=lambda number: number // 2)
        assert server.opened == server.most_open == 2


async def test_a_cancelled_request_closes_its_connection_and_frees_its_slot() -> None:
    gate = Gate()
    async with talking(gate, max_connections=1) as (client, server):
        first = asyncio.create_task(client.send(REQUEST))
        await until(lambda: gate.came == 1)
        second = asyncio.create_task(client.send(REQUEST))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        gate.let(2)
        assert await second == HttpResponse(200, b"ok")
        assert server.opened == 2
        assert first.cancelled()


async def test_a_cancelled_waiter_loses_nothing() -> None:
    """Also when it is cancelled at the moment in which it gets a connection."""
    gate = Gate()
    async with talking(gate, max_connections=1) as (client, server):
        for turn in range(3):
            waiters = list[asyncio.Task[HttpResponse]]()

            async def first(waiters: list[asyncio.Task[HttpResponse]] = waiters) -> HttpResponse:
                answer = await client.send(REQUEST)
                waiters[1].cancel()
                return answer

            begun = asyncio.create_task(first())
            await until(lambda turn=turn: gate.came == 3 * turn + 1)  # type: ignore[misc]
            waiters += [asyncio.create_task(client.send(REQUEST)) for _ in range(4)]
            await asyncio.sleep(0)
            waiters[0].cancel()
            gate.let(3)
            assert await begun == HttpResponse(200, b"ok")
            await asyncio.wait(waiters)
            assert [waiter.cancelled() for waiter in waiters] == [True, True, False, False]
        assert server.opened == 1


async def test_a_connection_that_closes_when_taken_is_replaced() -> None:
    gate = Gate()
    async with talking(gate, max_connections=1) as (client, server):
        gate.let(4)
        for _ in range(2):
            assert await client.send(REQUEST) == HttpResponse(200, b"ok")
            next(iter(client._open)).abort()  # while it is idle

        async def first() -> None:
            await client.send(REQUEST)
            next(iter(client._open)).abort()  # while it is handed to the next

        _, second = await asyncio.gather(first(), client.send(REQUEST))
        assert second == HttpResponse(200, b"ok")
        assert server.opened == 4


class Broken:
    """A transport that accepts no data."""

    def __init__(self, transport: Any) -> None:
        self.abort = transport.abort

    def write(self, request: bytes) -> None:
        raise RuntimeError("simulated")


async def test_a_connection_that_accepts_no_request_is_replaced() -> None:
    async with talking(answering(OK), max_connections=1) as (client, server):
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        connection: Any = next(iter(client._open))
        connection._transport = Broken(connection._transport)
        with pytest.raises(RuntimeError, match="simulated"):
            await client.send(REQUEST)
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        assert server.opened == 2


async def test_cancelled_connecting_frees_its_slot() -> None:
    async with talking(answering(OK), max_connections=1) as (client, _):
        for steps in range(12):
            task = asyncio.create_task(client.send(REQUEST))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert await client.send(REQUEST) == HttpResponse(200, b"ok")


async def test_a_failed_connection_frees_its_slot() -> None:
    client = HttpClient(
        "http://127.0.0.1:1/", connect_seconds=2.0, response_seconds=2.0, max_connections=1
    )
    tasks = [asyncio.create_task(client.send(REQUEST)) for _ in range(5)]
    await asyncio.wait(tasks)
    assert {type(task.exception()) for task in tasks} == {ConnectFailed}
    await client.close()


async def test_closing_ends_every_request_and_every_connection() -> None:
    gate = Gate()
    async with talking(gate, max_connections=2) as (client, server):
        gate.let(2)
        await asyncio.gather(*(client.send(REQUEST) for _ in range(2)))
        tasks = [asyncio.create_task(client.send(REQUEST)) for _ in range(4)]
        await until(lambda: gate.came == 4)
        await client.close()
        await asyncio.wait(tasks)
        expected = [type(task.exception()) for task in tasks]
        assert expected == [NoResponse, NoResponse, ClientClosed, ClientClosed]
        with pytest.raises(ClientClosed):
            await client.send(REQUEST)
        await client.close()
        gate.let(2)
        await until(lambda: server.open == 0)


async def test_closing_ends_connecting() -> None:
    async with talking(never_answering) as (plain, server):
        client = HttpClient(
            f"https://127.0.0.1:{plain._port}/", connect_seconds=30.0, response_seconds=5.0
        )
        task = asyncio.create_task(client.send(REQUEST))
        await until(lambda: server.open == 1)
        async with asyncio.timeout(5):
            await client.close()
            with pytest.raises(ClientClosed):
                await task
        await until(lambda: server.open == 0)


def test_a_closed_client_leaves_nothing_open(recwarn: pytest.WarningsRecorder) -> None:
    async def use() -> None:
        async with talking(answering(OK)) as (client, _):
            await asyncio.gather(*(client.send(REQUEST) for _ in range(3)))

    warnings.simplefilter("always")
    for factory in (asyncio.new_event_loop, uvloop.new_event_loop):
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(use())
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []


async def test_a_connection_idle_for_too_long_is_not_used_even_if_the_sweep_is_late() -> None:
    async with talking(answering(OK), idle_seconds=0.1) as (client, server):
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        time.sleep(0.2)  # noqa: ASYNC251 - the whole process stands still
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        assert server.opened == 2
