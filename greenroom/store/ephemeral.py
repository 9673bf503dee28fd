"""The table of items that expire. Contexts share it, because its items are short-lived and nothing
follows it.

Each context makes the keys of its own items, and registers their kinds (`ephemeral_kinds` of its
`ContextApi`); the kinds here are the server's own. Losing an item loses no message and no
permission: at most a request is made, or a limit counted, once more.
"""

from greenroom.store.base import Key
from greenroom.store.tables import Kind, Table

EPHEMERAL_TTL = "expiresAt"
"""The second from which the item is gone."""

EPHEMERAL = Table(
    "Ephemeral",
    "Items of all contexts that expire. No stream.",
    kinds=(
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
