"""Keep a text back until a moderator has looked at it.

Whoever holds it writes these ops in the transaction that claims the client's message id, so that a
text is held once, and never lost between the two.
"""

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.safety import records
from greenroom.safety.context import Safety
from greenroom.safety.models import Case, HeldMessage, case_id
from greenroom.safety.reading import digest
from greenroom.safety.verdict import Hold
from greenroom.store.base import Op


def held_ops(
    safety: Safety,
    *,
    author: UserId,
    thread: ThreadId,
    client_id: str,
    text: str,
    verdict: Hold,
    reply_to: MessageId | None = None,
) -> tuple[Op, ...]:
    subject = HeldMessage(thread, author, client_id)
    case = Case(
        id=case_id(subject),
        subject=subject,
        about=author,
        text=text,
        reply_to=reply_to,
        opened_ms=safety.clock.now_ms(),
        policy_tags=frozenset(verdict.policy_tags),
        policy_hints=frozenset(verdict.policy_hints),
        spam_score=verdict.spam_score,
        verdict=verdict.reason,
    )
    return (records.opened(case, digest(text)),)
