"""The composition root: settings -> store -> contexts -> the app. The only place that wires."""

import asyncio
import dataclasses
import gc
import hmac
import logging
import os
import sys
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar

from greenroom import demo, policy as policies, private, running
from greenroom.api import server
from greenroom.api.auth import Authenticator
from greenroom.api.demo import NotADemoStore, Sample
from greenroom.api.http import Contexts, http_app
from greenroom.api.tokens import (
    Expected,
    SharedSecret,
    Signature,
    TokensIssuedElsewhere,
    UsernameNotFound,
)
from greenroom.api.web import Site
from greenroom.api.ws.publish import EventPublisher, publish_safety_event
from greenroom.api.ws.requests import HANDLERS
from greenroom.api.ws.socket_server import SocketServer
from greenroom.api.ws.suspensions import SuspensionListener
from greenroom.clock import Clock, SystemClock
from greenroom.demo import records as demo_records
from greenroom.errors import Problem
from greenroom.ids import Ids, UserId
from greenroom.live import records as live
from greenroom.logs import RepeatedErrors
from greenroom.messaging import Messaging, records as messaging
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.events import discard, unpublished
from greenroom.messaging.thread_cache import ThreadCache
from greenroom.people import People, directory, records as people
from greenroom.people.actor import Scope
from greenroom.people.models import is_user_id, is_username
from greenroom.policy import Policy
from greenroom.realtime.bus import ALL_NODES, Bus, BusMessage
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.safety import Safety, records as safety
from greenroom.safety.block_cache import BlockCache
from greenroom.safety.enforce import enforce_pending
from greenroom.safety.limits import Limit, Limits, Rate, rates_of
from greenroom.safety.records import CLOCK_KEY, EPHEMERAL
from greenroom.settings import (
    InvalidSetting,
    Settings,
    data_folder,
    load_secret,
    make_private,
    split_list,
    variable_of,
)
from greenroom.social import records as social
from greenroom.store.base import Store
from greenroom.store.cursors import CursorCodec
from greenroom.store.problems import NoSuchTable, StoreFailing
from greenroom.store.server_clock import LOCAL_SECONDS, SHARED_SECONDS, ServerClock
from greenroom.store.sqlite import SqliteStore, open_readonly
from greenroom.store.tables import Table

TABLES: tuple[Table, ...] = (
    *messaging.TABLES,
    *safety.TABLES,
    *people.TABLES,
    *social.TABLES,
    *live.TABLES,
)

_log = logging.getLogger(__name__)
_repeats = RepeatedErrors(_log)
_CHORES_SECONDS = 1
_REDO_SECONDS = 60
_PRESENCE_SECONDS = 20
_SQLITE = "sqlite:///"
_DYNAMODB = "dynamodb"


async def serve(
    settings: Settings,
    *,
    create_tables: bool,
    samples: bool,
    tell: Callable[[str], None],
    rates: Mapping[Limit, Rate] | None = None,
) -> None:
    """Serve until told to stop. `tell` is called with the address once it can be reached."""
    clock = ServerClock(SystemClock())
    policy = policies.read(settings.policy)
    composed = partial(compose, policy=policy, rates=rates)
    with server.listen(settings.host, settings.port) as listener:
        if samples:
            await _check_demo_store(settings, clock)
        async with opened(settings, clock, create_tables=create_tables) as store:
            synchronize = partial(clock.synchronize, store, EPHEMERAL, CLOCK_KEY)
            await synchronize()
            hub = Hub(bus_of(settings))
            contexts = composed(store, clock, load_secret(settings), hub=hub)
            await hub.start()
            await _ready(contexts.people)
            _ = contexts.safety.rule_set.prefilter  # worked out now, not with the first message
            shown = await _samples(store, clock, settings, composed) if samples else ()
            room = server.room_for(settings.most_connections)
            app, socket_server = _servers(settings, clock, contexts, hub, shown)
            socket_server.most_connections = room.sockets
            socket_server.most_per_user = policy.sockets.per_user
            address = server.address_of(listener)
            _tune_python()
            try:
                announced = running.announced(sqlite_path(settings), address)
                async with background(contexts, socket_server, settings, synchronize):
                    serving = server.serve(
                        app,
                        socket_server,
                        listener,
                        started=lambda: tell(address),
                        most_http=room.http,
                    )
                    with announced:
                        await _unless_lost(store, serving)
            finally:
                await hub.close()


async def _unless_lost(store: Store, serving: Coroutine[Any, Any, None]) -> None:
    """Serves until told to stop, or until the store has lost something: then nobody is served from
    what is left."""
    tasks = served, lost = asyncio.create_task(serving), asyncio.create_task(store.lost())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if lost.done():
            raise lost.result()
        await served
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _servers(
    settings: Settings, clock: Clock, contexts: Contexts, hub: Hub, samples: Sequence[Sample]
) -> tuple[Litestar, SocketServer]:
    """HTTP, and the socket, which know people by the same tokens."""
    signed = signature(settings, clock)
    authenticator = Authenticator(contexts.people, signed, expected(settings))
    sign = None
    if isinstance(signed, SharedSecret):
        sign = partial(sign_for, settings, clock, signed)
    app = http_app(
        contexts,
        authenticator,
        partial(_ready, contexts.people),
        samples,
        sign,
        site=Site.found(),
        origins=split_list(settings.origins),
    )
    socket_server = SocketServer(
        contexts.messaging,
        authenticator,
        hub,
        HANDLERS,
    )
    hub.add(ALL_NODES, SuspensionListener(socket_server))
    return app, socket_server


async def _samples(
    store: Store, clock: Clock, settings: Settings, composed: Callable[..., Contexts]
) -> tuple[Sample, ...]:
    """The story is told in contexts that nobody is served from, each with a clock of its own."""
    secret = load_secret(settings)
    await demo_records.mark(store)
    return samples_of(
        await demo.seed(lambda at: composed(store, at, secret).messaging, clock.now_ms())
    )


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


def compose(
    store: Store,
    clock: Clock,
    secret: bytes,
    *,
    hub: Hub | None = None,
    policy: Policy = policies.DEFAULT,
    rates: Mapping[Limit, Rate] | None = None,
) -> Contexts:
    """The contexts, each on those beneath it; what one needs from above is filled in at the end.
    `rates` stand in for those of the policy, where a benchmark needs limits that never bind."""
    ids = Ids(clock)
    people = People(store, clock, ids, policy.names, policy.moderation.contact)
    rates = rates_of(policy.limits) if rates is None else rates
    thread_cache = ThreadCache(store)
    safety = Safety(store, people, clock, ids, Limits(store, clock, rates=rates))
    if hub is not None:
        safety = dataclasses.replace(safety, publish=partial(publish_safety_event, hub.bus))
        hub.add_cache(NodeCaches(thread_cache, safety.block_cache))
    publisher = None if hub is None else EventPublisher(hub.bus, clock)
    messaging = Messaging(
        store=store,
        people=people,
        safety=safety,
        clock=clock,
        ids=ids,
        thread_cache=thread_cache,
        cursors=CursorCodec(secret),
        publish=publisher or discard,
        publish_person=unpublished if publisher is None else publisher.publish_person,
    )
    enforced = dataclasses.replace(safety, enforcer=Enforcement(messaging))
    return Contexts(people, enforced, dataclasses.replace(messaging, safety=enforced))


@dataclasses.dataclass(frozen=True)
class NodeCaches:
    """What this node keeps in memory, and forgets when another one has written it."""

    thread_cache: ThreadCache
    apart: BlockCache

    def on_message(self, message: BusMessage) -> None:
        if message.thread_id is not None and message.head_version:
            self.thread_cache.forget_older(message.thread_id, message.head_version)
        elif message.thread_id is None and message.only is not None:
            self.apart.forget(*message.only)

    def on_gap(self) -> None:
        """A head that is stale does no harm: it is written under its version."""
        self.apart.forget_all()


@asynccontextmanager
async def background(
    contexts: Contexts,
    socket_server: SocketServer,
    settings: Settings,
    synchronize: Callable[[], Awaitable[None]],
) -> AsyncIterator[None]:
    """What is done in the background for as long as the server runs."""
    is_local = contexts.messaging.store.is_local
    tasks = [
        asyncio.create_task(every(LOCAL_SECONDS if is_local else SHARED_SECONDS, synchronize)),
        asyncio.create_task(every(_PRESENCE_SECONDS, socket_server.renew)),
        asyncio.create_task(
            every(1, partial(_watch_memory, socket_server, settings.most_memory_mb))
        ),
        asyncio.create_task(every(_CHORES_SECONDS, contexts.messaging.deferred.run)),
        asyncio.create_task(every(_REDO_SECONDS, partial(enforce_pending, contexts.safety))),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_SWITCH_SECONDS = 0.0001


def _tune_python() -> None:
    """What is there by now stays: Python's collector need not look at it again. And of what a
    message leaves in memory for the time of its commit nothing is garbage: to look through it
    every 700 objects, as is the default, took about a tenth of a send.

    The thread that commits needs Python's lock to begin and to say that it is done, a moment each
    time. While the loop has work it would have to wait for 5 ms, as is the default."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)


async def _watch_memory(socket_server: SocketServer, most_mb: int) -> None:
    """Refuses new sockets while there is too little room, rather than be slow for all."""
    socket_server.is_short_of_memory = most_mb > 0 and _resident_bytes() > most_mb * 1024 * 1024


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def every(seconds: int, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        try:
            await work()
        except Problem as problem:  # the store may be out of reach for a while
            _repeats.error(problem.code, f"work in the background is tried again: {problem!r}")
        except Exception:
            _log.exception("something in the background went wrong, and is tried again")
        await asyncio.sleep(seconds)


def signature(settings: Settings, clock: Clock) -> Signature:
    """How tokens are signed: fixed here, by the settings, for as long as the server runs."""
    if not settings.jwks_url:
        return SharedSecret(_token_key(settings))
    # Imported where it is used: without an identity provider nobody needs an HTTP client in memory.
    from greenroom.api.jwks import PublicKeys

    return PublicKeys(settings.jwks_url, settings.jwt_algorithms.split(","), clock)


def _token_key(settings: Settings) -> bytes:
    """A demo signs with a key of its own: a server on the same data does not accept its tokens."""
    secret = load_secret(settings)
    if isinstance(settings, DemoSettings):
        return hmac.digest(secret, b"tokens of a demo", "sha256")
    return secret


def expected(settings: Settings) -> Expected:
    return Expected(settings.jwt_issuer, frozenset(split_list(settings.jwt_audience)))


@asynccontextmanager
async def opened(settings: Settings, clock: Clock, *, create_tables: bool) -> AsyncIterator[Store]:
    store = await _open(settings, clock, create_tables)
    try:
        yield store
    finally:
        await store.close()


class DemoSettings(Settings, frozen=True):
    """Settings of a demo, whose tokens no other server accepts."""


def for_demo(settings: Settings) -> DemoSettings:
    """The same with a folder and a secret of its own, so that samples never mix with real data."""
    own = {"data": settings.data / "demo", "secret": ""}
    return DemoSettings(**(msgspec.structs.asdict(settings) | own))


async def _check_demo_store(settings: Settings, clock: Clock) -> None:
    """Passes for a demo's store, and for one that does not exist yet."""
    path = sqlite_path(settings)
    if path is not None:
        if not path.exists() or not path.stat().st_size:
            return
        with open_readonly(path, clock) as reader:
            marked = reader.get(people.USER_POSTS, demo_records.MARK, False)
    else:
        secret = load_secret(settings)
        try:
            store = await _open_dynamo(settings, clock, secret, False, people.TABLES)
            try:
                marked = await store.get(people.USER_POSTS, demo_records.MARK)
            finally:
                await store.close()
        except NoSuchTable:
            return
    if marked is None:
        raise NotADemoStore


def sqlite_path(settings: Settings) -> Path | None:
    url = settings.store_url
    return Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None


async def _open(settings: Settings, clock: Clock, create_tables: bool) -> Store:
    secret = load_secret(settings)
    path = sqlite_path(settings)
    private.tighten(_data_folders(settings), path)
    if path is not None:
        data_folder(settings)
        make_private(path)
        return await SqliteStore.open(
            path, TABLES, clock=clock, cursor_secret=secret, check=settings.check
        )
    if settings.store_url.startswith(_DYNAMODB):
        return await _open_dynamo(settings, clock, secret, create_tables)
    reason = f"it must begin with {_SQLITE} or {_DYNAMODB}, not with {settings.store_url[:12]!r}"
    raise InvalidSetting(variable_of("store"), reason)


def _data_folders(settings: Settings) -> list[Path]:
    """A demo's folder is inside the data folder."""
    inner = isinstance(settings, DemoSettings)
    return [settings.data.parent, settings.data] if inner else [settings.data]


async def _open_dynamo(
    settings: Settings,
    clock: Clock,
    secret: bytes,
    create_tables: bool,
    tables: Sequence[Table] = TABLES,
) -> Store:
    # Imported where it is used: on SQLite nobody needs an HTTP client in memory.
    from greenroom.store.dynamo import DynamoStore
    from greenroom.store.dynamo.endpoint import InvalidEndpoint

    try:
        return await DynamoStore.open(
            settings.store_url, tables, clock=clock, cursor_secret=secret, create=create_tables
        )
    except InvalidEndpoint as reason:
        raise InvalidSetting(variable_of("store"), str(reason)) from None


async def token(settings: Settings, user: str, scopes: Sequence[Scope], hours: int) -> str:
    """One for a developer's hand. `user` is an id, or the username of somebody in the store."""
    clock = SystemClock()
    signed = signature(settings, clock)
    if not isinstance(signed, SharedSecret):
        raise TokensIssuedElsewhere(variable_of("jwks_url"))
    named = user if _is_id(user, scopes) else await _user_called(settings, clock, user)
    return sign_for(settings, clock, signed, named, scopes, hours * 3600)


async def user_id(settings: Settings, user: str) -> UserId:
    """An id as it is, or the id of the person with this username."""
    if _is_id(user, ()):
        return UserId(user)
    return await _user_called(settings, SystemClock(), user)


def sign_for(
    settings: Settings,
    clock: Clock,
    signed: SharedSecret,
    user: str,
    scopes: Iterable[Scope],
    seconds: int,
) -> str:
    """As this server expects its tokens to be."""
    now = clock.now_ms() // 1000
    wanted = expected(settings)
    claims: dict[str, object] = {"sub": user, "iat": now, "exp": now + seconds}
    claims["scope"] = " ".join(sorted(scopes))
    if wanted.issuer:
        claims["iss"] = wanted.issuer
    if wanted.audiences:
        claims["aud"] = sorted(wanted.audiences)
    return signed.sign(claims)


def _is_id(user: str, scopes: Sequence[Scope]) -> bool:
    """What can only be an id is not looked up; nor is a service, which needs no account."""
    return is_user_id(user) and (
        user.startswith("usr_") or Scope.SERVICE in scopes or not is_username(user)
    )


async def _user_called(settings: Settings, clock: Clock, username: str) -> UserId:
    path = sqlite_path(settings)
    found: str | None = None
    if path is not None and path.exists():
        # The server may hold the file; a look at the claim needs no more than to read it.
        with open_readonly(path, clock) as reader:
            claim = reader.get(people.USER_POSTS, people.claim_key(username.lower()), False)
        found = None if claim is None else str(claim["userId"])
    elif path is None:
        async with opened(settings, clock, create_tables=False) as store:
            person = await directory.by_username(People(store, clock, Ids(clock)), username)
        found = None if person is None else person.id
    if found is None:
        raise UsernameNotFound(username)
    return UserId(found)


async def _ready(people: People) -> None:
    """The store answers, whatever it answers, and takes writes."""
    if people.store.trouble is not None:
        raise StoreFailing
    await directory.find(people, UserId("usr_nobody"))
