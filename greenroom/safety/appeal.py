"""Opens the case of an appeal against the band of a file."""

from greenroom.safety import items
from greenroom.safety.context import Safety
from greenroom.safety.models import AuditEntry, Case, Decision, RatedFile, case_id
from greenroom.safety.verdict import PolicyTag
from greenroom.store.base import Op


def appeal_ops(safety: Safety, subject: RatedFile, text: str) -> tuple[Op, ...]:
    """Refused if there is a case about the same band of the file, open or not."""
    now_ms = safety.clock.now_ms()
    case = Case(
        id=case_id(subject),
        subject=subject,
        about=subject.owner,
        text=text,
        files=(subject.file,),
        opened_ms=now_ms,
        policy_tags=frozenset({PolicyTag.NSFW}),
    )
    entry = AuditEntry(
        case=case.id,
        version=case.version,
        id=Decision.APPEAL.value,
        at_ms=now_ms,
        by=subject.owner,
        decision=Decision.APPEAL,
        about=subject.owner,
        file=subject.file,
    )
    return items.opened(case, text_digest=""), items.logged(entry)
