"""The world that all tests share: a store, a clock, people by name, and the contexts over them.

The contexts come from the product's own `compose`. The clock usually stands still until the test
moves it, and the ids are made from it. A folder that needs more has a subclass of `World`.
"""

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Self

from httpx import ASGITransport, AsyncClient
from litestar import Litestar
from typing_extensions import TypeVar

from greenroom.api.auth import Authenticator
from greenroom.api.composition import Contexts
from greenroom.api.demo import Sample, Sign
from greenroom.api.http import http_app
from greenroom.api.registry import Registry
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.app import REGISTRY, compose
from greenroom.background import records as background
from greenroom.background.timers import TimerRunner
from greenroom.blobs.base import Blobs
from greenroom.bookings import Bookings
from greenroom.bookings.settings import BookingSettings
from greenroom.clock import Clock, ManualClock
from greenroom.files import Files, records as files_records
from greenroom.files.settings import FileSettings
from greenroom.ids import UserId
from greenroom.messaging import Messaging, records as messaging_records
from greenroom.people import People, records as people_records
from greenroom.people.actor import Actor, Scope, StaffRole, system
from greenroom.people.join import join
from greenroom.policy import Limit
from greenroom.realtime.hub import Hub
from greenroom.safety import Safety, records as safety_records
from greenroom.safety.grant import grant
from greenroom.safety.limits import Rate, rates_of
from greenroom.settings import Settings
from greenroom.sql.base import Database
from greenroom.store import ephemeral
from greenroom.store.base import Store
from tests.blob_folders import temporary_blobs
from tests.sql_databases import temporary_sql
from tests.stores import SECRET

LIMITS = REGISTRY.policy.limits
RATES = rates_of(REGISTRY.policy.default.limits)
UNLIMITED = dict.fromkeys(
    LIMITS, Rate(most=10**9, window_ms=1000, local_share=10**6, lease_size=10**6, lease_ms=1000)
)

TABLES = tuple(
    table
    for part in (
        people_records,
        safety_records,
        files_records,
        messaging_records,
        ephemeral,
        background,
    )
    for table in part.TABLES
)
"""Those that the contexts under test use: on DynamoDB each table takes time to make."""

SETTINGS = Settings(groups=(FileSettings(rate_pictures=False), BookingSettings(payments="sandbox")))
"""Pictures are not rated, whether the model is installed or not; payments move no money."""

C = TypeVar("C", bound=Clock, default=ManualClock)


@dataclass(eq=False)
class World(Generic[C]):
    contexts: Contexts
    clock: C
    rates: Mapping[Limit, Rate] = field(default_factory=lambda: RATES)
    actors: dict[str, Actor] = field(default_factory=dict)

    @classmethod
    def over(
        cls,
        store: Store,
        clock: C,
        rates: Mapping[Limit, Rate] = RATES,
        hub: Hub | None = None,
        blobs: Blobs | None = None,
        sql: Database | None = None,
        **fields: Any,
    ) -> Self:
        """Composed over this store; `fields` are those of a subclass."""
        given = blobs or temporary_blobs(clock)
        contexts = compose(
            store,
            clock,
            SECRET,
            hub=hub,
            blobs=given,
            sql=sql or temporary_sql(),
            settings=SETTINGS,
            rates=rates,
        )
        return cls(contexts, clock, rates, **fields)

    @property
    def store(self) -> Store:
        return self.contexts[Messaging].store

    @property
    def people(self) -> People:
        return self.contexts[People]

    @property
    def safety(self) -> Safety:
        return self.contexts[Safety]

    @safety.setter
    def safety(self, safety: Safety) -> None:
        self.contexts.add(safety)

    @property
    def files(self) -> Files:
        return self.contexts[Files]

    @property
    def bookings(self) -> Bookings:
        return self.contexts[Bookings]

    @property
    def messaging(self) -> Messaging:
        return self.contexts[Messaging]

    @messaging.setter
    def messaging(self, messaging: Messaging) -> None:
        self.contexts.add(messaging)

    async def person(self, name: str, *scopes: Scope, role: StaffRole | None = None) -> Actor:
        """Joins the first time. Scopes are those of the first call."""
        if name not in self.actors:
            account = await join(self.people, name)
            self.actors[name] = Actor(account.id, frozenset({Scope.USER, *scopes}))
        if role is not None:
            await grant(self.safety, system(), self.user(name), role)
        return self.actors[name]

    def user(self, name: str) -> UserId:
        return self.actors[name].user

    def id(self, name: str) -> str:
        """Of a person by name; anything else is taken for an id."""
        return self.user(name) if name in self.actors else name

    async def run_timers(self) -> None:
        """Runs every timer that is due now, as a node does."""
        handlers = self.contexts[Registry].timers(self.contexts)
        runner = TimerRunner(
            self.store, self.clock, handlers, holds=lambda _: True, chance=random.Random(1)
        )
        await runner.poll()
        await runner.settle()

    def token(self, name: str, *scopes: Scope, seconds: float = 3600, **claims: object) -> str:
        given: dict[str, object] = {"sub": self.id(name), "scope": " ".join(scopes)}
        given["exp"] = self.clock.now_ms() / 1000 + seconds
        return SharedSecret(SECRET).sign(given | claims)


def messaging_on(store: Store, clock: Clock, rates: Mapping[Limit, Rate] = RATES) -> Messaging:
    return compose(store, clock, SECRET, rates=rates)[Messaging]


def authenticator_on(contexts: Contexts) -> Authenticator:
    """Accepts the tokens that `World.token` signs."""
    return Authenticator(contexts[People], SharedSecret(SECRET), Expected())


async def always_ready() -> None:
    pass


def http_app_on(
    contexts: Contexts,
    *,
    authenticator: Authenticator | None = None,
    ready: Callable[[], Awaitable[None]] = always_ready,
    samples: Sequence[Sample] = (),
    sign: Sign | None = None,
    origins: Sequence[str] = (),
) -> Litestar:
    """Pass the socket's authenticator if there is one: it caches accounts for both."""
    known = authenticator or authenticator_on(contexts)
    return http_app(contexts, known, ready, samples, sign, origins=origins)


@asynccontextmanager
async def http_client(app: Litestar, **options: Any) -> AsyncIterator[AsyncClient]:
    """Calls the app in this process and this event loop, to which the store belongs."""
    transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
    async with AsyncClient(transport=transport, base_url="http://greenroom", **options) as client:
        yield client
