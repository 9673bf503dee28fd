"""Tells which public events an item still shows, for a rebuild of the event log.

Messages, heads and requests keep when they were made, edited, deleted and decided. The tables do
not keep reactions that were taken back, the edits of a message that was deleted, changes of
metadata, nor silent leaves and returns: those cannot be restored.
"""

from typing import Any

from greenroom.background.public_events import Event, SubjectEvents
from greenroom.ids import ThreadId, UserId, time_of
from greenroom.messaging import items
from greenroom.messaging.models import GateStatus, Message
from greenroom.messaging.public_events import (
    message_created,
    message_deleted,
    request_answered,
    request_created,
    text_edited,
)
from greenroom.messaging.records import OVERVIEW, thread_in
from greenroom.store.values import Item


def of_item(item: Item) -> SubjectEvents | None:
    sort = str(item["sk"])
    if sort.startswith("MSG#"):
        message = items.message_of(item)
        return SubjectEvents(message.thread, tuple(_of_message(message)))
    if sort == OVERVIEW:
        head: Any = item
        created = Event("thread.created", head["createdMs"], head["openedBy"], (head["kind"],))
        return SubjectEvents(thread_in(item["pk"]), (created,))
    if sort == "RQT":
        return SubjectEvents(ThreadId(str(item["threadId"])), tuple(_of_request(item)))
    return None


def _of_message(message: Message) -> list[Event]:
    events = message_created(message)
    events += [text_edited(message, edit.until_ms) for edit in message.edits]
    if message.deleted_ms is not None:
        events.append(message_deleted(message))
    return events


def _of_request(item: Item) -> list[Event]:
    gate, target = items.gate_of(item), UserId(str(item["targetUser"]))
    events = [request_created(target, gate, time_of(gate.id) or 0)]
    decided: Any = item.get("decidedAt")
    if decided is not None and gate.status is not GateStatus.PENDING:
        events.append(request_answered(target, gate, decided))
    return events
