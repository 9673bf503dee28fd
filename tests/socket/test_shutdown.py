"""Shutdown and overload: clients are told early and clearly."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

from greenroom.api.messaging import frames
from greenroom.api.tokens import SharedSecret
from greenroom.api.ws.drain import drain
from greenroom.api.ws.frames import Ack
from greenroom.api.ws.session import MOST_UNDER_WAY, Session
from greenroom.api.ws.socket_server import Timeouts
from greenroom.app import TABLES, compose
from greenroom.clock import SystemClock
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging
from greenroom.messaging.history import history
from greenroom.people.actor import Actor
from tests.socket.client import Client, sending
from tests.socket.node import CAST, Node, serving, until
from tests.socket.raw_client import CLOSE, RawClient, Refused
from tests.stores import SQLITE, fresh_store

RESTART = 1012
OVERLOADED = {"type": "/problems/overloaded", "title": "Overloaded", "status": 503}
SECRET = "a secret for a server in a process of its own"


def block_reads(node: Node) -> asyncio.Event:
    """`read` waits until the event is set."""
    opened = asyncio.Event()

    async def slow(session: Session, request: frames.Read) -> Ack:
        await opened.wait()
        return Ack(request.id)

    requests = node.socket_server.requests
    slow_read = replace(requests[frames.Read], handle=slow)
    node.socket_server.requests = {**requests, frames.Read: slow_read}
    return opened


def overloaded(refusal: Refused) -> None:
    assert refusal.status == 503
    assert int(refusal.headers["retry-after"]) > 0
    assert refusal.headers["content-type"] == "application/problem+json"
    assert json.loads(refusal.body) == OVERLOADED


# Shutdown.


@pytest.mark.both_loops
async def test_draining_answers_accepted_requests_and_refuses_new_clients(node: Node) -> None:
    opened = block_reads(node)
    thread = await node.talk("ana", "ben")
    ana, ben = await node.connect("ana"), await node.connect("ben")
    accepted = await ana.begin("read", threadId=thread, seq=1)
    await until(lambda: node.socket_server.under_way == 1)
    going = asyncio.create_task(drain(node.socket_server))
    closing = await ben.event("closing")
    assert closing["reason"] == "the server restarts"
    assert await ben.closed() == RESTART, "an idle client is not kept waiting"
    with pytest.raises(Refused) as refusal:
        await RawClient.connect(node.port)
    overloaded(refusal.value)
    too_late = await ana.begin("send", **sending(thread, "too late"))
    opened.set()
    assert (await accepted)["type"] == "ack"
    assert await ana.event("closing")
    assert await ana.closed() == RESTART
    assert not too_late.done()
    await going
    assert len(await node.history("ana", thread)) == 1, "a refused request did not run"


async def test_each_client_gets_its_own_reconnect_delay(node: Node) -> None:
    clients = [await node.connect("ana") for _ in range(20)]
    await drain(node.socket_server)
    delays = [(await client.event("closing"))["reconnectAfterMs"] for client in clients]
    assert all(0 <= delay <= 1000 for delay in delays)
    assert len(set(delays)) > 5
    assert {await client.closed() for client in clients} == {RESTART}


async def test_shutdown_does_not_wait_for_a_request_that_takes_too_long(tmp_path: Path) -> None:
    timeouts = Timeouts(finish=0.05, close_reply=0.05)
    async with serving(tmp_path, timeouts=timeouts) as node:
        await node.join(*CAST)
        opened = block_reads(node)
        client = await node.connect("ana")
        await client.begin("read", threadId="thr_x", seq=1)
        await until(lambda: node.socket_server.under_way == 1)
        going = asyncio.create_task(drain(node.socket_server))
        assert await client.closed() == RESTART
        opened.set()
        await going


async def test_shutdown_does_not_wait_for_a_client_that_does_not_read(tmp_path: Path) -> None:
    timeouts = Timeouts(close_reply=0.05)
    async with serving(tmp_path, timeouts=timeouts) as node:
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        raw = await node.raw("ben", most_unread=4096)
        raw.pause()
        (session,) = node.socket_server.sessions
        async with await node.connect("ana") as ana:
            for number in range(200):
                if session.outbox.is_full:
                    break
                await ana.send(thread, f"{number} " + "A long story. " * 500)
            assert session.outbox.is_full
        await drain(node.socket_server)
        assert not node.socket_server.sessions
        raw.abort()


@asynccontextmanager
async def process(
    data: Path, run: Sequence[str] = ("-m", "greenroom", "serve"), **settings: str
) -> AsyncIterator[tuple[str, Any]]:
    """`greenroom serve` as a process."""
    environment = {
        "PATH": os.environ["PATH"],
        "GREENROOM_DATA": str(data),
        "GREENROOM_PORT": "0",
        "GREENROOM_SECRET": SECRET,
        **settings,
    }
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        *run,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert started.stdout is not None
    try:
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            line = await asyncio.wait_for(started.stdout.readline(), 30)
            assert line, await started.communicate()
            said += line.decode()
        yield found.group(), started
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


async def stopped(started: Any) -> None:
    """Stops it, and checks that it exited without errors."""
    _, complaints = await asyncio.wait_for(started.communicate(), 20)
    assert (started.returncode, complaints) == (0, b"")


def token(user: str) -> str:
    lasts = SystemClock().now_ms() // 1000 + 3600
    return SharedSecret(SECRET.encode()).sign({"sub": user, "exp": lasts})


class Rest:
    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http

    async def __call__(self, user: str, method: str, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {token(user)}"}
        async with self._http.request(method, path, headers=headers, json=body) as answer:
            found = await answer.json(content_type=None)
            assert answer.status < 400, found
            return found


async def test_a_stopped_server_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    async with process(tmp_path) as (url, started), aiohttp.ClientSession(url) as http:
        rest = Rest(http)
        for name in ("ana", "ben"):
            await rest(f"usr_{name}", "PUT", "/v1/me", {"username": name})
        opened = await rest(
            "usr_ana",
            "POST",
            "/v1/threads",
            {"kind": "inquiry", "participants": [{"userId": "usr_ben", "role": "seller"}]},
        )
        thread = opened["thread"]["threadId"]
        (request,) = (await rest("usr_ben", "GET", f"/v1/threads/{thread}"))["requests"]
        await rest("usr_ben", "POST", f"/v1/requests/{request['requestId']}/accept")
        ana = Client(await http.ws_connect("/v1/socket"))
        await ana.ask("auth", token=token("usr_ana"))
        idle = Client(await http.ws_connect("/v1/socket"))
        await idle.ask("auth", token=token("usr_ben"))
        # As many as a rate limit allows, and some more.
        answers = [
            await ana.begin("send", **sending(thread, f"message {number}", f"c-{number}"))
            for number in range(40)
        ]
        started.send_signal(signal.SIGTERM)
        for client in (ana, idle):
            closing = await client.event("closing")
            assert 0 <= closing["reconnectAfterMs"] <= 1000
            assert await client.closed() == RESTART
        await stopped(started)
        acked = {
            (await answer)["message"]["body"]
            for answer in answers
            if answer.done() and (await answer)["type"] == "ack"
        }
    clock = SystemClock()
    async with fresh_store(f"{SQLITE}{tmp_path}/greenroom.db", TABLES, clock) as store:
        messaging = compose(store, clock, SECRET.encode())[Messaging]
        found = await history(messaging, Actor(UserId("usr_ben")), ThreadId(thread), limit=100)
        bodies = [frame.body for frame in found.messages]
    assert acked
    assert set(bodies) == acked, "everything done was acked"
    assert len(bodies) == len(acked)


async def test_a_server_above_its_memory_limit_refuses_sockets(tmp_path: Path) -> None:
    async with process(tmp_path, GREENROOM_MOST_MEMORY_MB="10") as (url, started):
        with pytest.raises(Refused) as refusal:
            await RawClient.connect(int(url.rpartition(":")[2]))
        overloaded(refusal.value)
        async with aiohttp.ClientSession(url) as http, http.get("/healthz") as answer:
            assert answer.status == 200, "connected clients are served"
        started.send_signal(signal.SIGTERM)
        await stopped(started)


# Overload.


async def test_connections_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, most_connections=2) as node:
        await node.join(*CAST)
        first, second = await node.connect("ana"), await node.connect("ben")
        with pytest.raises(Refused) as refusal:
            await RawClient.connect(node.port)
        overloaded(refusal.value)
        assert (await first.ask("ping"))["type"] == "ack"
        await second.close()
        await node.quiet(1)
        async with await node.connect("cleo") as third:
            assert (await third.ask("ping"))["type"] == "ack"
        await first.close()


async def test_a_server_has_as_many_open_files_as_the_system_allows(tmp_path: Path) -> None:
    """Starts with a low soft limit of open files, raises it, and refuses connections beyond it."""
    wish = "import os, resource as r; r.setrlimit(r.RLIMIT_NOFILE, (40, 90)); "
    serve = "os.execv(sys.executable, [sys.executable, '-m', 'greenroom', 'serve'])"
    async with process(tmp_path, run=("-c", f"import sys; {wish}{serve}")) as (url, started):
        port = int(url.rpartition(":")[2])
        opened = [await RawClient.connect(port) for _ in range(30)]  # two thirds of half of it
        with pytest.raises(Refused) as refusal:
            await RawClient.connect(port)
        overloaded(refusal.value)
        for raw in opened:
            raw.abort()
        started.send_signal(signal.SIGTERM)
        _, said = await asyncio.wait_for(started.communicate(), 20)
        assert (
            b"the system allows 90 open files: room for 30 sockets and 15 other connections" in said
        )


async def test_new_sockets_are_refused_while_memory_is_short(node: Node) -> None:
    async with await node.connect("ana") as ana:
        node.socket_server.is_short_of_memory = True
        with pytest.raises(Refused) as refusal:
            await RawClient.connect(node.port)
        overloaded(refusal.value)
        assert (await ana.ask("ping"))["type"] == "ack", "connected clients stay"
        node.socket_server.is_short_of_memory = False
        async with await node.connect("ben"):
            pass


async def test_requests_beyond_the_nodes_limit_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, most_under_way=3) as node:
        await node.join(*CAST)
        opened = block_reads(node)
        async with await node.connect("ana") as ana, await node.connect("ben") as ben:
            waiting = [await ana.begin("read", threadId="thr_x", seq=1) for _ in range(3)]
            await until(lambda: node.socket_server.under_way == 3)
            for kind in ("ping", "read"):
                refused = await ben.ask(
                    kind, **{"threadId": "t", "seq": 1} if kind == "read" else {}
                )
                assert refused["problem"] == {
                    "type": "/problems/overloaded",
                    "title": "Overloaded",
                    "status": 503,
                }
            newcomer = await node.connect()
            refused = await newcomer.ask("auth", token=node.token("cleo"))
            assert refused["problem"] == OVERLOADED
            opened.set()
            assert [(await answer)["type"] for answer in waiting] == ["ack"] * 3
            assert (await ben.ask("ping"))["type"] == "ack"
            assert (await newcomer.ask("auth", token=node.token("cleo")))["type"] == "ack"
            await newcomer.close()


@pytest.mark.both_loops
async def test_one_client_has_a_limited_number_of_running_requests(node: Node) -> None:
    opened = block_reads(node)
    more = 500
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        waiting = [
            await ana.begin("read", threadId="thr_x", seq=1) for _ in range(MOST_UNDER_WAY + more)
        ]
        await until(lambda: node.socket_server.under_way == MOST_UNDER_WAY)
        assert (await ben.ask("ping"))["type"] == "ack"
        assert node.socket_server.under_way == MOST_UNDER_WAY
        opened.set()
        assert [(await answer)["type"] for answer in waiting] == ["ack"] * (MOST_UNDER_WAY + more)
        assert (await ana.ask("ping"))["type"] == "ack"


async def test_a_client_that_closes_first_is_disconnected(node: Node) -> None:
    raw = await node.raw("ana")
    going = asyncio.create_task(drain(node.socket_server))
    raw.send(CLOSE, b"\x03\xe8")
    assert (await raw.closed())[0] in (1000, RESTART), "either may be first"
    await going
