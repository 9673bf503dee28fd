"""Converts models to items and back, for each kind of item in the Messaging table.

Defaults are left out, so that the head of a thread for two stays within 1 KB and a send within 6
write units.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

import msgspec

from greenroom.clock import iso
from greenroom.ids import CardId, RequestId, UserId
from greenroom.messaging.attachment_items import attachment_item, attachment_of
from greenroom.messaging.models import (
    REQUEST_MESSAGES,
    Away,
    Edit,
    Gate,
    GateStatus,
    Kind,
    Member,
    MemberSummary,
    Message,
    MessageKind,
    MissedRange,
    Role,
    ServiceRole,
    State,
    Status,
    Thread,
    score,
)
from greenroom.messaging.records import (
    ACTIVITY,
    CREATED_AT,
    INBOX_KEY,
    PROJECT_KEY,
    PUBLIC_EVENTS,
    group_key,
    head_key,
    leg_key,
    member_key,
    message_key,
    thread_in,
)
from greenroom.people.models import Picture
from greenroom.store.base import Key
from greenroom.store.values import Item, Value


def at(key: Key) -> dict[str, Value]:
    return {"pk": key.partition, "sk": key.sort}


def _without_defaults(item: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in item.items() if value not in (None, "", 0, False)}


def head_item(thread: Thread, public: bytes | None = None) -> Item:
    """Written with every message, so this is optimised for speed. `public` are the public events of
    the write."""
    item = at(head_key(thread.id))
    item |= {
        "kind": thread.kind.value,
        "status": thread.status.value,
        "openedBy": thread.opened_by,
        CREATED_AT: iso(thread.created_ms),
        "createdMs": thread.created_ms,
        "changedAt": thread.changed_ms,
        "version": thread.version,
        "participants": {
            user: _member_summary_item(member) for user, member in thread.members.items()
        },
    }
    if thread.last_seq:
        item["lastSeq"] = thread.last_seq
        item["lastMessageAt"] = thread.last_ms
        item["lastSenderId"] = thread.last_sender
    if thread.shown_ms:
        item["shownAt"] = thread.shown_ms
    if thread.preview:
        item["preview"] = thread.preview
    if thread.preview_event:
        item["previewEvent"] = thread.preview_event
    if thread.gates:
        item["gates"] = {user: _gate_in_head(gate) for user, gate in thread.gates.items()}
    if thread.awaiting:
        item["awaiting"] = list(thread.awaiting)
    if thread.open_cards:
        item["openCards"] = {card: list(users) for card, users in thread.open_cards.items()}
    if thread.pair is not None:
        item["pair"] = list(thread.pair)
    for name, value in _optional_attributes(thread):
        if value:
            item[name] = value
    if public is not None:
        item[PUBLIC_EVENTS] = public
    return item


def _optional_attributes(thread: Thread) -> tuple[tuple[str, Value], ...]:
    """What most threads do not have."""
    return (
        ("subject", thread.subject),
        ("bookingId", thread.booking_id),
        ("legId", thread.leg_id),
        ("lbgId", thread.lbg_id),
        (PROJECT_KEY, _project_key(thread)),
        ("city", thread.city),
        ("lockedFrom", None if thread.locked_from is None else thread.locked_from.value),
        ("safeModeRequired", thread.safe_mode),
        ("picture", None if thread.picture is None else msgspec.to_builtins(thread.picture)),
        ("panel", thread.panel),
        ("projectSnapshot", thread.project_snapshot),
        ("metadataDigest", thread.metadata_digest),
    )


def _project_key(thread: Thread) -> str | None:
    if thread.lbg_id:
        return group_key(thread.lbg_id)
    return leg_key(thread.leg_id) if thread.leg_id else None


def _member_summary_item(member: MemberSummary) -> dict[str, Value]:
    item: dict[str, Value] = {"role": member.role.value}
    if member.service_role is not None:
        item["serviceRole"] = member.service_role.value
    if member.sent:
        item["sent"] = member.sent
    if member.row_active_ms:
        item["active"] = member.row_active_ms
    if member.joined:
        item["joined"] = member.joined
    if member.missed:
        item["missed"] = [_without_defaults(_missed_item(run)) for run in member.missed]
    if member.draft:
        item["draft"] = True
    return item


def _missed_item(run: MissedRange) -> dict[str, Value]:
    return {
        "after": run.after,
        "until": run.until,
        "afterTs": run.after_ms,
        "untilTs": run.until_ms,
        "sender": run.sender,
        "preview": run.preview,
        "previewEvent": run.preview_event,
    }


def _gate_in_head(gate: Gate) -> dict[str, Value]:
    item = gate_item(gate)
    if gate.after_ms:
        item["afterTs"] = gate.after_ms
    if gate.away is not None:
        item["away"] = _without_defaults(_away_item(gate.away))
    return item


def _away_item(away: Away) -> dict[str, Value]:
    return {
        "seq": away.seq,
        "ts": away.ms,
        "sender": away.sender,
        "preview": away.preview,
        "previewEvent": away.preview_event,
        "readSeq": away.read_seq,
        "lastReadAt": away.read_ms,
        "deliveredSeq": away.delivered_seq,
        "changedAt": away.changed_ms,
    }


def gate_item(gate: Gate) -> dict[str, Value]:
    return _without_defaults(
        {
            "gateId": gate.id,
            "sender": gate.sender,
            "status": gate.status.value,
            "expiresAt": gate.expires_ms,
            "reason": gate.reason,
            "afterSeq": gate.after_seq,
            "size": None if gate.size == REQUEST_MESSAGES else gate.size,
            "characters": gate.characters,
            "shownAt": gate.shown_ms,
            "shownBy": gate.shown_by,
            "preview": gate.preview,
            "previewEvent": gate.preview_event,
        }
    )


def thread_of(item: Item) -> Thread:
    found = cast(Mapping[str, Any], item)
    pair = found.get("pair")
    return Thread(
        id=thread_in(found["pk"]),
        kind=Kind(found["kind"]),
        status=Status(found["status"]),
        opened_by=UserId(found["openedBy"]),
        created_ms=found["createdMs"],
        members={
            UserId(user): _member_summary_of(member)
            for user, member in found["participants"].items()
        },
        gates={UserId(user): gate_of(gate) for user, gate in found.get("gates", {}).items()},
        awaiting=tuple(found.get("awaiting", ())),
        open_cards={
            CardId(card): tuple(users) for card, users in found.get("openCards", {}).items()
        },
        pair=None if pair is None else (UserId(pair[0]), UserId(pair[1])),
        subject=found.get("subject"),
        booking_id=found.get("bookingId"),
        leg_id=found.get("legId"),
        lbg_id=found.get("lbgId"),
        city=found.get("city"),
        locked_from=Status(found["lockedFrom"]) if "lockedFrom" in found else None,
        safe_mode=found.get("safeModeRequired", False),
        picture=Picture(**found["picture"]) if "picture" in found else None,
        panel=found.get("panel", {}),
        project_snapshot=found.get("projectSnapshot"),
        metadata_digest=found.get("metadataDigest", ""),
        last_seq=found.get("lastSeq", 0),
        last_ms=found.get("lastMessageAt", 0),
        shown_ms=found.get("shownAt", 0),
        last_sender=found.get("lastSenderId"),
        preview=found.get("preview", ""),
        preview_event=found.get("previewEvent", ""),
        changed_ms=found.get("changedAt", 0),
        version=found["version"],
    )


def _member_summary_of(found: Mapping[str, Any]) -> MemberSummary:
    service = found.get("serviceRole")
    return MemberSummary(
        role=Role(found["role"]),
        service_role=None if service is None else ServiceRole(service),
        sent=found.get("sent", 0),
        row_active_ms=found.get("active", 0),
        joined=found.get("joined", 0),
        missed=tuple([_missed_of(run) for run in found["missed"]]) if "missed" in found else (),
        draft=found.get("draft", False),
    )


def _missed_of(found: Mapping[str, Any]) -> MissedRange:
    return MissedRange(
        after=found.get("after", 0),
        until=found["until"],
        after_ms=found.get("afterTs", 0),
        until_ms=found["untilTs"],
        sender=found.get("sender"),
        preview=found.get("preview", ""),
        preview_event=found.get("previewEvent", ""),
    )


def _away_of(found: Mapping[str, Any]) -> Away:
    return Away(
        seq=found.get("seq", 0),
        ms=found.get("ts", 0),
        sender=found.get("sender"),
        preview=found.get("preview", ""),
        preview_event=found.get("previewEvent", ""),
        read_seq=found.get("readSeq", 0),
        read_ms=found.get("lastReadAt", 0),
        delivered_seq=found.get("deliveredSeq", 0),
        changed_ms=found.get("changedAt", 0),
    )


def gate_of(found: Mapping[str, Any]) -> Gate:
    return Gate(
        id=RequestId(found.get("gateId", "")),
        sender=UserId(found["sender"]),
        status=GateStatus(found["status"]),
        expires_ms=found.get("expiresAt", 0),
        reason=found.get("reason"),
        after_seq=found.get("afterSeq", 0),
        size=found.get("size", REQUEST_MESSAGES),
        characters=found.get("characters", 0),
        after_ms=found.get("afterTs", 0),
        away=_away_of(found["away"]) if "away" in found else None,
        shown_ms=found.get("shownAt", 0),
        shown_by=found.get("shownBy"),
        preview=found.get("preview", ""),
        preview_event=found.get("previewEvent", ""),
    )


def member_item(member: Member, inbox_key: str | None, activity: str | None) -> Item:
    item: dict[str, Value] = {
        "userId": member.user,
        "role": member.role.value,
        "serviceRole": None if member.service_role is None else member.service_role.value,
        "state": member.state.value,
        "joinedSeq": member.joined_seq,
        "joinedMs": member.joined_ms,
        "acceptedAt": member.accepted_ms,
        "readSeq": member.read_seq,
        "lastReadAt": member.read_ms,
        "deliveredSeq": member.delivered_seq,
        "mutedUntil": member.muted_until_ms,
        "pinned": member.pinned,
        "spam": member.spam,
        "unreadFrom": member.unread_from,
        "unreadSent": member.unread_sent,
        "hasDraft": member.has_draft,
        "changedAt": member.changed_ms,
        INBOX_KEY: inbox_key,
        ACTIVITY: activity,
    }
    whole = at(member_key(member.thread, member.user))
    whole |= _without_defaults(item)
    if member.archived_seq is not None:
        whole["archivedSeq"] = member.archived_seq
    if member.hidden_seq is not None:
        whole["hiddenSeq"] = member.hidden_seq
    return whole


def member_of(item: Item) -> Member:
    """From a PART# item, or from its Inbox entry, which lacks what rows do not show."""
    found = cast(Mapping[str, Any], item)
    service = found.get("serviceRole")
    return Member(
        thread=thread_in(found["pk"]),
        user=UserId(found["userId"]),
        role=Role(found["role"]),
        service_role=None if service is None else ServiceRole(service),
        state=State(found.get("state", "active")),
        joined_seq=found.get("joinedSeq", 0),
        joined_ms=found.get("joinedMs", 0),
        accepted_ms=found.get("acceptedAt", 0),
        read_seq=found.get("readSeq", 0),
        read_ms=found.get("lastReadAt", 0),
        delivered_seq=found.get("deliveredSeq", 0),
        muted_until_ms=found.get("mutedUntil", 0),
        pinned=found.get("pinned", False),
        archived_seq=found.get("archivedSeq"),
        hidden_seq=found.get("hiddenSeq"),
        spam=found.get("spam", False),
        unread_from=found.get("unreadFrom"),
        unread_sent=found.get("unreadSent", 0),
        has_draft=found.get("hasDraft", False),
        changed_ms=found.get("changedAt", 0),
    )


def head_or_member_of(item: Item) -> Thread | Member:
    return member_of(item) if "userId" in item else thread_of(item)


def message_item(message: Message) -> Item:
    item = at(message_key(message.thread, message.id, message.ms))
    item |= {
        "messageId": message.id,
        "seq": message.seq,
        "ts": message.ms,
        "type": message.kind.value,
        "authorUserId": message.author,
        "version": message.version,
        "reactions": {emoji: frozenset(users) for emoji, users in message.reactions.items()},
    }
    if message.shown_ms:
        item["shownAt"] = message.shown_ms
    if message.body:
        item["body"] = message.body
    if message.reply_to is not None:
        item["replyTo"] = message.reply_to
    if message.mentions:
        item["mentions"] = list(message.mentions)
    if message.kind is MessageKind.SYSTEM:
        item["event"] = message.event
        if message.about:
            item["about"] = list(message.about)
    if message.version > 1:
        _add_changes(item, message)
    if message.attachments:
        item["attachments"] = [attachment_item(one) for one in message.attachments]
    if message.band:
        item["nsfwBand"] = message.band
    if message.metadata is not None:
        item["metadata"] = message.metadata
    if message.card is not None:
        item["card"] = message.card
    is_marked = message.policy_tags or message.policy_hints or message.moderation != "clean"
    if is_marked or message.spam_score != "0":
        _add_flags(item, message)
    return item


def _add_changes(item: dict[str, Value], message: Message) -> None:
    if message.edited_ms is not None:
        item["editedAt"] = message.edited_ms
    if message.edits:
        item["edits"] = [{"body": edit.body, "until": edit.until_ms} for edit in message.edits]
    if message.deleted_ms is not None:
        item["deletedAt"] = message.deleted_ms
        item["deletedBy"] = message.deleted_by


def _add_flags(item: dict[str, Value], message: Message) -> None:
    item["flags"] = {"moderation": message.moderation, "policyHints": list(message.policy_hints)}
    item["policyTags"] = list(message.policy_tags)
    item["spamScore"] = Decimal(message.spam_score)


_KINDS = {kind.value: kind for kind in MessageKind}
_PLAIN_NAMES = 10
"""The number of attributes of a plain message: two of the key, seven of every message, the body."""
_NO_FLAGS: Mapping[str, Any] = {}


def message_of(item: Item) -> Message:
    """A page has fifty of them, so a plain message takes a short path."""
    found = cast(Mapping[str, Any], item)
    if len(found) == _PLAIN_NAMES and "body" in found and not found["reactions"]:
        return Message(
            thread=thread_in(found["pk"]),
            id=found["messageId"],
            seq=found["seq"],
            ms=found["ts"],
            kind=_KINDS[found["type"]],
            author=found["authorUserId"],
            body=found["body"],
            version=found["version"],
        )
    get = found.get
    flags, reactions, edits = get("flags", _NO_FLAGS), get("reactions"), get("edits")
    attachments = get("attachments")
    return Message(
        thread=thread_in(found["pk"]),
        id=found["messageId"],
        seq=found["seq"],
        ms=found["ts"],
        kind=_KINDS[found["type"]],
        author=found["authorUserId"],
        shown_ms=get("shownAt", 0),
        body=get("body", ""),
        mentions=tuple(get("mentions", ())),
        reply_to=get("replyTo"),
        event=get("event"),
        about=tuple(get("about", ())),
        reactions={emoji: tuple(sorted(users)) for emoji, users in reactions.items()}
        if reactions
        else {},
        edits=tuple([Edit(edit["body"], edit["until"]) for edit in edits]) if edits else (),
        edited_ms=get("editedAt"),
        deleted_ms=get("deletedAt"),
        deleted_by=get("deletedBy"),
        attachments=tuple([attachment_of(one) for one in attachments]) if attachments else (),
        band=get("nsfwBand", 0),
        moderation=flags.get("moderation", "clean"),
        policy_tags=tuple(get("policyTags", ())),
        policy_hints=tuple(flags.get("policyHints", ())),
        spam_score=score(Decimal(found["spamScore"])) if "spamScore" in found else "0",
        metadata=get("metadata"),
        card=get("card"),
        version=get("version", 1),
    )
