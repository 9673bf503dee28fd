"""Changes the role of a participant."""

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated, ThreadUpdated
from greenroom.messaging.manage import check_may, is_bare_service, managed_for_role
from greenroom.messaging.models import Role, ServiceRole, Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.policy import PARTICIPANTS
from greenroom.messaging.problems import ParticipantNotFound
from greenroom.messaging.records import MESSAGING, member_key
from greenroom.messaging.roles import Operation
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import SYSTEM, Actor
from greenroom.store.base import Op, Update
from greenroom.store.expressions import F


async def change_role(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    user: UserId,
    role: Role,
    service_role: ServiceRole | None = None,
) -> Thread:
    """Idempotent."""
    view = await managed_for_role(messaging, actor, thread_id, role)
    _check(view.thread, actor, user, role)
    if not is_bare_service(actor):
        await messaging.safety.limits.spend(actor.user, PARTICIPANTS)
    by = SYSTEM if is_bare_service(actor) else actor.user

    def plan(head: Thread, ms: int) -> PlannedWrite:
        _check(head, actor, user, role)
        member = rules.shown_members(head)[user]
        if (member.role, member.service_role) == (role, service_role):
            return PlannedWrite(head, (), silent=True)
        message = system_message(messaging, head, by, ms, "role.changed", user, role.value)
        member = replace(member, role=role, service_role=service_role)
        after = replace(head, members={**head.members, user: member})
        ops = (message_op(message), _member_op(thread_id, user, role, service_role, ms))
        return PlannedWrite(
            with_message(after, message, view.mine), ops, (MessageCreated(message), ThreadUpdated())
        )

    return await update_thread(messaging, thread_id, plan)


def _check(head: Thread, actor: Actor, user: UserId, role: Role) -> None:
    gives_staff = role in rules.STAFF
    check_may(head, actor, Operation.GRANT_STAFF if gives_staff else Operation.CHANGE_ROLE)
    member = rules.shown_members(head).get(user)
    if member is None:
        raise ParticipantNotFound
    if member.role in rules.STAFF:
        check_may(head, actor, Operation.GRANT_STAFF)


def _member_op(
    thread: ThreadId, user: UserId, role: Role, service_role: ServiceRole | None, ms: int
) -> Op:
    named = F("serviceRole")
    actions = (
        F("role").set(role.value),
        named.remove() if service_role is None else named.set(service_role.value),
        F("changedAt").set(ms),
    )
    return Update(MESSAGING, member_key(thread, user), actions)
