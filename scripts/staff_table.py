"""Writes the table of docs/reference/roles.md for staff, from the table in code."""

from collections.abc import Iterable

from greenroom.safety.permissions import JUDGING, Act, Rank, allowed

_WORDS: dict[Act, str] = {
    Act.REPORT: "report",
    Act.CLAIM: "see and claim a case",
    Act.RELEASE: "release a held message",
    Act.DISMISS: "dismiss a report",
    Act.REMOVE: "remove a message or close a conversation",
    Act.BAND: "set the band of a file",
    Act.WARN: "warn",
    Act.SUSPEND: "suspend",
    Act.REINSTATE: "reinstate",
    Act.GRANT: "grant a role",
    Act.REVOKE: "revoke a role",
    Act.READ_LOG: "read the audit log about",
}
_SUBJECTS = (Rank.USER, Rank.MODERATOR, Rank.ADMIN)


def staff_table() -> str:
    return "\n".join(_table())


def _table() -> Iterable[str]:
    yield "| may | user | moderator | admin | service | self | a reporter |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for act in Act:
        cells = [_cell(act, rank) for rank in Rank]
        yield f"| {_WORDS[act]} | {' | '.join((*cells, _self(act), _reporter(act)))} |"


def _cell(act: Act, actor: Rank) -> str:
    found = [f"{subject}s" for subject in _SUBJECTS if allowed(act, actor, subject)]
    return "everybody" if len(found) == len(_SUBJECTS) else ", ".join(found) or "—"


def _self(act: Act) -> str:
    may = [rank for rank in Rank if allowed(act, rank, rank_as_subject(rank), is_self=True)]
    return ", ".join(f"{rank}s" for rank in may if rank is not Rank.SERVICE) or "—"


def rank_as_subject(rank: Rank) -> Rank:
    """A service has no account, so it is never a subject."""
    return Rank.USER if rank is Rank.SERVICE else rank


def _reporter(act: Act) -> str:
    return "—" if act in JUDGING else "as otherwise"
