"""Registers contexts: `ContextApi` describes one, and `Registry` combines them all.

A context exports one `ContextApi` from `api/<context>/registration.py`, and app.py has one tuple of
them. Settings, policy, routes, the socket, problems, the OpenAPI and AsyncAPI documents, the access
matrix, tables, sync, background work, costs and demo data are built from it.
docs/guides/contexts.md shows how to add one.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

import msgspec
from litestar.types import ControllerRouterHandler
from msgspec import Struct
from msgspec.structs import replace

from greenroom.api.composition import Composition, Contexts
from greenroom.api.example_cursor import NEXT
from greenroom.api.openapi.property import Property
from greenroom.api.platform.policy import CHANGES
from greenroom.api.problem_table import Problems, ProblemTable
from greenroom.api.route_docs import OperationExample
from greenroom.api.sync import Sync, SyncPart, changes_shape
from greenroom.api.ws.frames import Ack, Frame
from greenroom.background.follower import Follower
from greenroom.background.leased_jobs import LeasedJob
from greenroom.background.public_events import EventSource
from greenroom.background.timers import TimerHandler
from greenroom.people.actor import Actor
from greenroom.policy import Limit, PolicySchema, Section
from greenroom.realtime.bus import BusMessage
from greenroom.settings import SettingsGroup
from greenroom.sql.base import Schema
from greenroom.store.ephemeral import EPHEMERAL
from greenroom.store.tables import Kind, Table

if TYPE_CHECKING:
    from greenroom.api.ws.session import Session

Handler: TypeAlias = Callable[["Session", Any], Awaitable[Ack | None]]
OrderingKey: TypeAlias = Callable[["Session", Any], str | None]


class Example(Struct, frozen=True):
    """An example frame for the reference."""

    name: str
    frame: Frame


class SocketRequest(Struct, frozen=True, kw_only=True):
    """A request frame and its handler."""

    frame: type[Frame]
    handle: Handler
    limit: Limit = CHANGES
    """The rate limit that a request spends before any work is done."""
    ack: type[Ack] = Ack
    ordering_key: OrderingKey | None = None
    """Requests of one client with the same key are handled in the order in which they arrived."""
    examples: tuple[Example, ...]
    ack_examples: tuple[Example, ...] = ()


class SocketEvent(Struct, frozen=True, kw_only=True):
    """An event frame of the server."""

    frame: type[Frame]
    examples: tuple[Example, ...]


class SessionPart(Protocol):
    """A context's state for one connection."""

    event_kinds: frozenset[str]
    """The events that `on_event` is called with."""

    def on_authenticated(self, actor: Actor) -> None: ...

    def on_event(self, message: BusMessage) -> None:
        """Called before the event is sent to the client."""

    async def renew(self) -> None:
        """Called every 20 seconds."""

    def close(self, *, draining: bool) -> None:
        """Called when the connection has ended. `draining`: because the server stops."""


class Job(Struct, frozen=True):
    """A function that every node calls periodically."""

    name: str
    seconds: float
    run: Callable[[], Awaitable[object]]


@dataclass(frozen=True, kw_only=True)
class ContextApi:
    """Everything that one context registers."""

    name: str
    build: Callable[[Composition], object] | None = None
    """Builds the context. Contexts earlier in the tuple are already built."""
    close: Callable[[Contexts], Awaitable[None]] | None = None
    """Frees what the context holds: processes, connections. Called when the server stops."""
    tables: tuple[Table, ...] = ()
    after_restore: Callable[[Contexts], Awaitable[None]] | None = None
    """Heals what a restored copy of one part has and that of another has not. Called by `greenroom
    restore`; calling it again changes nothing."""
    sql: tuple[Schema, ...] = ()
    """Its tables in the SQL database."""
    ephemeral_kinds: tuple[Kind, ...] = ()
    """Kinds of its items in the shared table `Ephemeral`."""
    settings: tuple[type[SettingsGroup], ...] = ()
    """Its own settings. `build` finds a group by its class: `composition.settings[Group]`."""
    policy: tuple[type[Section], ...] = ()
    """Sections of the policy file: what operators can change. `build` finds a section by its class:
    `composition.policy[Section]`."""
    limits: tuple[Limit, ...] = ()
    """Rate limits that its routes, socket requests and use cases spend."""
    routes: tuple[ControllerRouterHandler, ...] = ()
    dependencies: Mapping[str, Callable[[Contexts], object]] = field(default_factory=dict)
    """Dependencies of route handlers, by parameter name."""
    requests: tuple[SocketRequest, ...] = ()
    events: tuple[SocketEvent, ...] = ()
    session_parts: tuple[Callable[["Session"], SessionPart], ...] = ()
    problems: Problems | None = None
    examples: Mapping[str, OperationExample] = field(default_factory=dict)
    """By operation id."""
    properties: Mapping[str, Property] = field(default_factory=dict)
    """Descriptions and lengths of properties, by `Schema.property` or `property`."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Descriptions of path and query parameters, by name."""
    sync: tuple[SyncPart, ...] = ()
    access: str = ""
    """Rows of the access matrix: the status for each kind of caller, and the route."""
    jobs: Callable[[Contexts], Sequence[Job]] = lambda _: ()
    leased_jobs: Callable[[Contexts], Sequence[LeasedJob]] = lambda _: ()
    """Functions that one node of the cluster calls periodically."""
    timers: Callable[[Contexts], Mapping[str, TimerHandler]] = lambda _: {}
    """Timer handlers, by the timer's kind."""
    followers: Callable[[Contexts], Sequence[Follower]] = lambda _: ()
    """Followers of a table's changes."""
    public_events: tuple[EventSource, ...] = ()
    """Its events for the operator's own systems, which webhooks keeps."""
    costs: tuple[str, ...] = ()
    """Modules with `PATTERNS`, measured by `greenroom cost`."""
    demo: str | None = None
    """A module with `seed_samples(seeding)`, which `greenroom demo` calls after creating the sample
    people."""


class Registry:
    """All contexts of an app, and everything built from them together."""

    def __init__(self, contexts: Sequence[ContextApi]) -> None:
        self.contexts = tuple(contexts)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table for one in self.contexts for table in one.tables)

    @cached_property
    def sql_schemas(self) -> tuple[Schema, ...]:
        return tuple(schema for one in self.contexts for schema in one.sql)

    @cached_property
    def described_tables(self) -> tuple[Table, ...]:
        """The tables with the kinds of all contexts in `Ephemeral`, for those who read about them.
        A store is opened with `tables`, as they are declared."""
        kinds = tuple(kind for one in self.contexts for kind in one.ephemeral_kinds)
        ephemeral = replace(EPHEMERAL, kinds=EPHEMERAL.kinds + kinds)
        return tuple(ephemeral if table is EPHEMERAL else table for table in self.tables)

    @cached_property
    def settings(self) -> tuple[type[SettingsGroup], ...]:
        return tuple(group for one in self.contexts for group in one.settings)

    @cached_property
    def policy(self) -> PolicySchema:
        return PolicySchema(
            [section for one in self.contexts for section in one.policy],
            [limit for one in self.contexts for limit in one.limits],
        )

    @cached_property
    def routes(self) -> tuple[ControllerRouterHandler, ...]:
        return tuple(route for one in self.contexts for route in one.routes)

    @cached_property
    def problems(self) -> ProblemTable:
        return ProblemTable([one.problems for one in self.contexts if one.problems is not None])

    @cached_property
    def requests(self) -> Mapping[type[Frame], SocketRequest]:
        return {request.frame: request for one in self.contexts for request in one.requests}

    @cached_property
    def events(self) -> Mapping[type[Frame], SocketEvent]:
        return {event.frame: event for one in self.contexts for event in one.events}

    @cached_property
    def decode_request(self) -> Callable[[bytes], Frame]:
        """Decodes a client's frame by its `type`."""
        union: Any = Union[tuple(self.requests)]  # noqa: UP007 (built at run time)
        decode: Callable[[bytes], Frame] = msgspec.json.Decoder(union).decode
        return decode

    @cached_property
    def session_parts(self) -> tuple[Callable[["Session"], SessionPart], ...]:
        return tuple(part for one in self.contexts for part in one.session_parts)

    @cached_property
    def examples(self) -> Mapping[str, OperationExample]:
        own = {name: shown for one in self.contexts for name, shown in one.examples.items()}
        return own | {"sync": OperationExample({200: self.changes_example})}

    @cached_property
    def properties(self) -> Mapping[str, Property]:
        parts = {f"Changes.{one.name}": Property(one.description) for one in self.sync_parts}
        own = {name: known for one in self.contexts for name, known in one.properties.items()}
        return parts | own

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        return {name: known for one in self.contexts for name, known in one.parameters.items()}

    def property_of(self, schema: str, name: str) -> Property | None:
        return self.properties.get(f"{schema}.{name}") or self.properties.get(name)

    @cached_property
    def sync_parts(self) -> tuple[SyncPart, ...]:
        return tuple(part for one in self.contexts for part in one.sync)

    @cached_property
    def changes(self) -> type[Struct]:
        """The shape of `GET /v1/sync`."""
        return changes_shape(self.sync_parts)

    @cached_property
    def changes_example(self) -> Struct:
        parts = {part.name: part.example for part in self.sync_parts}
        return self.changes(cursor=NEXT, more=False, reset=[], **parts)

    @cached_property
    def access(self) -> str:
        return "\n".join(one.access for one in self.contexts if one.access)

    @cached_property
    def public_events(self) -> tuple[EventSource, ...]:
        return tuple(source for one in self.contexts for source in one.public_events)

    @cached_property
    def costs(self) -> tuple[str, ...]:
        return tuple(module for one in self.contexts for module in one.costs)

    @cached_property
    def demos(self) -> tuple[str, ...]:
        return tuple(one.demo for one in self.contexts if one.demo is not None)

    def dependencies(self, contexts: Contexts) -> dict[str, object]:
        return {
            name: give(contexts) for one in self.contexts for name, give in one.dependencies.items()
        }

    def jobs(self, contexts: Contexts) -> list[Job]:
        return [job for one in self.contexts for job in one.jobs(contexts)]

    def leased_jobs(self, contexts: Contexts) -> list[LeasedJob]:
        return [job for one in self.contexts for job in one.leased_jobs(contexts)]

    def timers(self, contexts: Contexts) -> dict[str, TimerHandler]:
        return {kind: one for api in self.contexts for kind, one in api.timers(contexts).items()}

    def followers(self, contexts: Contexts) -> list[Follower]:
        return [follower for one in self.contexts for follower in one.followers(contexts)]

    async def close(self, contexts: Contexts) -> None:
        """Closes the contexts, the last one first."""
        for one in reversed(self.contexts):
            if one.close is not None:
                await one.close(contexts)

    async def after_restore(self, contexts: Contexts) -> None:
        for one in self.contexts:
            if one.after_restore is not None:
                await one.after_restore(contexts)

    def build(self, composition: Composition) -> Contexts:
        """Builds the contexts, and adds this registry and the sync over all of them."""
        for one in self.contexts:
            if one.build is not None:
                composition.contexts.add(one.build(composition))
        contexts = composition.contexts
        contexts.add(self)
        contexts.add(Sync(self.sync_parts, contexts, composition.cursors))
        return contexts
