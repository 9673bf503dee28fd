"""Keep a text back until a moderator has looked at it.

A message is held in the transaction that claims the client's message id, so that it is held once,
and never lost between the two.
"""

from greenroom.ids import MessageId
from greenroom.safety import records
from greenroom.safety.context import Safety
from greenroom.safety.models import Case, HeldEdit, HeldMessage, HeldName, case_id
from greenroom.safety.reading import digest
from greenroom.safety.verdict import Hold
from greenroom.store.base import Op


def held_ops(
    safety: Safety,
    subject: HeldMessage | HeldEdit | HeldName,
    text: str,
    verdict: Hold,
    *,
    reply_to: MessageId | None = None,
) -> tuple[Op, ...]:
    """Opens a case, unless there is one about the same, and lists it for its author."""
    case = Case(
        id=case_id(subject),
        subject=subject,
        about=subject.author,
        text=text,
        reply_to=reply_to,
        opened_ms=safety.clock.now_ms(),
        policy_tags=frozenset(verdict.policy_tags),
        policy_hints=frozenset(verdict.policy_hints),
        spam_score=verdict.spam_score,
        verdict=verdict.reason,
    )
    return records.opened(case, digest(text)), records.held(case.id, subject)
