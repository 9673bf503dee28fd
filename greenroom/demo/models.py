"""The values that describe a sample thread. The texts are in `sample_threads.py`."""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.demo.sample_panel import SampleEdit
from greenroom.demo.upload import SampleFile
from greenroom.files.models import NewManifest
from greenroom.messaging.models import Kind, Role
from greenroom.safety.models import Decision, Reason

MINUTE, HOUR, DAY = 1, 60, 24 * 60


class SampleMessage(Struct, frozen=True):
    """A message, so many minutes after the one before."""

    author: str
    text: str
    after: int = 4
    reactions: tuple[tuple[str, str], ...] = ()
    """User and emoji."""
    replies_to: int | None = None
    """The index of the message that this one replies to."""
    edited_to: str | None = None
    """The text after an edit one minute later."""
    held: bool = False
    """Held for a moderator, so it is not part of the thread."""
    files: tuple[SampleFile, ...] = ()
    manifest: NewManifest | None = None
    """The delivery that it records."""


class SampleScheduled(Struct, frozen=True):
    """A message that is sent days after the demo's start, at nine in the morning UTC."""

    author: str
    text: str
    in_days: int = 1


class SampleReport(Struct, frozen=True, kw_only=True):
    by: str
    line: int
    """The index of the reported message; it must not be a held one."""
    reason: Reason
    note: str
    decision: Decision | None = None
    """The moderator's decision half an hour later; without one the case stays open."""
    why: str = ""
    band: int | None = None
    """What the moderator sets the band of its pictures to, before the decision."""


class MemberState(Struct, frozen=True, kw_only=True):
    """A member's own settings and unread count. Members without one have read everything."""

    unread: int = 0
    pinned: bool = False
    muted: bool = False
    archived: bool = False
    draft: str = ""


class SampleThread(Struct, frozen=True, kw_only=True):
    """A thread: who opens it with whom, who has accepted, and its messages."""

    key: str
    ended: int
    """How many minutes before the demo's start the last message was sent."""
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
    scheduled: tuple[SampleScheduled, ...] = ()
    panel: tuple[SampleEdit, ...] = ()
    """Edits of its project panel."""
    picture: SampleFile | None = None
    """The thread's picture, which its opener sets."""
    avatars: Mapping[str, SampleFile] = {}
    """Pictures of people, which they set before it begins."""

    @property
    def began(self) -> int:
        """In minutes before the start; an edit takes one minute."""
        spent = [line.after + (line.edited_to is not None) for line in self.messages]
        return self.ended + sum(spent)

    @property
    def last_seq(self) -> int:
        """The `seq` of the last message."""
        return sum(not line.held for line in self.messages)
