"""What all sockets of a node share: the contexts behind them, and how much there is room for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from greenroom.api.auth import Authenticator
from greenroom.api.rest.inbox import Changes, changes_of
from greenroom.api.ws import frames
from greenroom.api.ws.herald import encode
from greenroom.clock import iso
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, presence, sync
from greenroom.people.actor import Actor
from greenroom.realtime.hub import Hub

if TYPE_CHECKING:
    from greenroom.api.ws.session import Session

Handler: TypeAlias = Callable[["Session", Any], Awaitable[frames.Ack | None]]


@dataclass
class Desk:
    messaging: Messaging
    authenticator: Authenticator
    hub: Hub
    handlers: Mapping[type, Handler]
    most_connections: int = 20_000
    most_under_way: int = 20_000
    most_mistakes: int = 20
    sessions: set["Session"] = field(default_factory=set)
    under_way: int = 0
    is_draining: bool = False
    is_short_of_memory: bool = False

    def takes_more(self) -> bool:
        return (
            not self.is_draining
            and not self.is_short_of_memory
            and len(self.sessions) < self.most_connections
        )

    def has_room(self) -> bool:
        return self.under_way < self.most_under_way

    def cursor(self, user: UserId) -> str:
        return sync.cursor_now(self.messaging, user)

    async def changes(self, actor: Actor, cursor: str, have: Mapping[str, int]) -> Changes:
        """What a socket is told when it resumes, without the messages that the client has."""
        changes = changes_of(
            await sync.sync(self.messaging, actor, cursor), actor, self.messaging.clock.now_ms()
        )
        for changed in changes.threads:
            known = have.get(changed.thread.thread_id, 0)
            changed.messages = [
                message
                for message in changed.messages
                if message.seq > known or message.version > 1
            ]
        return changes

    async def renew(self) -> None:
        """Whoever has a thread on screen is still there."""
        for session in tuple(self.sessions):
            await session.look_at(tuple(session.on_screen))

    async def appeared(self, actor: Actor, thread: ThreadId) -> list[bytes]:
        """Says that the user looks at the thread, and who else does."""
        found = await presence.appear(self.messaging, actor, thread)
        told: list[frames.Event] = [
            frames.PresenceChanged(thread, user, True, iso(until))
            for user, until in found.there.items()
        ]
        told += [
            frames.TypingChanged(thread, user, True, iso(until))
            for user, until in found.typing.items()
        ]
        return [encode(frame) for frame in told]
