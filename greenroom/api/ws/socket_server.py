"""The state that all sockets of a node share: contexts, sessions and limits."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import Struct

from greenroom.api.auth import Authenticator
from greenroom.api.composition import Contexts
from greenroom.api.duplicate_keys import fewest_keys
from greenroom.api.problem_table import ProblemTable
from greenroom.api.registry import Registry, SocketRequest
from greenroom.api.sync import Sync
from greenroom.api.ws.frames import Frame
from greenroom.clock import Clock
from greenroom.ids import UserId
from greenroom.metrics import Metrics
from greenroom.people import People
from greenroom.realtime.hub import Hub
from greenroom.safety import Safety
from greenroom.safety.limits import Limits

if TYPE_CHECKING:
    from greenroom.api.ws.session import Session

_AT_ONCE = 50


class Timeouts(Struct, frozen=True):
    """Timeouts of a socket, in seconds."""

    first_frame: float = 10
    """Until a token arrives."""
    idle: float = 30
    """Without input from the client, until a ping is sent."""
    pong: float = 20
    """Until the client's pong; at most as long as `idle`."""
    finish: float = 5
    """For running requests, when the server stops."""
    close_reply: float = 2
    """Until the client's close frame, after ours."""


@dataclass
class SocketServer:
    contexts: Contexts
    authenticator: Authenticator
    hub: Hub
    most_connections: int = 20_000
    most_per_user: int = 20
    most_unauthenticated: int = 1_000
    """The largest number of sockets that have not authenticated."""
    most_under_way: int = 20_000
    most_invalid: int = 20
    timeouts: Timeouts = field(default_factory=Timeouts)
    sessions: set["Session"] = field(default_factory=set)
    waiting: dict["Session", None] = field(default_factory=dict)
    """Sessions that have not authenticated, the oldest first."""
    by_user: dict[UserId, dict["Session", None]] = field(default_factory=dict)
    """Authenticated sessions by user, the oldest first."""
    under_way: int = 0
    is_draining: bool = False
    is_short_of_memory: bool = False
    metrics: Metrics = field(default_factory=Metrics)
    acked: int = 0
    """How many requests have succeeded."""

    def __post_init__(self) -> None:
        self.registry: Registry = self.contexts[Registry]
        self.sync: Sync = self.contexts[Sync]
        self.clock: Clock = self.contexts[People].clock
        self.limits: Limits = self.contexts[Safety].limits
        self.problems: ProblemTable = self.registry.problems
        self.requests: Mapping[type[Frame], SocketRequest] = self.registry.requests
        self.decode: Callable[[bytes], Frame] = self.registry.decode_request
        self.received = dict.fromkeys(self.requests, 0)
        """How many requests have come, by frame."""
        self.fewest_keys = {kind: fewest_keys(kind) for kind in self.requests}

    def accepts_connections(self) -> bool:
        return (
            not self.is_draining
            and not self.is_short_of_memory
            and len(self.sessions) < self.most_connections
        )

    def add(self, session: "Session") -> "Session | None":
        """Returns the session to close in its place, if any."""
        self.sessions.add(session)
        self.waiting[session] = None
        return next(iter(self.waiting)) if len(self.waiting) > self.most_unauthenticated else None

    def authenticated(self, session: "Session", user: UserId) -> "Session | None":
        """Returns the session to close in its place, if any."""
        self.waiting.pop(session, None)
        own = self.by_user.setdefault(user, {})
        own[session] = None
        return next(iter(own)) if len(own) > self.most_per_user else None

    def left(self, session: "Session", user: UserId | None) -> None:
        self.waiting.pop(session, None)
        own = {} if user is None else self.by_user.get(user, {})
        own.pop(session, None)
        if user is not None and not own:
            self.by_user.pop(user, None)

    def has_room(self) -> bool:
        return self.under_way < self.most_under_way

    async def renew(self) -> None:
        """Renews all sessions in turn. A failure of one does not affect the others."""
        sessions, trouble = tuple(self.sessions), None
        for start in range(0, len(sessions), _AT_ONCE):
            some = (session.renew() for session in sessions[start : start + _AT_ONCE])
            for outcome in await asyncio.gather(*some, return_exceptions=True):
                trouble = outcome if isinstance(outcome, Exception) else trouble
        if trouble is not None:
            raise trouble
