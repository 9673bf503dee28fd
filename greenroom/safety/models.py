"""Blocks, reports, cases and decisions as values, and the rules of moderation. Pure, no I/O.

A case is about a *subject*, and its id is derived from it: one subject, one case, however many
users report it. Warning and suspending also remove the text.
"""

from base64 import b32encode
from decimal import Decimal
from enum import StrEnum
from hashlib import blake2b
from typing import NewType, TypeAlias

from msgspec import Struct, field

from greenroom.ids import FileId, ManifestId, MessageId, NoticeId, ReportId, ThreadId, UserId
from greenroom.people.actor import StaffRole
from greenroom.safety.verdict import NO_SCORE, Judged, PolicyHint, PolicyTag

CaseId = NewType("CaseId", str)

CLAIM_MS = 15 * 60_000


class Block(Struct, frozen=True):
    blocker: UserId
    blocked: UserId
    at_ms: int = field(name="createdAt")


class SentMessage(Struct, frozen=True, rename="camel", tag="message", tag_field="kind"):
    """A message in its thread."""

    thread: ThreadId
    message: MessageId


class HeldMessage(Struct, frozen=True, rename="camel", tag="held", tag_field="kind"):
    """A message that is not in its thread yet, identified by the client's message id."""

    thread: ThreadId
    author: UserId
    client_message_id: str


class HeldEdit(Struct, frozen=True, rename="camel", tag="edit", tag_field="kind"):
    """A new text for a message in its thread."""

    thread: ThreadId
    author: UserId
    message: MessageId
    edits: int
    """How often the message had been edited before."""
    digest: str
    """Of the new text."""


class HeldName(Struct, frozen=True, rename="camel", tag="name", tag_field="kind"):
    """A new name for a thread."""

    thread: ThreadId
    author: UserId
    was: str
    """The name before; empty for none."""
    digest: str
    """Of the new name."""


class WholeThread(Struct, frozen=True, rename="camel", tag="thread", tag_field="kind"):
    thread: ThreadId


class SomePerson(Struct, frozen=True, rename="camel", tag="person", tag_field="kind"):
    user: UserId


class RatedFile(Struct, frozen=True, rename="camel", tag="file", tag_field="kind"):
    """The band of a file, against which its owner has appealed."""

    file: FileId
    owner: UserId
    band: int


Subject: TypeAlias = (
    SentMessage | HeldMessage | HeldEdit | HeldName | WholeThread | SomePerson | RatedFile
)


class Reason(StrEnum):
    """Why a user reports; all but `other` are policy tags in lower case."""

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
    """Closed together with another case of the same person. Moderators cannot choose it."""
    REINSTATE = "reinstate"
    """A suspension was lifted. This, `grant` and `revoke` end no case."""
    GRANT = "grant"
    REVOKE = "revoke"
    BAND = "band"
    """The band of a file was set. Only an appeal ends with it."""
    REVEAL = "reveal"
    """A moderator looked at a file without its blur. Ends no case."""
    APPEAL = "appeal"
    """The owner of a file appealed against its band. Opens a case."""


class Case(Struct, frozen=True, kw_only=True, rename="camel"):
    id: CaseId = field(name="caseId")
    subject: Subject
    about: UserId | None = None
    """The responsible user, if there is exactly one."""
    about_role: StaffRole | None = None
    """The role of `about`, read with the case. Not stored, because roles change."""
    staff_reporters: frozenset[UserId] = frozenset()
    """Reporters who were staff at the time: they may not judge the case."""
    text: str = ""
    """The text when it was held or first reported; of an appeal, what its author says."""
    files: tuple[FileId, ...] = ()
    """Those of the message, or the one that was rated."""
    manifest: ManifestId | None = None
    """That of the message."""
    reply_to: MessageId | None = None
    """The message that a held text replies to."""
    is_open: bool = True
    opened_ms: int
    version: int = 1
    """Increases with every change except a claim."""
    reports: int = 0
    reasons: frozenset[Reason] = frozenset()
    policy_tags: frozenset[PolicyTag] = frozenset()
    policy_hints: frozenset[PolicyHint] = frozenset()
    spam_score: Decimal = NO_SCORE
    verdict: str = ""
    """The reason of the verdict, if the text was held."""
    claimed_by: UserId | None = None
    claimed_until_ms: int = 0
    decision: Decision | None = None
    decided_by: UserId | None = None
    decided_ms: int | None = None
    reason: str = ""
    """The reason given to the person."""


class AuditEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """One entry of the append-only audit log."""

    case: CaseId | None = field(name="caseId", default=None)
    """None for reinstate, grant and revoke."""
    version: int = 0
    """Of the case."""
    id: str = field(name="entryId", default="")
    """Of an entry that ends no case."""
    at_ms: int
    by: UserId
    decision: Decision
    about: UserId | None = None
    removes: bool = False
    """Whether the text is removed."""
    note: str = ""
    """For staff."""
    reason: str = ""
    """For the person."""
    until_ms: int | None = None
    role: StaffRole | None = None
    """The role that was granted or revoked."""
    file: FileId | None = field(name="fileId", default=None)
    """The file that was rated or looked at."""
    band: int | None = None
    """The band that was set."""


class NoticeKind(StrEnum):
    """What happened to the user or their message."""

    RELEASED = "released"
    REJECTED = "rejected"
    """A held message was not delivered."""
    REMOVED = "removed"
    """A delivered message was removed."""
    WARNED = "warned"
    SUSPENDED = "suspended"
    REINSTATED = "reinstated"
    BANDED = "banded"
    """A moderator has set the band of a file."""
    BAND_KEPT = "band_kept"
    """An appeal was dismissed."""


class HeldKind(StrEnum):
    MESSAGE = "message"
    EDIT = "edit"
    NAME = "name"


class ModerationNotice(Struct, frozen=True, kw_only=True, rename="camel"):
    """Listed until the user acknowledges it."""

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
    """The beginning of the message in question."""
    held: HeldKind | None = None
    """The kind of text that was held."""
    file: FileId | None = None
    band: int | None = None
    """Of the file, after the decision."""


class HeldText(Struct, frozen=True, kw_only=True):
    """A user's own message, edit or thread name that waits for a moderator."""

    kind: HeldKind
    thread: ThreadId
    client_message_id: str | None = None
    """Of a message."""
    message: MessageId | None = None
    """Of an edit: the message, which keeps its old text until then."""
    text: str
    """Of a message with files: what is judged, which is its body and their descriptions."""
    has_files: bool = False
    reply_to: MessageId | None
    held_ms: int


class Sanctions(Struct, frozen=True, kw_only=True, rename="camel"):
    """A user's warnings, removals and suspensions so far."""

    user: UserId
    warnings: int = 0
    removals: int = 0
    suspensions: int = 0
    suspended_until_ms: int | None = None
    """`FOREVER_MS` if it has no end. Stays set after the suspension ended."""
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
        case RatedFile(file, _, band):
            names = ("file", file, str(band))
    hashed = blake2b("\n".join(names).encode(), digest_size=15, person=b"gr-case").digest()
    return CaseId("cas_" + b32encode(hashed).decode().lower())


def judgement_of(case: Case) -> Judged:
    """The judgement on the text when it was held."""
    return Judged(
        spam_score=case.spam_score,
        policy_tags=tuple(tag for tag in PolicyTag if tag in case.policy_tags),
        policy_hints=tuple(hint for hint in PolicyHint if hint in case.policy_hints),
    )


def tag_of(reason: Reason) -> PolicyTag | None:
    return None if reason is Reason.OTHER else PolicyTag(reason.value.upper())


def decisions_for(case: Case) -> frozenset[Decision]:
    """A held text is released or removed. Without a responsible user, nobody can be warned or
    suspended; and nobody is for an appeal."""
    match case.subject:
        case HeldMessage() | HeldEdit() | HeldName():
            possible = {Decision.RELEASE, Decision.REMOVE}
        case SentMessage() | WholeThread():
            possible = {Decision.DISMISS, Decision.REMOVE}
        case SomePerson():
            possible = {Decision.DISMISS}
        case RatedFile():
            return frozenset({Decision.DISMISS, Decision.BAND})
    if case.about is not None and case.about_role is not StaffRole.ADMIN:
        possible |= {Decision.WARN, Decision.SUSPEND}
    return frozenset(possible)


MAX_EXCERPT = 200
_NOTICE_KINDS: dict[Decision, NoticeKind] = {
    Decision.RELEASE: NoticeKind.RELEASED,
    Decision.WARN: NoticeKind.WARNED,
    Decision.SUSPEND: NoticeKind.SUSPENDED,
    Decision.BAND: NoticeKind.BANDED,
}


def notice_of(case: Case, entry: AuditEntry, notice: NoticeId) -> ModerationNotice | None:
    """The notice for the person the decision is about; None if there is none."""
    kind, held = _NOTICE_KINDS.get(entry.decision), held_kind(case.subject)
    if isinstance(case.subject, RatedFile) and entry.decision is Decision.DISMISS:
        kind = NoticeKind.BAND_KEPT
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
        thread=None if isinstance(subject, SomePerson | RatedFile) else subject.thread,
        message=subject.message if isinstance(subject, SentMessage | HeldEdit) else None,
        client_message_id=subject.client_message_id if isinstance(subject, HeldMessage) else None,
        excerpt=case.text[:MAX_EXCERPT],
        held=held,
        file=entry.file,
        band=entry.band,
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


def removes_text(case: Case, decision: Decision) -> bool:
    """Whether the decision removes the subject: a text unless released or dismissed, a thread only
    with REMOVE, a person never."""
    match case.subject:
        case SentMessage() | HeldMessage() | HeldEdit() | HeldName():
            return decision in (Decision.REMOVE, Decision.WARN, Decision.SUSPEND)
        case WholeThread():
            return decision is Decision.REMOVE
        case SomePerson() | RatedFile():
            return False


def was_rejected(case: Case) -> bool:
    """Whether a held text was rejected, directly or together with another case."""
    return not case.is_open and case.decision is not Decision.RELEASE


def closes_related(decided: AuditEntry, digest: str, other: Case, other_digest: str) -> bool:
    """Whether a decision also closes another open case of the same person: after a suspension every
    case, otherwise those about the same text."""
    if other.id == decided.case or not other.is_open:
        return False
    if decided.decision is Decision.SUSPEND:
        return True
    return decided.removes and digest != "" and digest == other_digest


def closing_removes(digest: str, other: Case, other_digest: str) -> bool:
    """A held text is always removed; a sent one only if its text is the same."""
    same = digest != "" and digest == other_digest
    return isinstance(other.subject, HeldMessage | HeldEdit | HeldName) or same


def is_claimed(case: Case, now_ms: int) -> bool:
    """A claim that ends later than `CLAIM_MS` from now was made before a clock jumped back."""
    return case.claimed_by is not None and 0 < case.claimed_until_ms - now_ms <= CLAIM_MS
