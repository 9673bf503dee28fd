"""The table of items that expire: typing, presence, rate limits, pending requests, the server
clock.

Contexts share it, because its items are short-lived and nothing follows it. Each context makes the
keys of its own items.
"""

from greenroom.store.base import Key
from greenroom.store.tables import Kind, Table

EPHEMERAL_TTL = "expiresAt"
"""The second from which the item is gone."""

EPHEMERAL = Table(
    "Ephemeral",
    "Items that expire: typing, presence, rate limits and pending requests. No stream.",
    kinds=(
        Kind("TYPING#{threadId}", "{userId}", "The user is typing; expires after 10 s."),
        Kind("PRESENCE#{threadId}", "{userId}", "When the user was last seen; expires after 60 s."),
        Kind(
            "RATE#{userId}",
            "{limit}",
            "The leases that nodes took of a limit in the current window.",
        ),
        Kind(
            "PENDING#{senderId}",
            "{targetUserId}",
            "The sender's pending request to a user; prevents a second one.",
        ),
        Kind(
            "CLOCK",
            "CLOCK",
            "The highest time used, its epoch, and the node that wrote it. Does not expire.",
        ),
        Kind("DOCTOR", "{name}", "Written by `greenroom doctor` and deleted at once."),
    ),
    ttl=EPHEMERAL_TTL,
)

TABLES: tuple[Table, ...] = (EPHEMERAL,)

CLOCK_KEY = Key("CLOCK", "CLOCK")


def doctor_key(name: str) -> Key:
    return Key("DOCTOR", name)
