"""Checks whether a user may send in a thread now."""

from greenroom.ids import UserId
from greenroom.messaging import access, rules
from greenroom.messaging.characters import too_long
from greenroom.messaging.models import Kind, Status, Thread
from greenroom.messaging.problems import (
    AcceptFirst,
    ConversationClosed,
    ConversationLocked,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
)
from greenroom.messaging.roles import Operation, may_as_member
from greenroom.safety.judge import has_link


def check_is_open(head: Thread, sender: UserId, now_ms: int) -> None:
    access.check_member(head, sender, now_ms)
    if not rules.has_accepted(head, sender):
        raise AcceptFirst
    if head.status is Status.LOCKED and not may_as_member(head, sender, Operation.SEND_LOCKED):
        raise ConversationLocked
    if rules.is_closed(head, sender, now_ms):
        raise ConversationClosed


def check_may_send(
    head: Thread,
    sender: UserId,
    body: str,
    now_ms: int,
    *,
    seq: int | None = None,
    has_files: bool = False,
) -> None:
    """For the next message, for the one with `seq`, or for the thread's name."""
    check_is_open(head, sender, now_ms)
    if head.kind is Kind.SYSTEM and not may_as_member(head, sender, Operation.SEND):
        raise RoleNotAllowed
    if not head.gates:
        return
    size = rules.request_size(head, sender)
    is_full = rules.waiting(head, sender) >= size
    if seq is None and is_full and rules.is_behind_gate(head, sender):
        raise RequestPending(size)
    if not rules.is_in_request(head, seq or head.last_seq + 1, now_ms):
        return
    most = rules.request_characters(head)
    if most and len(body) > most:
        raise too_long(most)
    if has_files or has_link(body):
        raise PlainTextOnly
