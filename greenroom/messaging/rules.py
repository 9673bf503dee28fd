"""The rules of threads, as pure functions: who may see what, folders, unread counts, gates.

Careful: only the end of a gate and of a mute depend on the clock. So a row in a folder stays
correct without another write.
"""

from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging.models import (
    REQUEST_MESSAGES,
    Away,
    Folder,
    Gate,
    GateStatus,
    Kind,
    Member,
    MemberSummary,
    MissedRange,
    Role,
    State,
    Status,
    Thread,
)

MAX_PARTICIPANTS = 100
MAX_MISSED = 8
"""How many ranges of missed messages the head keeps for a member."""
MAX_RECEIPT_GROUP = 10
"""In larger groups receipts show on reload, but are neither published nor synced."""
AHEAD_MS = 5000
"""A time further in the future than this comes from a wrong clock."""
_BOOKED = frozenset({Status.CONFIRMED, Status.COMPLETED, Status.DISPUTED})
STAFF = frozenset({Role.SUPPORT, Role.ADMIN})
_BUYING = frozenset({Role.BUYER})
_SELLING = frozenset({Role.SELLER, Role.HOST})
_BOOKINGS = frozenset({Kind.BOOKING, Kind.STUDIO, Kind.DISPUTE})
_OFFERS = frozenset({Kind.INQUIRY, Kind.INVITE})
OUTSIDE_ALL = frozenset({Folder.ARCHIVED, Folder.SPAM, Folder.HIDDEN})
"""The folders that are not part of `all` and of the badge."""
_TALKING = frozenset({Status.OPEN, Status.AWAITING_REPLY, Status.ARCHIVED})
"""The statuses that messages can change; the others belong to bookings and moderators."""


class RowState(Struct, frozen=True):
    """A thread in a user's inbox: the one rule behind folder, row and badge."""

    folder: Folder | None
    """None where the user must not see it."""
    unread: int
    muted: bool

    @property
    def badge(self) -> int:
        """Its part of the badge: the rows of `all` without the muted ones."""
        away = self.folder is None or self.folder in OUTSIDE_ALL
        return 0 if away or self.muted else self.unread


def row_state(thread: Thread, mine: Member, now_ms: int) -> RowState:
    folder = folder_of(thread, mine, now_ms)
    unread = 0 if folder is None else unread_of(thread, mine)
    return RowState(folder, unread, mine.muted_until_ms > now_ms)


def folder_of(thread: Thread, mine: Member, now_ms: int) -> Folder | None:
    if mine.state is not State.ACTIVE or mine.user not in thread.members:
        return None
    if not has_access(thread, mine.user, now_ms):
        return None
    if is_empty_request(thread, mine.user):
        return None
    if is_hidden(thread, mine):
        return Folder.HIDDEN
    if mine.spam:
        return Folder.SPAM
    if is_archived(thread, mine):
        return Folder.ARCHIVED
    if not has_accepted(thread, mine.user):
        return Folder.REQUESTS
    if mine.user in thread.awaiting or waits_for_card(thread, mine.user):
        return Folder.ACTION
    if thread.kind in _BOOKINGS or thread.booking_id or thread.leg_id or thread.lbg_id:
        return Folder.BOOKINGS
    return Folder.OFFERS if thread.kind in _OFFERS else Folder.OTHER


def waits_for_card(thread: Thread, user: UserId) -> bool:
    """Whether a card waits for this user's answer."""
    return any(user in users for users in thread.open_cards.values())


def awaited(thread: Thread) -> tuple[UserId, ...]:
    """Whom the thread waits for: of a reply, or of an answer to a card."""
    if not thread.open_cards:
        return thread.awaiting
    cards = (user for users in thread.open_cards.values() for user in users)
    return tuple(sorted({*thread.awaiting, *cards}))


def is_archived(thread: Thread, mine: Member) -> bool:
    """A later message brings it back, unless the thread was muted then."""
    if mine.archived_seq is None:
        return False
    seq = shown_seq(thread, mine.user)
    return seq <= mine.archived_seq or thread.last_ms < mine.muted_until_ms


def is_hidden(thread: Thread, mine: Member) -> bool:
    """Until the next message, muted or not."""
    return mine.hidden_seq is not None and shown_seq(thread, mine.user) <= mine.hidden_seq


def shown_seq(thread: Thread, user: UserId) -> int:
    """The last message that a user may see: before they accept, only the first few of the
    request."""
    gate = thread.gates.get(user)
    if gate is not None:
        return min(thread.last_seq, gate.after_seq + gate.size)
    missed = _missed_last(thread, user)
    return thread.last_seq if missed is None else missed.after


def _missed_last(thread: Thread, user: UserId) -> MissedRange | None:
    """The range at the end of the thread, if the user missed it."""
    member = thread.members.get(user)
    if member is None or not member.missed or thread.last_seq > member.missed[-1].until:
        return None
    return member.missed[-1]


def as_shown(thread: Thread, user: UserId) -> Thread:
    """The head as the user may see it. A request shows no picture, panel or booking."""
    if user in thread.gates:
        if thread.picture is not None or thread.panel or thread.project_snapshot:
            thread = replace(thread, picture=None, panel={}, project_snapshot=None)
        seq = shown_seq(thread, user)
        if seq == thread.last_seq:
            return thread
        gate = thread.gates[user]
        return replace(
            thread,
            last_seq=seq,
            last_ms=gate.shown_ms or thread.last_ms,
            shown_ms=0 if gate.shown_ms else thread.shown_ms,
            last_sender=gate.shown_by,
            preview=gate.preview,
            preview_event=gate.preview_event,
        )
    run = _missed_last(thread, user)
    if run is None:
        return thread
    return replace(
        thread,
        last_seq=run.after,
        last_ms=run.after_ms,
        shown_ms=0,
        last_sender=run.sender,
        preview=run.preview,
        preview_event=run.preview_event,
    )


def reached(thread: Thread, user: UserId, seq: int) -> bool:
    """Whether a message reached a member at all: they had joined, and were not away."""
    member = thread.members.get(user)
    if member is None or seq <= member.joined:
        return False
    gate = thread.gates.get(user)
    if gate is not None and gate.away is not None and gate.away.seq < seq <= gate.after_seq:
        return False
    return not any(run.after < seq <= run.until for run in member.missed)


def shows(thread: Thread, user: UserId, seq: int) -> bool:
    """Whether a member may see a message now: before they accept, only the request's."""
    gate = thread.gates.get(user)
    if gate is not None and gate.away is not None and seq <= gate.after_seq:
        return False
    return seq <= shown_seq(thread, user) and reached(thread, user, seq)


def with_missed(member: MemberSummary, away: Away, until: int, until_ms: int) -> MemberSummary:
    """A member who returns: they never get what was sent from `away` on."""
    if until <= away.seq:
        return member
    new = MissedRange(
        after=away.seq,
        until=until,
        after_ms=away.ms,
        until_ms=until_ms,
        sender=away.sender,
        preview=away.preview,
        preview_event=away.preview_event,
    )
    runs = [replace(run, sender=None, preview="", preview_event="") for run in member.missed]
    if runs and runs[-1].until >= new.after:
        last = member.missed[-1]
        new = replace(last, until=until, until_ms=until_ms)
        runs.pop()
    runs.append(new)
    joined = member.joined
    while len(runs) > MAX_MISSED:  # gives up what was before the oldest of them
        joined = max(joined, runs.pop(0).until)
    return replace(member, missed=tuple(runs), joined=joined)


def with_last_previews(thread: Thread) -> dict[UserId, Gate]:
    """The gates before the next message: full ones keep the preview of their last message."""
    return {
        user: replace(
            gate,
            shown_ms=thread.last_ms,
            shown_by=thread.last_sender,
            preview=thread.preview,
            preview_event=thread.preview_event,
        )
        if _is_request(gate) and thread.last_seq == gate.after_seq + gate.size
        else gate
        for user, gate in thread.gates.items()
    }


def _is_request(gate: Gate) -> bool:
    """Whether it is a request: a silent gate is none until somebody asks its target to return."""
    return gate.away is None or gate.status is GateStatus.PENDING


def with_preview(thread: Thread, seq: int, preview: str) -> Thread:
    """The head after the message with this seq got another preview: it is the last one of the
    thread, or the last one that somebody sees who waits, is away, or was away."""
    if thread.last_seq == seq:
        thread = replace(thread, preview=preview)
    if thread.gates:
        gates = {user: _gate_with(gate, seq, preview) for user, gate in thread.gates.items()}
        thread = replace(thread, gates=gates)
    if any(run.after == seq for one in thread.members.values() for run in one.missed):
        members = {user: _member_with(one, seq, preview) for user, one in thread.members.items()}
        thread = replace(thread, members=members)
    return thread


def _gate_with(gate: Gate, seq: int, preview: str) -> Gate:
    if gate.shown_ms and seq == gate.after_seq + gate.size:
        gate = replace(gate, preview=preview)
    if gate.away is not None and gate.away.seq == seq:
        gate = replace(gate, away=replace(gate.away, preview=preview))
    return gate


def _member_with(member: MemberSummary, seq: int, preview: str) -> MemberSummary:
    """Only the last range has the preview of the message before it."""
    if not member.missed or member.missed[-1].after != seq:
        return member
    last = replace(member.missed[-1], preview=preview)
    return replace(member, missed=(*member.missed[:-1], last))


def unread_of(thread: Thread, mine: Member) -> int:
    """Always derived, never stored."""
    last, position = shown_seq(thread, mine.user), read_position(thread, mine)
    member = thread.members.get(mine.user)
    missed = () if member is None else member.missed
    gap = sum(max(0, min(run.until, last) - max(run.after, position)) for run in missed)
    return max(0, last - position - gap)


def read_position(thread: Thread, mine: Member) -> int:
    """The last message that a user has read, for themselves: marking as unread moves it back."""
    position, gate = own_read_position(thread, mine), thread.gates.get(mine.user)
    return position if gate is None or gate.away is None else max(position, gate.after_seq)


def own_read_position(thread: Thread, mine: Member) -> int:
    """The same, without what a request to return hides."""
    if mine.unread_from is not None and mine.unread_sent == _sent(thread, mine.user):
        return max(mine.unread_from - 1, mine.joined_seq)
    return max(read_of(thread, mine), mine.joined_seq)


def read_of(thread: Thread, member: Member) -> int:
    """How far a member has read, for receipts: by marking as read or by sending."""
    return max(member.read_seq, _sent(thread, member.user))


def shown_members(thread: Thread) -> dict[UserId, MemberSummary]:
    """The members in a stable order, which no answer to a request changes."""
    return dict(sorted(thread.members.items()))


def known_gates(thread: Thread) -> dict[UserId, Gate]:
    """The gates that their senders know of, in a stable order."""
    return {user: gate for user, gate in sorted(thread.gates.items()) if gate.away is None}


def in_order(thread: Thread) -> list[UserId]:
    """The members in a stable order: the opener, then by joining, then by id."""
    members = shown_members(thread)
    return sorted(members, key=lambda user: (user != thread.opened_by, members[user].joined, user))


def _sent(thread: Thread, user: UserId) -> int:
    member = thread.members.get(user)
    return 0 if member is None else member.sent


def gate_status(gate: Gate, now_ms: int) -> GateStatus:
    """Takes the expiry into account."""
    if gate.status is GateStatus.PENDING and now_ms >= gate.expires_ms:
        return GateStatus.EXPIRED
    return gate.status


def gate_as_sender_sees(gate: Gate, now_ms: int) -> GateStatus:
    """Pending until it expires or is withdrawn; an accepted request has no gate."""
    if gate.status in (GateStatus.EXPIRED, GateStatus.WITHDRAWN):
        return gate.status
    return GateStatus.EXPIRED if now_ms >= gate.expires_ms else GateStatus.PENDING


def is_answered(gate: Gate) -> bool:
    """By its target, with a decline or a block; an accepted request has no gate."""
    return gate.status in (GateStatus.DECLINED, GateStatus.BLOCKED)


def awaits_expiry(gate: Gate) -> bool:
    """Whether something is to be written when its time is over. For its sender also a request that
    was closed expires; of a request to return only its target knows."""
    if not gate.expires_ms or gate.status in (GateStatus.EXPIRED, GateStatus.WITHDRAWN):
        return False
    return gate.away is None or gate.status is GateStatus.PENDING


def waits_for_answer(thread: Thread, sender: UserId, now_ms: int) -> bool:
    """To the sender's knowledge."""
    mine = _requests_of(thread, sender)
    return any(gate_as_sender_sees(gate, now_ms) is GateStatus.PENDING for gate in mine)


def _requests_of(thread: Thread, sender: UserId) -> list[Gate]:
    """The requests that the sender knows of."""
    if not thread.gates:
        return []
    return [gate for gate in thread.gates.values() if gate.sender == sender and gate.away is None]


def is_in_request(thread: Thread, seq: int, now_ms: int) -> bool:
    """Whether somebody who has not accepted sees the message, whatever its author: otherwise
    friends of the sender could write what a stranger may not."""
    return any(
        gate.after_seq < seq <= gate.after_seq + gate.size
        for gate in thread.gates.values()
        if gate.away is None and gate_as_sender_sees(gate, now_ms) is GateStatus.PENDING
    )


def has_met(thread: Thread, user: UserId, other: UserId) -> bool:
    """Whether the thread alone shows that the user knows the other member: they talk as two, or the
    user has written since the other joined. Otherwise they may be contacts all the same."""
    if user in thread.gates or user not in thread.members or other not in thread.members:
        return False
    if thread.pair is not None and len(thread.members) == len(thread.pair):
        return True
    return thread.members[user].sent > thread.members[other].joined


def others(thread: Thread, user: UserId) -> tuple[UserId, ...]:
    return tuple(other for other in thread.members if other != user)


def is_behind_gate(thread: Thread, sender: UserId) -> bool:
    """Whether only people who have not accepted would read what the sender writes."""
    if not thread.gates:
        return False
    if not _requests_of(thread, sender):
        return False
    known = known_gates(thread)
    return all(other in known for other in others(thread, sender))


def waiting(thread: Thread, sender: UserId) -> int:
    """How many messages wait with the sender's request."""
    before = [gate.after_seq for gate in _requests_of(thread, sender)]
    return thread.last_seq - min(before, default=thread.last_seq)


def request_size(thread: Thread, sender: UserId) -> int:
    """How many messages the sender's request may hold."""
    return min((gate.size for gate in _requests_of(thread, sender)), default=REQUEST_MESSAGES)


def request_characters(thread: Thread) -> int:
    """How long a message in a request may be; 0 for as long as any message."""
    return min((gate.characters for gate in thread.gates.values() if gate.characters), default=0)


def has_accepted(thread: Thread, user: UserId) -> bool:
    """Or never had to: the gate exists until then."""
    return user not in thread.gates


def has_access(thread: Thread, user: UserId, now_ms: int) -> bool:
    """In the thread, and the request to them is neither closed nor expired."""
    if user not in thread.members:
        return False
    gate = thread.gates.get(user)
    return gate is None or gate_status(gate, now_ms) is GateStatus.PENDING


def is_empty_request(thread: Thread, user: UserId) -> bool:
    """Whether the request is still empty: its first message is being written, or is held."""
    gate = thread.gates.get(user)
    if gate is None or gate.status is not GateStatus.PENDING:
        return False
    return thread.last_seq <= gate.after_seq


def is_closed(thread: Thread, sender: UserId, now_ms: int) -> bool:
    """Nobody is left to read it, or the request has expired. The sender must not learn which."""
    if thread.pair is not None and len(thread.members) < 2:
        return True
    if not is_behind_gate(thread, sender):
        return False
    return not waits_for_answer(thread, sender, now_ms)


def sees_receipts(thread: Thread, viewer: UserId, user: UserId) -> bool:
    """Across a gate nobody sees receipts."""
    return has_accepted(thread, viewer) and has_accepted(thread, user)


def after_message(thread: Thread, sender: UserId) -> tuple[Status, tuple[UserId, ...]]:
    """The status, and whom the thread waits for, after a message of the sender."""
    if thread.status not in _TALKING:
        return thread.status, thread.awaiting
    waits = tuple(user for user in sorted(thread.members) if _should_reply(thread, sender, user))
    return (Status.AWAITING_REPLY if waits else Status.OPEN), waits


def _should_reply(thread: Thread, sender: UserId, user: UserId) -> bool:
    """A seller's message waits for the buyers, a buyer's for the sellers, staff's for the rest."""
    if user == sender or thread.kind in (Kind.DIRECT, Kind.SYSTEM):
        return False
    mine, theirs = thread.members[sender].role, thread.members[user].role
    if mine in STAFF:
        return theirs not in STAFF
    if thread.kind is Kind.SUPPORT:
        return theirs in STAFF
    return (mine in _SELLING and theirs in _BUYING) or (mine in _BUYING and theirs in _SELLING)


def is_trading_role(role: Role) -> bool:
    return role in _BUYING or role in _SELLING


def is_booked(thread: Thread) -> bool:
    """By the status, which bookings and staff set: a booking id proves nothing."""
    return thread.status in _BOOKED


def settings_version(thread: Thread) -> str:
    """Changes with the name, the picture, safe mode, the lock and the members; not with a
    message."""
    settings: tuple[object, ...] = (
        thread.subject,
        thread.status is Status.LOCKED,
        sorted(shown_members(thread)),
    )
    if thread.picture is not None or thread.safe_mode:
        settings = (*settings, thread.picture, thread.safe_mode)
    return blake2b(repr(settings).encode(), digest_size=8).hexdigest()
