"""Defines who may do what to whom in moderation, as one table. docs/reference/roles.md shows it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from greenroom.people.actor import Actor, Scope, StaffRole


class Rank(StrEnum):
    """A user whose role was revoked has the rank USER again."""

    USER = "user"
    MODERATOR = "moderator"
    ADMIN = "admin"
    SERVICE = "service"


class Act(StrEnum):
    REPORT = "report"
    CLAIM = "claim"
    RELEASE = "release"
    DISMISS = "dismiss"
    REMOVE = "remove"
    WARN = "warn"
    SUSPEND = "suspend"
    REINSTATE = "reinstate"
    GRANT = "grant"
    REVOKE = "revoke"
    BAND = "band"
    READ_LOG = "read_log"


_Subjects: TypeAlias = frozenset[Rank]
_NOBODY: _Subjects = frozenset()
_USERS: _Subjects = frozenset({Rank.USER})
_NO_ADMINS: _Subjects = frozenset({Rank.USER, Rank.MODERATOR})
_ALL: _Subjects = frozenset({Rank.USER, Rank.MODERATOR, Rank.ADMIN})


def _row(
    user: _Subjects = _NOBODY,
    moderator: _Subjects = _NOBODY,
    admin: _Subjects = _NOBODY,
    service: _Subjects = _NOBODY,
) -> Mapping[Rank, _Subjects]:
    ranks = (Rank.USER, Rank.MODERATOR, Rank.ADMIN, Rank.SERVICE)
    return dict(zip(ranks, (user, moderator, admin, service), strict=True))


_JUDGING = _row(moderator=_USERS, admin=_ALL)
_SANCTION = _row(moderator=_USERS, admin=_NO_ADMINS)
_ROLES = _row(admin=_ALL, service=_ALL)

TABLE: Mapping[Act, Mapping[Rank, _Subjects]] = {
    Act.REPORT: _row(user=_ALL, moderator=_ALL, admin=_ALL),
    Act.CLAIM: _JUDGING,
    Act.RELEASE: _JUDGING,
    Act.DISMISS: _JUDGING,
    Act.REMOVE: _JUDGING,
    Act.BAND: _JUDGING,
    Act.WARN: _SANCTION,
    Act.SUSPEND: _SANCTION,
    Act.REINSTATE: _row(moderator=_USERS, admin=_ALL, service=_ALL),
    Act.GRANT: _ROLES,
    Act.REVOKE: _ROLES,
    Act.READ_LOG: _row(moderator=_USERS, admin=_ALL),
}
JUDGING = frozenset(
    {Act.CLAIM, Act.RELEASE, Act.DISMISS, Act.REMOVE, Act.BAND, Act.WARN, Act.SUSPEND}
)
_TO_ONESELF = frozenset({Act.REVOKE})


def allowed(
    act: Act, actor: Rank, subject: Rank, *, is_self: bool = False, has_reported: bool = False
) -> bool:
    """`has_reported`: the actor reported the subject of the case, and so may not judge it."""
    if is_self and act not in _TO_ONESELF:
        return False
    if has_reported and act in JUDGING:
        return False
    return subject in TABLE[act][actor]


def rank_of(actor: Actor) -> Rank:
    if actor.may(Scope.ADMIN):
        return Rank.ADMIN
    if actor.may(Scope.MODERATOR):
        return Rank.MODERATOR
    return Rank.SERVICE if Scope.SERVICE in actor.scopes else Rank.USER


def rank_of_role(role: StaffRole | None) -> Rank:
    return Rank.USER if role is None else Rank(role.value)
