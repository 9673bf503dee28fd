"""Holds a text until a moderator has decided.

A message is held in the transaction that claims the client's message id, so it is held exactly
once.
"""

from msgspec.structs import replace

from greenroom.ids import FileId, MessageId
from greenroom.safety import items
from greenroom.safety.access import find
from greenroom.safety.context import Safety
from greenroom.safety.models import (
    Case,
    HeldEdit,
    HeldMessage,
    HeldName,
    case_id,
    was_rejected,
)
from greenroom.safety.normalise import digest
from greenroom.safety.verdict import Hold
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 5


def held_ops(
    safety: Safety,
    subject: HeldMessage | HeldEdit | HeldName,
    text: str,
    verdict: Hold,
    *,
    reply_to: MessageId | None = None,
    files: tuple[FileId, ...] = (),
) -> tuple[Op, ...]:
    """Opens a case, unless there is one about the same text, and lists it for the author."""
    case = replace(_new_case(safety, subject, text, verdict, reply_to), files=files)
    return items.opened(case, digest(text)), items.held(case)


async def hold_change(
    safety: Safety, subject: HeldEdit | HeldName, text: str, verdict: Hold
) -> Case:
    """The case about the change: new, still open, or rejected before. A case that was released is
    reopened when the same change is made again."""
    made = _new_case(safety, subject, text, verdict)
    before: Case | None = None
    for _ in range(_TRIES):
        case = made if before is None else replace(made, version=before.version + 1)
        try:
            await safety.store.write(items.opened(case, digest(text), before), items.held(case))
        except ConditionFailed:
            before = await find(safety, made.id)
            if before is not None and (before.is_open or was_rejected(before)):
                return before
        else:
            return case
    raise Conflict


def _new_case(
    safety: Safety,
    subject: HeldMessage | HeldEdit | HeldName,
    text: str,
    verdict: Hold,
    reply_to: MessageId | None = None,
) -> Case:
    return Case(
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
