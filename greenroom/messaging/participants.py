"""Adds, removes and lets leave participants of a thread.

A system message announces each change, except when one of two people leaves.
"""

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.contact import (
    ContactCheck,
    check_contacts,
    check_no_pending_request,
    new_gates,
    pending_request_ops,
)
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.inbox_rows import remove_row
from greenroom.messaging.manage import check_may, is_bare_service, managed_for_role
from greenroom.messaging.models import BuiltInEvent, Member, MemberSummary, Role, State, Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.new_participant import contact_ops, new_participant_ops
from greenroom.messaging.open import Invited
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.policy import PARTICIPANTS, REQUESTS
from greenroom.messaging.problems import (
    AlreadyAsked,
    AlreadyThere,
    ParticipantNotFound,
    ThreadNotFound,
    TooManyParticipants,
)
from greenroom.messaging.respond import decline
from greenroom.messaging.roles import Operation, removal_of
from greenroom.messaging.send_checks import check_is_open
from greenroom.messaging.silent_leave import leave_silently, request_return
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed

_T = TypeVar("_T")


class Added(Struct, frozen=True):
    thread: Thread
    created: bool = False
    """Whether they are new."""


async def add(messaging: Messaging, actor: Actor, thread_id: ThreadId, invited: Invited) -> Thread:
    return (await find_or_add(messaging, actor, thread_id, invited)).thread


async def find_or_add(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, invited: Invited
) -> Added:
    """A new participant sees what is sent from then on. Idempotent for the actor; a person who has
    left silently is asked to return."""
    view = await _view(messaging, actor, thread_id, invited)
    _check_may_add(view.thread, actor, invited)
    member = rules.shown_members(view.thread).get(invited.user)
    if member is not None:
        _check_same(member, invited)
        await request_return(messaging, view.thread, actor, invited.user)
        return Added(view.thread)
    try:
        return Added(await _add(messaging, actor, view, invited), created=True)
    except AlreadyAsked:
        head = await messaging.thread_cache.read(thread_id)
        if head is None or invited.user not in head.members:
            raise
        return Added(head)  # added by a concurrent call of the same actor


async def _view(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, invited: Invited
) -> ThreadView:
    if invited.role in rules.STAFF and not is_bare_service(actor):
        return await managed_for_role(messaging, actor, thread_id, invited.role)
    return await access.thread(messaging, actor, thread_id)


def _check_may_add(head: Thread, actor: Actor, invited: Invited) -> None:
    gives_staff = invited.role in rules.STAFF
    check_may(head, actor, Operation.GRANT_STAFF if gives_staff else Operation.ADD)


def _check_same(member: MemberSummary, invited: Invited) -> None:
    """Without a role, any role matches."""
    if invited.role not in (Role.MEMBER, member.role):
        raise AlreadyThere


async def _add(messaging: Messaging, actor: Actor, view: ThreadView, invited: Invited) -> Thread:
    thread = view.thread
    contact_check = await check_contacts(messaging, actor, [invited.user], PARTICIPANTS)
    await messaging.safety.limits.spend(actor.user, *[REQUESTS] * len(contact_check.strangers))

    def plan(head: Thread, ms: int) -> PlannedWrite:
        _check_may_add(head, actor, invited)
        if actor.user in head.members:
            check_is_open(head, actor.user, messaging.clock.now_ms())
        if invited.user in head.members:
            return PlannedWrite(head, (), silent=True)
        if len(head.members) >= rules.MAX_PARTICIPANTS:
            raise TooManyParticipants(rules.MAX_PARTICIPANTS)
        return _plan_addition(messaging, view.mine, head, invited, ms, contact_check)

    try:
        return await update_thread(messaging, thread.id, plan)
    except ConditionFailed:
        await check_no_pending_request(
            messaging, actor.user, contact_check.strangers, consistent=True
        )
        raise


def _plan_addition(
    messaging: Messaging,
    by: Member,
    head: Thread,
    invited: Invited,
    ms: int,
    contact_check: ContactCheck,
) -> PlannedWrite:
    """With a gate for a stranger."""
    member = MemberSummary(
        role=invited.role,
        service_role=invited.service_role,
        row_active_ms=ms,
        joined=head.last_seq,
    )
    actor = by.user
    gates = _without(head.gates, invited.user) | new_gates(
        messaging, actor, contact_check, ms, head
    )
    after = replace(head, members={**head.members, invited.user: member}, gates=gates, pair=None)
    message = system_message(messaging, head, actor, ms, "participant.added", invited.user)
    ops = new_participant_ops(after, invited.user, ms, before=head)
    ops += pending_request_ops(messaging, after, [invited.user])
    ops += contact_ops(actor, head.id, [invited.user])
    return PlannedWrite(
        with_message(after, message, by), (message_op(message), *ops), (MessageCreated(message),)
    )


async def leave(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """Leaving before accepting declines the request, silently. Leaving a thread for two is silent
    as well: otherwise the other person could tell it from a block."""
    view = await access.thread(messaging, actor, thread_id)
    if not rules.has_accepted(view.thread, actor.user):
        await decline(messaging, actor, view.thread.gates[actor.user].id)
        return
    if view.thread.pair is not None:
        await leave_silently(messaging, actor.user, thread_id, State.LEFT)
        return
    await remove_member(messaging, view.mine, actor.user, thread_id, "participant.left")


async def remove(messaging: Messaging, actor: Actor, thread_id: ThreadId, user: UserId) -> None:
    if user == actor.user:
        await leave(messaging, actor, thread_id)
        return
    view = await access.thread(messaging, actor, thread_id)
    if user not in rules.shown_members(view.thread):
        raise ParticipantNotFound
    check_may(view.thread, actor, removal_of(view.thread, user))
    await messaging.safety.limits.spend(actor.user, PARTICIPANTS)
    await remove_member(messaging, view.mine, user, thread_id, "participant.removed")


async def remove_member(
    messaging: Messaging, by: Member, user: UserId, thread_id: ThreadId, event: BuiltInEvent
) -> None:
    def plan(head: Thread, ms: int) -> PlannedWrite:
        if user not in rules.shown_members(head):
            raise ThreadNotFound if by.user == user else ParticipantNotFound
        return plan_removal(messaging, by, user, head, ms, event)

    await update_thread(messaging, thread_id, plan)


def plan_removal(
    messaging: Messaging, by: Member, user: UserId, head: Thread, ms: int, event: BuiltInEvent
) -> PlannedWrite:
    """The thread without the user."""
    rest = replace(
        head,
        members=_without(head.members, user),
        gates=_without(head.gates, user),
        awaiting=tuple(other for other in head.awaiting if other != user),
    )
    about = () if by.user == user else (user,)
    message = system_message(messaging, head, by.user, ms, event, *about)
    gone = remove_row(
        head.id, user, ms, messaging.sync_log_ms, F("state").set("left"), F("changedAt").set(ms)
    )
    return PlannedWrite(
        with_message(rest, message, by), (message_op(message), *gone), (MessageCreated(message),)
    )


def _without(users: Mapping[UserId, _T], user: UserId) -> dict[UserId, _T]:
    return {other: value for other, value in users.items() if other != user}
