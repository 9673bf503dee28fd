"""Reports a message, a thread or a person.

The caller checks that the reporter may see the message or thread: this context knows no threads.
"""

from msgspec.structs import replace

from greenroom.ids import FileId, ManifestId, ReportId, UserId
from greenroom.people.actor import Actor, Scope
from greenroom.people.models import is_user_id
from greenroom.safety import access, items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import (
    Case,
    Reason,
    Report,
    SomePerson,
    Subject,
    case_id,
    tag_of,
)
from greenroom.safety.normalise import digest
from greenroom.safety.policy import REPORTS
from greenroom.safety.problems import InvalidReport
from greenroom.store.base import Op, key_of
from greenroom.store.problems import ConditionFailed, Conflict

MAX_NOTE = 2000
_TRIES = 20


async def report(
    safety: Safety,
    actor: Actor,
    subject: Subject,
    reason: Reason,
    note: str = "",
    *,
    about: UserId | None = None,
    text: str = "",
    files: tuple[FileId, ...] = (),
    manifest: ManifestId | None = None,
) -> ReportId:
    """`about` is the author of the message, `text` its text, `files` and `manifest` what it
    shows."""
    made = _checked(safety, actor, subject, reason, note)
    await safety.limits.spend(actor.user, REPORTS)
    author = subject.user if isinstance(subject, SomePerson) else about
    for _ in range(_TRIES):
        before = await access.find(safety, made.case)
        after = _with(made, before, author, text, files, manifest, actor)
        try:
            await safety.store.write(*items.reported(made), _case_op(before, after))
        except ConditionFailed as refusal:
            first = _first_report(refusal, made)
            if first is not None:
                return first
        except Conflict:
            continue
        else:
            return made.id
    raise Conflict


def _checked(safety: Safety, actor: Actor, subject: Subject, reason: Reason, note: str) -> Report:
    if isinstance(subject, SomePerson) and subject.user == actor.user:
        raise InvalidReport("you cannot report yourself")
    if isinstance(subject, SomePerson) and not is_user_id(subject.user):
        raise InvalidReport("no user can have this id")
    if len(note) > MAX_NOTE:
        raise InvalidReport(f"a note must have at most {MAX_NOTE} characters")
    return Report(
        id=safety.ids.report(),
        case=case_id(subject),
        reporter=actor.user,
        subject=subject,
        reason=reason,
        note=note,
        at_ms=safety.clock.now_ms(),
    )


def _with(
    made: Report,
    before: Case | None,
    author: UserId | None,
    text: str,
    files: tuple[FileId, ...],
    manifest: ManifestId | None,
    actor: Actor,
) -> Case:
    """The case with one more report; reopened if it was closed."""
    tag = tag_of(made.reason)
    case = before or Case(
        id=made.case,
        subject=made.subject,
        about=author,
        text=text,
        files=files,
        manifest=manifest,
        opened_ms=made.at_ms,
        version=0,
    )
    is_staff = actor.may(Scope.MODERATOR)
    return replace(
        case,
        is_open=True,
        staff_reporters=case.staff_reporters | ({actor.user} if is_staff else set()),
        opened_ms=case.opened_ms if case.is_open else made.at_ms,
        version=case.version + 1,
        reports=case.reports + 1,
        reasons=case.reasons | {made.reason},
        policy_tags=case.policy_tags | ({tag} if tag is not None else set()),
    )


def _case_op(before: Case | None, after: Case) -> Op:
    if before is None:
        return items.opened(after, digest(after.text))
    return items.reported_again(before, after)


def _first_report(refusal: ConditionFailed, made: Report) -> ReportId | None:
    """The reporter's earlier report about the same subject, if that made the write fail."""
    key = records.report_key(made.case, made.reporter)
    for failure in refusal.failed:
        if key_of(failure.op) == key and failure.item is not None:
            return items.report_of(failure.item).id
    return None
