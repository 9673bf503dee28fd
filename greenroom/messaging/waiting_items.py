"""Messages that wait for their files in the store: their items, and the ops that change them.

Every change writes the message under its version, the state of its claim, and the state of the
author's list (`WAITING`), in one transaction. The list's state limits how many there are, and tells
sync whether any has changed.
"""

from typing import Any

from greenroom.background.models import Timer
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items
from greenroom.messaging.attachment_items import new_attachment_item, new_attachment_of
from greenroom.messaging.claims import ClaimState, change_state_op, new_claim
from greenroom.messaging.list_state import list_op
from greenroom.messaging.models import WaitingMessage, WaitingStatus
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.records import MESSAGING, waiting_key, waiting_state_key
from greenroom.store.base import Delete, Op, Put, Update
from greenroom.store.expressions import F
from greenroom.store.values import Item, Value

KIND = "waiting_message"


def create_ops(message: WaitingMessage, outgoing: Outgoing, most: int) -> tuple[Op, ...]:
    """Refused where the client id is used, or where the author has too many."""
    claim = new_claim(message.thread, message.author, outgoing)
    claim |= {"state": ClaimState.WAITING.value}
    return (
        Put(MESSAGING, claim, F("pk").absent()),
        Put(MESSAGING, waiting_item(message)),
        list_op(waiting_state_key(message.author), 1, message.created_ms, most),
    )


def remove_ops(message: WaitingMessage, now_ms: int) -> tuple[Op, ...]:
    """With the transaction that sends or holds it, which changes the claim. The first op is refused
    where the message has changed or is gone."""
    key = waiting_key(message.author, message.thread, message.client_id)
    return (
        Delete(MESSAGING, key, F("version").equals(message.version)),
        list_op(waiting_state_key(message.author), -1, now_ms),
    )


def cancel_ops(message: WaitingMessage, now_ms: int) -> tuple[Op, ...]:
    """The claim of a message that has failed keeps saying so."""
    ops = remove_ops(message, now_ms)
    if message.status is not WaitingStatus.WAITING:
        return ops
    return *ops, _claim_op(message, ClaimState.CANCELED)


def fail_ops(failed: WaitingMessage, now_ms: int) -> tuple[Op, ...]:
    """`failed` has the next version."""
    is_unchanged = F("version").equals(failed.version - 1)
    return (
        Put(MESSAGING, waiting_item(failed), is_unchanged),
        list_op(waiting_state_key(failed.author), 0, now_ms),
        _claim_op(failed, ClaimState.FAILED, problem=failed.problem, detail=failed.detail),
    )


def _claim_op(message: WaitingMessage, after: ClaimState, **fields: Value) -> Update:
    before = ClaimState.WAITING
    return change_state_op(
        message.thread, message.author, message.client_id, before, after, **fields
    )


def timer_of(author: UserId, thread: ThreadId, client_id: str, because: str, now_ms: int) -> Timer:
    """Due at once. `because` names the change that is the reason for it: a run that began before
    that change cannot remove the timer."""
    payload = {"userId": author, "threadId": thread, "clientId": client_id, "because": because}
    return Timer(KIND, f"{author}#{thread}#{client_id}", now_ms, payload)


def place_in(timer: Timer) -> tuple[UserId, ThreadId, str]:
    found = timer.payload
    return UserId(str(found["userId"])), ThreadId(str(found["threadId"])), str(found["clientId"])


def waiting_item(message: WaitingMessage) -> Item:
    item = items.at(waiting_key(message.author, message.thread, message.client_id))
    item |= {
        "threadId": message.thread,
        "userId": message.author,
        "clientId": message.client_id,
        "body": message.body,
        "attachments": [new_attachment_item(one) for one in message.attachments],
        "createdMs": message.created_ms,
        "status": message.status.value,
        "version": message.version,
    }
    optional = {
        "replyTo": message.reply_to,
        "metadata": message.metadata,
        "problem": message.problem or None,
        "detail": message.detail or None,
    }
    return item | {name: value for name, value in optional.items() if value is not None}


def waiting_of(item: Item) -> WaitingMessage:
    it: Any = item
    return WaitingMessage(
        thread=it["threadId"],
        author=it["userId"],
        client_id=it["clientId"],
        body=it["body"],
        attachments=tuple(map(new_attachment_of, it["attachments"])),
        reply_to=it.get("replyTo"),
        metadata=it.get("metadata"),
        created_ms=it["createdMs"],
        status=WaitingStatus(it["status"]),
        problem=it.get("problem", ""),
        detail=it.get("detail", ""),
        version=it["version"],
    )
