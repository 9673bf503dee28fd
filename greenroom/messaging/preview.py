"""Predicts what sending a text would lead to: nothing, a hint, a moderator's review, or a refusal.

Stores nothing, and the text does not count as sent. Careful: the answer depends on the text, its
author, and who has let the author write to them; never on what others have done in secret, such as
a block.
"""

from collections.abc import Sequence

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules, text
from greenroom.messaging.contact import strangers_among
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.policy import PREVIEWS
from greenroom.people.actor import Actor
from greenroom.safety.judge import RepeatCheck, has_link, judge
from greenroom.safety.verdict import PolicyHint, Refuse, Verdict

MAX_RECIPIENTS = rules.MAX_PARTICIPANTS - 1


async def preview(
    messaging: Messaging,
    actor: Actor,
    body: str,
    *,
    thread_id: ThreadId | None = None,
    recipients: Sequence[UserId] = (),
) -> Verdict:
    """In a thread, or as a first message to somebody. Without either, to a stranger."""
    text.check_length(body)
    await messaging.safety.limits.spend(actor.user, PREVIEWS)
    if thread_id is not None:
        head = (await access.thread(messaging, actor, thread_id)).thread
        cleaned = text.clean(body)
        plain, first_contact = _in_thread(messaging, actor, head)
        return await _judged(messaging, actor, cleaned, plain, first_contact, head)
    strangers = await strangers_among(messaging, actor, recipients[:MAX_RECIPIENTS])
    cleaned = text.clean(body)
    nobody_known = len(strangers) == len(recipients)
    return await _judged(messaging, actor, cleaned, bool(strangers) or nobody_known, nobody_known)


def _in_thread(messaging: Messaging, actor: Actor, head: Thread) -> tuple[bool, bool]:
    """Whether the next message belongs to a request, and whether nobody else would read it."""
    now_ms = messaging.clock.now_ms()
    plain = rules.is_in_request(head, head.last_seq + 1, now_ms)
    return plain, rules.is_behind_gate(head, actor.user)


async def _judged(
    messaging: Messaging,
    actor: Actor,
    cleaned: str,
    plain: bool,
    first_contact: bool,
    head: Thread | None = None,
) -> Verdict:
    if plain and has_link(cleaned):
        return Refuse(policy_hints=(PolicyHint.LINK,), reason="link")
    return await judge(
        messaging.safety,
        actor,
        cleaned,
        booked=head is not None and rules.is_booked(head),
        first_contact=first_contact,
        repeats=RepeatCheck.LOOKED_UP,
    )
