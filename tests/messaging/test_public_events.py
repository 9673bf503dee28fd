"""Which public events follow from a change of a thread, as values: no store, no server."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from greenroom.background.public_events import Event, decode_events
from greenroom.ids import MessageId, RequestId, ThreadId, UserId
from greenroom.messaging import items, public_events, restored_events
from greenroom.messaging.contact import request_item
from greenroom.messaging.events import (
    Event as LiveEvent,
    InboxChanged,
    MessageCreated,
    MessageDeleted,
    MessageEdited,
    ReactionChanged,
    ThreadUpdated,
)
from greenroom.messaging.models import (
    BUILT_IN_EVENTS,
    Away,
    Edit,
    Gate,
    GateStatus,
    Kind,
    MemberSummary,
    Message,
    MessageKind,
    Role,
    Status,
    Thread,
)
from greenroom.messaging.records import head_key
from greenroom.people.actor import SYSTEM
from greenroom.store.base import Change, Key

ANA, BEN, CLEO = UserId("usr_ana"), UserId("usr_ben"), UserId("usr_cleo")
NOW = 1_700_000_000_000
MEMBER = MemberSummary(role=Role.MEMBER)
THREAD = Thread(
    id=ThreadId("thr_1"),
    kind=Kind.GROUP,
    status=Status.OPEN,
    opened_by=ANA,
    created_ms=NOW - 5000,
    members={ANA: MEMBER, BEN: MEMBER},
    gates={},
    version=7,
)
MESSAGE = Message(
    thread=THREAD.id,
    id=MessageId("msg_1"),
    seq=3,
    ms=NOW,
    kind=MessageKind.TEXT,
    author=ANA,
    body="A secret",
)
GATE = Gate(id=RequestId("rqt_1"), sender=ANA, status=GateStatus.PENDING, expires_ms=NOW + 9000)


def events_of(before: Thread, after: Thread, *live: LiveEvent) -> list[Event]:
    encoded = public_events.of_write(before, after, live, NOW)
    return [] if encoded is None else list(decode_events(encoded))


def with_gates(**gates: Gate) -> Thread:
    return replace(THREAD, gates={UserId(f"usr_{name}"): gate for name, gate in gates.items()})


def test_a_message_is_told_without_its_text() -> None:
    (event,) = events_of(
        THREAD, THREAD, MessageCreated(MESSAGE), ThreadUpdated(), InboxChanged(ANA)
    )
    assert event == Event("message.created", NOW, ANA, ("msg_1", 3))


def test_a_change_that_is_nobodys_business_tells_nothing() -> None:
    after = replace(THREAD, members={**THREAD.members, ANA: replace(MEMBER, draft=True)})
    assert public_events.of_write(THREAD, after, [InboxChanged(ANA)], NOW) is None


@pytest.mark.parametrize("event", sorted(BUILT_IN_EVENTS))
def test_a_system_message_of_the_server_is_the_event_that_it_tells(event: str) -> None:
    about = ("a", "b") if event in ("status.changed", "role.changed") else (BEN,)
    system = replace(MESSAGE, kind=MessageKind.SYSTEM, event=event, about=about, body="")
    created, own = events_of(THREAD, THREAD, MessageCreated(system))
    assert created.values == ("msg_1", 3, event)
    assert (own.kind, own.actor, own.key) == (event, ANA, "3")
    assert event in {kind.name for kind in public_events.KINDS}


def test_a_services_system_message_is_a_message() -> None:
    system = replace(MESSAGE, kind=MessageKind.SYSTEM, event="order.shipped")
    (created,) = events_of(THREAD, THREAD, MessageCreated(system))
    assert created.values == ("msg_1", 3, "order.shipped")


def test_edits_tell_what_was_edited() -> None:
    text = replace(MESSAGE, body="B", edited_ms=NOW - 1, edits=(Edit("A", NOW - 1),), version=2)
    (event,) = events_of(THREAD, THREAD, MessageEdited(text, MESSAGE))
    assert event == Event("message.edited", NOW - 1, ANA, ("msg_1", 3, ["text"]), str(NOW - 1))
    data = replace(text, metadata="{}", version=3)
    (event,) = events_of(THREAD, THREAD, MessageEdited(data, text))
    assert event == Event("message.edited", NOW, ANA, ("msg_1", 3, ["metadata"]), "v3")
    (event,) = events_of(THREAD, THREAD, MessageEdited(replace(text, metadata="{}"), MESSAGE))
    assert event.values[2] == ["text", "metadata"]


def test_a_reaction_tells_who_added_or_took_back_what() -> None:
    liked = replace(MESSAGE, reactions={"👍": (BEN,)}, version=2)
    (event,) = events_of(THREAD, THREAD, ReactionChanged(liked, MESSAGE))
    assert event == Event("reaction.changed", NOW, BEN, ("msg_1", 3, "👍", True), "v2")
    (event,) = events_of(THREAD, THREAD, ReactionChanged(replace(MESSAGE, version=3), liked))
    assert event == Event("reaction.changed", NOW, BEN, ("msg_1", 3, "👍", False), "v3")


def test_a_deletion_tells_who_deleted() -> None:
    gone = replace(MESSAGE, body="", deleted_ms=NOW + 5, deleted_by=SYSTEM)
    (event,) = events_of(THREAD, THREAD, MessageDeleted(gone, MESSAGE))
    assert event == Event("message.deleted", NOW + 5, SYSTEM, ("msg_1", 3))


def test_a_request_is_told_from_its_beginning_to_its_answer() -> None:
    asked = with_gates(ben=GATE)
    (event,) = events_of(THREAD, asked)
    assert event == Event("request.created", NOW, ANA, ("rqt_1", BEN, GATE.expires_ms))
    for status, by in (("declined", BEN), ("blocked", BEN), ("withdrawn", ANA)):
        answered = replace(GATE, status=GateStatus(status))
        (event,) = events_of(asked, with_gates(ben=answered))
        assert event == Event(f"request.{status}", NOW, by, ("rqt_1", BEN))
    (event,) = events_of(asked, THREAD)
    assert event == Event("request.accepted", NOW, BEN, ("rqt_1", BEN))
    (event,) = events_of(asked, replace(THREAD, status=Status.CONFIRMED))
    assert (event.kind, event.actor) == ("request.accepted", SYSTEM)


def test_only_an_unanswered_request_is_told_to_expire() -> None:
    expired = with_gates(ben=replace(GATE, status=GateStatus.EXPIRED))
    (event,) = events_of(with_gates(ben=GATE), expired)
    assert event == Event("request.expired", NOW, SYSTEM, ("rqt_1", BEN))
    for answer in (GateStatus.DECLINED, GateStatus.BLOCKED):
        assert events_of(with_gates(ben=replace(GATE, status=answer)), expired) == []


def test_a_request_to_somebody_who_is_removed_is_withdrawn() -> None:
    removed = replace(MESSAGE, kind=MessageKind.SYSTEM, event="participant.removed", about=(BEN,))
    removed = replace(removed, author=CLEO)
    after = replace(THREAD, members={ANA: MEMBER})
    found = events_of(with_gates(ben=GATE), after, MessageCreated(removed))
    assert [event.kind for event in found] == [
        "message.created",
        "participant.removed",
        "request.withdrawn",
    ]
    assert found[-1].actor == CLEO


def test_a_silent_leave_and_return_are_told() -> None:
    silent = Gate(
        id=RequestId(""), sender=ANA, status=GateStatus.DECLINED, expires_ms=0, away=Away()
    )
    (event,) = events_of(THREAD, with_gates(ben=silent))
    assert event == Event("participant.left", NOW, BEN, (BEN, "left"), "v7")
    blocked = replace(silent, status=GateStatus.BLOCKED)
    (event,) = events_of(THREAD, with_gates(ben=blocked))
    assert event.values == (BEN, "blocked")
    (event,) = events_of(with_gates(ben=blocked), THREAD)
    assert event == Event("participant.returned", NOW, BEN, (BEN,), "v7")


def test_a_new_participant_who_has_blocked_the_others_has_not_left() -> None:
    silent = Gate(
        id=RequestId(""), sender=ANA, status=GateStatus.BLOCKED, expires_ms=0, away=Away()
    )
    after = replace(with_gates(cleo=silent), members={**THREAD.members, CLEO: MEMBER})
    assert events_of(THREAD, after) == []


def test_metadata_is_told_as_a_field_that_changed() -> None:
    (event,) = events_of(THREAD, replace(THREAD, metadata_digest="x"))
    assert event == Event("thread.updated", NOW, SYSTEM, (["metadata"],), "v7")


def test_only_a_head_with_events_tells_something() -> None:
    key = head_key(THREAD.id)
    encoded = public_events.of_write(THREAD, THREAD, [MessageCreated(MESSAGE)], NOW)
    new = items.head_item(THREAD, encoded)
    found = public_events.of_change(Change("Messaging", key, None, new, NOW, ""))
    assert found is not None
    assert (found.subject, len(found.events)) == (THREAD.id, 1)
    others: list[tuple[Key, Any]] = [
        (key, items.head_item(THREAD)),
        (key, None),
        (Key(key.partition, "PART#usr_ben"), new),
    ]
    for place, item in others:
        assert public_events.of_change(Change("Messaging", place, new, item, NOW, "")) is None


def test_what_items_still_show_equals_what_was_told() -> None:
    edits = (Edit("A", NOW + 1), Edit("B", NOW + 2))
    edited = replace(MESSAGE, body="C", edits=edits, edited_ms=NOW + 2, version=3)
    found = restored_events.of_item(items.message_item(edited))
    assert found is not None
    assert [(event.kind, event.key) for event in found.events] == [
        ("message.created", ""),
        ("message.edited", str(NOW + 1)),
        ("message.edited", str(NOW + 2)),
    ]
    asked = replace(GATE, id=RequestId("rqt_" + "0" * 26), status=GateStatus.DECLINED)
    record = request_item(THREAD.id, BEN, asked) | {"decidedAt": NOW}
    found = restored_events.of_item(record)
    assert found is not None
    assert [event.kind for event in found.events] == ["request.created", "request.declined"]
    opened = decode_events(public_events.of_opening(THREAD, ()))
    found = restored_events.of_item(items.head_item(THREAD))
    assert found is not None
    assert found.events == opened


def test_every_kind_is_declared_once_and_has_room_for_its_values() -> None:
    names = [kind.name for kind in public_events.KINDS]
    assert len(names) == len(set(names))
    assert {f"request.{status}" for status in GateStatus} - set(names) == {"request.pending"}
    assert len(msgspec.msgpack.encode(events_of(THREAD, THREAD, MessageCreated(MESSAGE)))) < 100
