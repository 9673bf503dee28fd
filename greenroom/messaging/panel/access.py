"""Loads the thread of a project panel on behalf of an actor."""

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.panel.problems import NoPanel
from greenroom.messaging.panel.rules import has_panel
from greenroom.messaging.problems import AcceptFirst, RequestPending
from greenroom.people.actor import Actor


async def thread_with_panel(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, *, keep: bool = False
) -> ThreadView:
    view = await access.thread(messaging, actor, thread_id, keep=keep)
    check_panel(view.thread, actor.user)
    return view


def check_panel(head: Thread, user: UserId) -> None:
    """Nobody has a panel across a request: it would say more than a request may."""
    if not rules.has_accepted(head, user):
        raise AcceptFirst
    if not has_panel(head):
        raise NoPanel
    if rules.is_behind_gate(head, user):
        raise RequestPending(rules.request_size(head, user))


def shows_panel(head: Thread, user: UserId) -> bool:
    accepted = rules.has_accepted(head, user) and not rules.is_behind_gate(head, user)
    return accepted and has_panel(head)
