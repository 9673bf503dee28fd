"""What would be said of a text if it were sent now: a kind word before, rather than after.

Nothing is stored, and it does not count as said. What one would get wrong: a text that would be
held looks as if it were fine, here as when it is sent, or one could try until nothing is held.
"""

from greenroom.ids import ThreadId
from greenroom.messaging import access, rules, text
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.people.actor import Actor
from greenroom.safety.judge import has_link, judge
from greenroom.safety.limits import Limit
from greenroom.safety.verdict import Allow, Hold, Nudge, PolicyHint, Refuse


async def preview(
    messaging: Messaging, actor: Actor, body: str, *, thread_id: ThreadId | None = None
) -> Allow | Nudge | Refuse:
    """Without a thread, as the first words to a stranger."""
    cleaned = text.clean(body)
    head = None
    if thread_id is not None:
        head = (await access.thread(messaging, actor, thread_id)).thread
    await messaging.safety.limits.spend(actor.user, Limit.PREVIEWS)
    if has_link(cleaned) and _is_plain(messaging, head):
        return Refuse(policy_hints=(PolicyHint.LINK,), reason="link")
    verdict = await judge(
        messaging.safety,
        actor,
        cleaned,
        booked=head is not None and rules.is_booked(head),
        first_contact=head is None or rules.is_behind_gate(head, actor.user),
        counts=False,
    )
    return Allow() if isinstance(verdict, Hold) else verdict


def _is_plain(messaging: Messaging, head: Thread | None) -> bool:
    """What shows with a request has no links."""
    if head is None:
        return True
    return rules.is_in_request(head, head.last_seq + 1, messaging.clock.now_ms())
