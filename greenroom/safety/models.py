"""Blocks, reports, cases and decisions, as values, and the rules of moderation: pure, no I/O.

A case is about a *subject*, and its id follows from it: one subject, one case, however many report
it. What a moderator decides is a ladder: each step does what it says and takes the text away too.
"""

from base64 import b32encode
from decimal import Decimal
from enum import StrEnum
from hashlib import blake2b
from typing import NewType, TypeAlias

from msgspec import Struct, field

from greenroom.ids import MessageId, NoticeId, ReportId, ThreadId, UserId
from greenroom.people.actor import StaffRole
from greenroom.safety.verdict import NO_SCORE, Judged, PolicyHint, PolicyTag

CaseId = NewType("CaseId", str)

CLAIM_MS = 15 * 60_000


class Block(Struct, frozen=True):
    blocker: UserId
    blocked: UserId
    at_ms: int = field(name="createdAt")


class SentMessage(Struct, frozen=True, rename="camel", tag="message", tag_field="kind"):
    """A message that stands in its thread."""

    thread: ThreadId
    message: MessageId


class HeldMessage(Struct, frozen=True, rename="camel", tag="held", tag_field="kind"):
    """A message that has not reached its thread: it is known by its client's id alone."""

    thread: ThreadId
    author: UserId
    client_message_id: str


class HeldEdit(Struct, frozen=True, rename="camel", tag="edit", tag_field="kind"):
    """A new text for a message that stands in its thread."""

    thread: ThreadId
    author: UserId
    message: MessageId
    edits: int
    """How often the message had been edited then."""
    digest: str
    """Of the new text."""


class HeldName(Struct, frozen=True, rename="camel", tag="name", tag_field="kind"):
    """A new name for a thread."""

    thread: ThreadId
    author: UserId
    was: str
    """The name then; empty for none."""
    digest: str
    """Of the new name."""


class WholeThread(Struct, frozen=True, rename="camel", tag="thread", tag_field="kind"):
    thread: ThreadId


class SomePerson(Struct, frozen=True, rename="camel", tag="person", tag_field="kind"):
    user: UserId


Subject: TypeAlias = SentMessage | HeldMessage | HeldEdit | HeldName | WholeThread | SomePerson


class Reason(StrEnum):
    """Why somebody reports; all but `other` are policy tags in small letters."""

    HARASSMENT = "harassment"
    DOXXING = "doxxing"
    NSFW = "nsfw"
    SCAM = "scam"
    SPAM = "spam"
    OFF_PLATFORM = "off_platform"
    OTHER = "other"


class Report(Struct, frozen=True, kw_only=True, rename="camel"):
    id: ReportId = field(name="reportId")
    case: CaseId = field(name="caseId")
    reporter: UserId
    subject: Subject
    reason: Reason
    note: str = ""
    at_ms: int


class Decision(StrEnum):
    RELEASE = "release"
    DISMISS = "dismiss"
    REMOVE = "remove"
    WARN = "warn"
    SUSPEND = "suspend"
    FOLDED = "folded"
    """Closed with another case of the same person. No moderator chooses it."""
    REINSTATE = "reinstate"
    """A suspension was lifted. This, `grant` and `revoke` end no case."""
    GRANT = "grant"
    REVOKE = "revoke"


class Case(Struct, frozen=True, kw_only=True, rename="camel"):
    id: CaseId = field(name="caseId")
    subject: Subject
    about: UserId | None = None
    """Whose doing it is, where that is one person."""
    about_role: StaffRole | None = None
    """Of that person, as read with the case. Never stored: roles change."""
    staff_reporters: frozenset[UserId] = frozenset()
    """Those of the reporters who were staff then: they do not judge it."""
    text: str = ""
    """The text as it was when it was held or first reported."""
    reply_to: MessageId | None = None
    """What a held text answers."""
    is_open: bool = True
    opened_ms: int
    version: int = 1
    """Goes up whenever there is something new to look at; a claim is not."""
    reports: int = 0
    reasons: frozenset[Reason] = frozenset()
    policy_tags: frozenset[PolicyTag] = frozenset()
    policy_hints: frozenset[PolicyHint] = frozenset()
    spam_score: Decimal = NO_SCORE
    verdict: str = ""
    """Why it was held: the reason of the verdict."""
    claimed_by: UserId | None = None
    claimed_until_ms: int = 0
    decision: Decision | None = None
    decided_by: UserId | None = None
    decided_ms: int | None = None
    reason: str = ""
    """What the person was told."""


class Entry(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of the append-only audit log."""

    case: CaseId | None = field(name="caseId", default=None)
    """None for what is no decision on a case: reinstate, grant, revoke."""
    version: int = 0
    """Of the case."""
    id: str = field(name="entryId", default="")
    """Of a line that belongs to no case."""
    at_ms: int
    by: UserId
    decision: Decision
    about: UserId | None = None
    removes: bool = False
    """Whether the text is taken away."""
    note: str = ""
    """For staff."""
    reason: str = ""
    """For the person."""
    until_ms: int | None = None
    role: StaffRole | None = None
    """Which role was granted, or revoked."""


class NoticeKind(StrEnum):
    """What moderation tells somebody about themselves or their message."""

    RELEASED = "released"
    REJECTED = "rejected"
    """A held message was not delivered."""
    REMOVED = "removed"
    """A message that others could read was taken away."""
    WARNED = "warned"
    SUSPENDED = "suspended"
    REINSTATED = "reinstated"


class HeldKind(StrEnum):
    MESSAGE = "message"
    EDIT = "edit"
    NAME = "name"


class ModerationNotice(Struct, frozen=True, kw_only=True, rename="camel"):
    """Kept until the user has acknowledged it."""

    id: NoticeId = field(name="noticeId")
    user: UserId
    kind: NoticeKind
    at_ms: int
    reason: str = ""
    until_ms: int | None = None
    thread: ThreadId | None = None
    message: MessageId | None = None
    client_message_id: str | None = None
    excerpt: str = ""
    """The beginning of the message that it is about."""
    held: HeldKind | None = None
    """What was held until then."""


class HeldText(Struct, frozen=True, kw_only=True):
    """A message, edit or name of somebody's own that waits for a moderator."""

    kind: HeldKind
    thread: ThreadId
    client_message_id: str | None = None
    """Of a message."""
    message: MessageId | None = None
    """Of an edit: the message that stays as it is meanwhile."""
    text: str
    reply_to: MessageId | None
    held_ms: int


class Standing(Struct, frozen=True, kw_only=True, rename="camel"):
    """What moderation has decided about somebody so far."""

    user: UserId
    warnings: int = 0
    removals: int = 0
    suspensions: int = 0
    suspended_until_ms: int | None = None
    """`FOREVER_MS` where it has no end; also after it has ended or was lifted."""
    reinstated_ms: int | None = None
    last_decision_ms: int | None = None


def case_id(subject: Subject) -> CaseId:
    names: tuple[str, ...]
    match subject:
        case SentMessage(thread, message):
            names = ("message", thread, message)
        case HeldMessage(thread, author, client_message_id):
            names = ("held", thread, author, client_message_id)
        case HeldEdit(thread, author, message, edits, digest):
            names = ("edit", thread, author, message, str(edits), digest)
        case HeldName(thread, author, was, digest):
            names = ("name", thread, author, was, digest)
        case WholeThread(thread):
            names = ("thread", thread)
        case SomePerson(user):
            names = ("person", user)
    hashed = blake2b("\n".join(names).encode(), digest_size=15, person=b"gr-case").digest()
    return CaseId("cas_" + b32encode(hashed).decode().lower())


def said_of(case: Case) -> Judged:
    """What safety said of the text when it was held."""
    return Judged(
        spam_score=case.spam_score,
        policy_tags=tuple(tag for tag in PolicyTag if tag in case.policy_tags),
        policy_hints=tuple(hint for hint in PolicyHint if hint in case.policy_hints),
    )


def tag_of(reason: Reason) -> PolicyTag | None:
    return None if reason is Reason.OTHER else PolicyTag(reason.value.upper())


def decisions_for(case: Case) -> frozenset[Decision]:
    """A held text is released or removed; about what nobody is known to have done, nobody is
    warned or suspended."""
    match case.subject:
        case HeldMessage() | HeldEdit() | HeldName():
            possible = {Decision.RELEASE, Decision.REMOVE}
        case SentMessage() | WholeThread():
            possible = {Decision.DISMISS, Decision.REMOVE}
        case SomePerson():
            possible = {Decision.DISMISS}
    if case.about is not None and case.about_role is not StaffRole.ADMIN:
        possible |= {Decision.WARN, Decision.SUSPEND}
    return frozenset(possible)


MAX_EXCERPT = 200
_TOLD: dict[Decision, NoticeKind] = {
    Decision.RELEASE: NoticeKind.RELEASED,
    Decision.WARN: NoticeKind.WARNED,
    Decision.SUSPEND: NoticeKind.SUSPENDED,
}


def notice_of(case: Case, entry: Entry, notice: NoticeId) -> ModerationNotice | None:
    """What the decision tells the person whom it is about; None where it concerns nobody."""
    kind, held = _TOLD.get(entry.decision), held_kind(case.subject)
    if kind is None and entry.removes:
        kind = NoticeKind.REMOVED if held is None else NoticeKind.REJECTED
    if kind is None or entry.about is None:
        return None
    subject = case.subject
    return ModerationNotice(
        id=notice,
        user=entry.about,
        kind=kind,
        at_ms=entry.at_ms,
        reason=entry.reason,
        until_ms=entry.until_ms,
        thread=None if isinstance(subject, SomePerson) else subject.thread,
        message=subject.message if isinstance(subject, SentMessage | HeldEdit) else None,
        client_message_id=subject.client_message_id if isinstance(subject, HeldMessage) else None,
        excerpt=case.text[:MAX_EXCERPT],
        held=held,
    )


def held_kind(subject: Subject) -> HeldKind | None:
    match subject:
        case HeldMessage():
            return HeldKind.MESSAGE
        case HeldEdit():
            return HeldKind.EDIT
        case HeldName():
            return HeldKind.NAME
        case _:
            return None


def takes_away(case: Case, decision: Decision) -> bool:
    """Whether what the case is about goes with the decision: a text unless it is let be, a thread
    only by name, a person never."""
    match case.subject:
        case SentMessage() | HeldMessage() | HeldEdit() | HeldName():
            return decision in (Decision.REMOVE, Decision.WARN, Decision.SUSPEND)
        case WholeThread():
            return decision is Decision.REMOVE
        case SomePerson():
            return False


def was_rejected(case: Case) -> bool:
    """Of a held text: whether it was decided, by itself or with another case, not to show it."""
    return not case.is_open and case.decision is not Decision.RELEASE


def folds(decided: Entry, digest: str, other: Case, other_digest: str) -> bool:
    """Whether a decision ends this other open case of the same person too: all of them once
    somebody is suspended, else those about the same words."""
    if other.id == decided.case or not other.is_open:
        return False
    if decided.decision is Decision.SUSPEND:
        return True
    return decided.removes and digest != "" and digest == other_digest


def folding_takes_away(digest: str, other: Case, other_digest: str) -> bool:
    """A held text cannot wait any longer; a sent one goes if its words have been judged."""
    same = digest != "" and digest == other_digest
    return isinstance(other.subject, HeldMessage | HeldEdit | HeldName) or same


def is_claimed(case: Case, now_ms: int) -> bool:
    """A claim that lies further ahead than any is given for is one of a clock that jumped back."""
    return case.claimed_by is not None and 0 < case.claimed_until_ms - now_ms <= CLAIM_MS
