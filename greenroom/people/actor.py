"""On whose behalf something is done. Every use case takes one; no door decides for itself.

A door makes it from a verified token (`api/auth.py`), a job of our own from `system()`. What one
would get wrong: a moderator's scope is for moderation's use cases; it opens no inbox.
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


class Actor(Struct, frozen=True):
    user: UserId
    scopes: frozenset[Scope] = frozenset({Scope.USER})

    def may(self, scope: Scope) -> bool:
        """An admin may what a moderator may."""
        return scope in self.scopes or (scope is Scope.MODERATOR and Scope.ADMIN in self.scopes)


def system() -> Actor:
    return Actor(SYSTEM, frozenset(Scope))
