"""Serves an app: opens the store, composes the contexts, runs HTTP, sockets and jobs."""

import asyncio
import gc
import os
import random
import secrets
import socket
import sys
from collections.abc import (
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from litestar import Litestar

from greenroom import demo, open_sql, policy_file, server_address
from greenroom.api import server
from greenroom.api.access_log import access_log
from greenroom.api.auth import Authenticator
from greenroom.api.composition import Contexts
from greenroom.api.demo import Sample
from greenroom.api.http import http_app
from greenroom.api.platform.policy import Sockets
from greenroom.api.registry import Job, Registry
from greenroom.api.safety.events import ACCOUNTS
from greenroom.api.tokens import SharedSecret
from greenroom.api.web import Site
from greenroom.api.ws.socket_server import SocketServer
from greenroom.api.ws.suspensions import AccountInvalidation
from greenroom.app import REGISTRY, compose
from greenroom.background.worker import Worker
from greenroom.background_jobs import running_jobs
from greenroom.clock import Clock, SystemClock
from greenroom.demo import records as demo_records
from greenroom.files import Files
from greenroom.ids import UserId
from greenroom.metric_sources import add_sources, measure_delivery
from greenroom.metrics import Metrics
from greenroom.open_blobs import opened_blobs, origin_of_files
from greenroom.open_sql import opened_sql
from greenroom.open_store import check_demo_store, opened, sqlite_path
from greenroom.people import People, directory
from greenroom.policy import Limit, Policy
from greenroom.realtime.bus import Bus
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.safety import Safety
from greenroom.safety.limits import Rate
from greenroom.settings import (
    InvalidSetting,
    Settings,
    load_secret,
    split_list,
    variable_of,
)
from greenroom.sql.base import Database
from greenroom.store.base import Store
from greenroom.store.ephemeral import CLOCK_KEY, EPHEMERAL
from greenroom.store.problems import StoreFailing
from greenroom.store.server_clock import LOCAL_SECONDS, SHARED_SECONDS, ServerClock
from greenroom.token_signing import expected, sign_for, signature

_PRESENCE_SECONDS = 20
_SWITCH_SECONDS = 0.0001


@dataclass(frozen=True)
class _Node:
    """The parts of a server."""

    settings: Settings
    store: Store
    clock: ServerClock
    contexts: Contexts
    hub: Hub
    metrics: Metrics
    app: Litestar
    socket_server: SocketServer
    room: server.Room


async def serve(
    settings: Settings,
    *,
    create_tables: bool,
    samples: bool,
    tell: Callable[[str], None],
    rates: Mapping[Limit, Rate] | None = None,
) -> None:
    """Serves until stopped. Calls `tell` with the address once the server is reachable."""
    clock = ServerClock(SystemClock())
    policy = policy_file.read(REGISTRY.policy, settings.policy)
    composed = partial(compose, settings=settings, policy=policy, rates=rates)
    with server.listen(settings.host, settings.port) as listener:
        if samples:
            await check_demo_store(settings, clock)
        async with (
            opened(settings, clock, create_tables=create_tables) as store,
            opened_blobs(settings, clock) as blobs,
            opened_sql(settings, create_tables=create_tables) as sql,
        ):
            await clock.synchronize(store, EPHEMERAL, CLOCK_KEY)
            hub = Hub(bus_of(settings))
            composed = partial(composed, blobs=blobs, sql=sql)
            contexts = composed(store, clock, load_secret(settings), hub=hub)
            await hub.start()
            try:
                await _ready(contexts[People], sql)
                _ = contexts[Safety].rule_set.prefilter  # built now, not with the first message
                shown = await _samples(store, clock, settings, composed) if samples else ()
                node = _node(settings, policy, store, sql, clock, contexts, hub, shown)
                await _run(node, listener, tell)
            finally:
                await hub.close()
                await REGISTRY.close(contexts)


def _node(
    settings: Settings,
    policy: Policy,
    store: Store,
    sql: Database,
    clock: ServerClock,
    contexts: Contexts,
    hub: Hub,
    samples: Sequence[Sample],
) -> _Node:
    metrics = Metrics()
    measure_delivery(metrics, hub, clock)
    app, socket_server = _servers(settings, clock, contexts, hub, samples, metrics, sql)
    room = server.room_for(settings.most_connections)
    socket_server.most_connections = room.sockets
    app.state.upload_slots.most = room.http // 2
    socket_server.most_per_user = policy[Sockets].per_user
    return _Node(settings, store, clock, contexts, hub, metrics, app, socket_server, room)


async def _run(node: _Node, listener: socket.socket, tell: Callable[[str], None]) -> None:
    """Runs background work, HTTP and sockets until stopped."""
    address = server.address_of(listener)
    tune_python()
    announced = server_address.announced(sqlite_path(node.settings), address)
    worker = worker_on(node.store, node.clock, node.contexts)
    pipeline = node.contexts[Files].pipeline
    pipeline.wake = worker.wake
    add_sources(
        node.metrics,
        store=node.store,
        clock=node.clock,
        hub=node.hub,
        socket_server=node.socket_server,
        worker=worker,
        pipeline=pipeline,
    )
    async with running_jobs(_jobs(node)), worker:
        serving = server.serve(
            node.app,
            node.socket_server,
            listener,
            started=lambda: tell(address),
            most_http=node.room.http,
        )
        with announced:
            await _unless_lost(node.store, serving)


def _jobs(node: _Node) -> list[Job]:
    synchronize = partial(node.clock.synchronize, node.store, EPHEMERAL, CLOCK_KEY)
    return [
        Job("server clock", _clock_seconds(node.store), synchronize),
        Job("presence", _PRESENCE_SECONDS, node.socket_server.renew),
        Job("memory", 1, partial(_watch_memory, node.socket_server, node.settings)),
        *node.contexts[Registry].jobs(node.contexts),
    ]


async def _unless_lost(store: Store, serving: Coroutine[Any, Any, None]) -> None:
    """Serves until stopped, or until the store reports lost data: then it stops at once."""
    tasks = served, lost = (
        asyncio.create_task(serving),
        asyncio.create_task(store.wait_for_data_loss()),
    )
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if lost.done():
            raise lost.result()
        await served
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def worker_on(store: Store, clock: Clock, contexts: Contexts) -> Worker:
    """This node's share of timers, followers and leased jobs."""
    registry = contexts[Registry]
    return Worker(
        store,
        clock,
        node=f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}",
        timers=registry.timers(contexts),
        followers=registry.followers(contexts),
        jobs=registry.leased_jobs(contexts),
        chance=random.Random(),
        is_alone=store.is_local,  # the file is locked by this process
    )


def _clock_seconds(store: Store) -> int:
    return LOCAL_SECONDS if store.is_local else SHARED_SECONDS


def _servers(
    settings: Settings,
    clock: Clock,
    contexts: Contexts,
    hub: Hub,
    samples: Sequence[Sample],
    metrics: Metrics,
    sql: Database,
) -> tuple[Litestar, SocketServer]:
    """Builds the HTTP app and the socket server, which share authentication."""
    signed = signature(settings, clock)
    authenticator = Authenticator(contexts[People], signed, expected(settings))
    sign = None
    if isinstance(signed, SharedSecret):
        sign = partial(sign_for, settings, clock, signed)
    app = http_app(
        contexts,
        authenticator,
        partial(_ready, contexts[People], sql),
        samples,
        sign,
        site=Site.found(),
        origins=split_list(settings.origins),
        file_origin=origin_of_files(settings),
        metrics=metrics,
        shows_metrics=settings.metrics,
        access_log=access_log(settings.access_log),
    )
    socket_server = SocketServer(contexts, authenticator, hub, metrics=metrics)
    hub.add_cache(ACCOUNTS, AccountInvalidation(socket_server))
    return app, socket_server


async def _samples(
    store: Store, clock: Clock, settings: Settings, composed: Callable[..., Contexts]
) -> tuple[Sample, ...]:
    """Writes the sample data through separate contexts with their own clock."""
    secret, now_ms = load_secret(settings), clock.now_ms()
    await demo_records.mark(store)
    people = await demo.seed(lambda at: composed(store, at, secret), now_ms, REGISTRY.demos)
    return samples_of(people)


def samples_of(cast: Iterable[demo.JoinedSample]) -> tuple[Sample, ...]:
    return tuple(
        Sample(one.person, one.sample.part, one.sample.sees, one.sample.scopes) for one in cast
    )


def bus_of(settings: Settings) -> Bus:
    if not settings.bus:
        return MemoryBus()
    if settings.bus.startswith(("nats://", "tls://")):
        # Imported where it is used: a single node needs no client of it in memory.
        from greenroom.realtime.nats import NatsBus

        return NatsBus(settings.bus)
    reason = f"it must begin with nats:// or tls://, not with {settings.bus[:12]!r}"
    raise InvalidSetting(variable_of("bus"), reason)


def tune_python() -> None:
    """Tunes Python's garbage collector and GIL for message latency.

    Objects created so far are frozen, so they are never scanned. The collector runs less often: the
    default, every 700 objects, took a tenth of a send. The commit thread needs the GIL twice for a
    moment; with the default switch interval of 5 ms it would wait that long while the loop is busy.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)


async def _watch_memory(socket_server: SocketServer, settings: Settings) -> None:
    """Refuses new sockets while memory is short."""
    most_mb = settings.most_memory_mb
    socket_server.is_short_of_memory = most_mb > 0 and _resident_bytes() > most_mb * 1024 * 1024


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def _ready(people: People, sql: Database) -> None:
    """Raises unless the store can be read and written, and the SQL database answers."""
    if people.store.read_only_reason is not None:
        raise StoreFailing
    await directory.find(people, UserId("usr_nobody"))
    await open_sql.check(sql)
