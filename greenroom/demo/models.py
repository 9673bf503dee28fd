"""What a scene of the story is made of. Pure values: the words are in `story.py`."""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.messaging.models import Kind, Role
from greenroom.safety.models import Decision, Reason

MINUTE, HOUR, DAY = 1, 60, 24 * 60


class SampleMessage(Struct, frozen=True):
    """Somebody says something, so many minutes after the line before."""

    author: str
    text: str
    after: int = 4
    reactions: tuple[tuple[str, str], ...] = ()
    """Who reacts, and with what."""
    replies_to: int | None = None
    """The line that is quoted, counted from 0."""
    edited_to: str | None = None
    """What its author makes of it a minute later."""
    held: bool = False
    """Waits for a moderator, and so is no part of the conversation."""


class SampleReport(Struct, frozen=True, kw_only=True):
    by: str
    line: int
    """Which one; it was sent, or it could not be reported."""
    reason: Reason
    note: str
    decision: Decision | None = None
    """By the moderator, a while later; without one it waits."""
    why: str = ""


class MemberState(Struct, frozen=True, kw_only=True):
    """What somebody has made of their side of it. Who has none has read everything."""

    unread: int = 0
    pinned: bool = False
    muted: bool = False
    archived: bool = False
    draft: str = ""


class SampleThread(Struct, frozen=True, kw_only=True):
    """A conversation: who opens it with whom, who has accepted, and what is said."""

    key: str
    ended: int
    """How many minutes before the story is told the last word was said."""
    kind: Kind
    opener: str
    others: Mapping[str, Role]
    accepted: tuple[str, ...] = ()
    role: Role = Role.BUYER
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    city: str | None = None
    messages: tuple[SampleMessage, ...]
    member_states: Mapping[str, MemberState] = {}
    reports: tuple[SampleReport, ...] = ()

    @property
    def began(self) -> int:
        """An edit takes its author a minute."""
        spent = [line.after + (line.edited_to is not None) for line in self.messages]
        return self.ended + sum(spent)

    @property
    def last_seq(self) -> int:
        """How far the conversation is when the scene is over."""
        return sum(not line.held for line in self.messages)
