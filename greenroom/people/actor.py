"""The actor: on whose behalf a use case runs.

The APIs build it from a verified token (`api/auth.py`), background jobs with `system()`. Careful: a
moderator's scope is for moderation; it does not give access to an inbox.
"""

from enum import StrEnum

from msgspec import Struct

from greenroom.ids import UserId

SYSTEM = UserId("usr_system")


class Scope(StrEnum):
    USER = "user"
    MODERATOR = "moderator"
    ADMIN = "admin"
    SERVICE = "service"


class StaffRole(StrEnum):
    """Stored on the account. A token's scope makes nobody staff."""

    MODERATOR = "moderator"
    ADMIN = "admin"


STAFF_SCOPES = frozenset({Scope.MODERATOR, Scope.ADMIN})


class Actor(Struct, frozen=True):
    user: UserId
    scopes: frozenset[Scope] = frozenset({Scope.USER})

    def may(self, scope: Scope) -> bool:
        """An admin may do what a moderator may."""
        return scope in self.scopes or (scope is Scope.MODERATOR and Scope.ADMIN in self.scopes)


def with_role(actor: Actor, role: StaffRole | None) -> Actor:
    """The actor with the scope of the stored role, without staff scopes from the token."""
    if role is None and not actor.scopes & STAFF_SCOPES:
        return actor
    granted = frozenset() if role is None else frozenset({Scope(role.value)})
    return Actor(actor.user, (actor.scopes - STAFF_SCOPES) | granted)


def system() -> Actor:
    return Actor(SYSTEM, frozenset(Scope))
