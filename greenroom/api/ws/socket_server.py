"""What all sockets of a node share: the contexts behind them, and how much there is room for."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from greenroom.api.auth import Authenticator
from greenroom.api.messaging.rest.inbox import Changes, changes_of
from greenroom.api.ws import frames
from greenroom.ids import UserId
from greenroom.messaging import Messaging, sync
from greenroom.people.actor import Actor
from greenroom.realtime.hub import Hub

if TYPE_CHECKING:
    from greenroom.api.ws.session import Session

Handler: TypeAlias = Callable[["Session", Any], Awaitable[frames.Ack | None]]
_AT_ONCE = 50


class Timeouts(Struct, frozen=True):
    """How many seconds a socket waits for what."""

    first_frame: float = 10
    """For a token."""
    idle: float = 30
    """Without a word from the client, before it is asked whether it is there."""
    pong: float = 20
    """For its answer; at most as long as `idle`."""
    finish: float = 5
    """For the requests under way, when the server stops."""
    close_reply: float = 2
    """For the client's own close frame after ours."""


@dataclass
class SocketServer:
    messaging: Messaging
    authenticator: Authenticator
    hub: Hub
    handlers: Mapping[type, Handler]
    most_connections: int = 20_000
    most_per_user: int = 20
    most_unauthenticated: int = 1_000
    """Sockets that have not authenticated yet."""
    most_under_way: int = 20_000
    most_invalid: int = 20
    timeouts: Timeouts = field(default_factory=Timeouts)
    sessions: set["Session"] = field(default_factory=set)
    waiting: dict["Session", None] = field(default_factory=dict)
    """Those that have not authenticated yet, the oldest first."""
    by_user: dict[UserId, dict["Session", None]] = field(default_factory=dict)
    """Those that have, the oldest first."""
    under_way: int = 0
    is_draining: bool = False
    is_short_of_memory: bool = False

    def accepts_connections(self) -> bool:
        return (
            not self.is_draining
            and not self.is_short_of_memory
            and len(self.sessions) < self.most_connections
        )

    def add(self, session: "Session") -> "Session | None":
        """The one that has to go for it."""
        self.sessions.add(session)
        self.waiting[session] = None
        return next(iter(self.waiting)) if len(self.waiting) > self.most_unauthenticated else None

    def authenticated(self, session: "Session", user: UserId) -> "Session | None":
        """The one that has to go for it."""
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

    def cursor(self, user: UserId, last: str | None = None) -> str:
        return sync.cursor_now(self.messaging, user, last)

    async def changes(self, actor: Actor, cursor: str) -> Changes:
        found = await sync.sync(self.messaging, actor, cursor)
        return changes_of(found, actor, self.messaging.clock.now_ms())

    async def renew(self) -> None:
        """Everybody who is connected, one after the other; trouble with one is nobody else's."""
        sessions, trouble = tuple(self.sessions), None
        for start in range(0, len(sessions), _AT_ONCE):
            some = (session.renew() for session in sessions[start : start + _AT_ONCE])
            for outcome in await asyncio.gather(*some, return_exceptions=True):
                trouble = outcome if isinstance(outcome, Exception) else trouble
        if trouble is not None:
            raise trouble
