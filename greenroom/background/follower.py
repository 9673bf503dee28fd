"""Declares a follower: the table it follows, and the function that handles its changes.

    Follower("likes", POSTS, handle=count_likes, rebuild=recount, results=(LIKES_BY_POST,))

`handle` is given changes in order per item and returns ops. They are written once for each change,
in one transaction with the checkpoint, so they may well add to a counter. `handle` itself may be
called again for the same changes: it reads, and writes nothing.

`rebuild` is given items as they stand and returns ops that lead to the same result as their changes
would. It has to converge: while it runs people go on writing, so the feed brings changes afterwards
whose effect it has seen already. Ops that put what follows from the item, or that are conditional
on its version, do; ops that add do not.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from greenroom.store.base import Change, Key, Op
from greenroom.store.tables import Table
from greenroom.store.values import Item

Handle: TypeAlias = Callable[[Sequence[Change]], Awaitable[Sequence[Op]]]
Rebuild: TypeAlias = Callable[[Sequence[Item]], Awaitable[Sequence[Op]]]
Compare: TypeAlias = Callable[[Sequence[Item]], Awaitable[Sequence[str]]]


class Result(Struct, frozen=True):
    """A table that a follower writes to, with the item that a result comes from: None for an item
    that is not the follower's. A rebuild removes results whose item is gone."""

    table: Table
    source: Callable[[Item], Key | None]


class Follower(Struct, frozen=True):
    name: str
    table: Table
    handle: Handle
    rebuild: Rebuild | None = None
    """Without it the follower begins with the oldest change that is kept, and a rebuild only goes
    on from now."""
    begins_with_scan: bool = True
    """Whether a new follower that has `rebuild` begins with a scan of the table. Otherwise it
    begins with the oldest change that is kept, and only a requested rebuild scans."""
    compare: Compare | None = None
    """Tells the differences between items and their results, one line each."""
    results: tuple[Result, ...] = ()
    prefixes: tuple[str, ...] = ()
    """`handle` is given changes of items whose sort key begins with one of them; of all items
    without any. `rebuild` and `compare` are given all items."""
    needs_old: bool = True
    """Whether `handle` looks at items before their change. Otherwise it is given None for them."""
    attributes: tuple[str, ...] = ()
    """The attributes that `handle` is given of items; all without any. A replay of a change that
    was set aside has only these as well."""
    max_batch: int = 100
    """How many changes at once. It may be far more than a transaction has ops, where many changes
    lead to few ops."""
    max_tries: int = 5
    first_pause_ms: int = 200
    longest_pause_ms: int = 30_000
    seconds: float = 30.0
    """How long one call of `handle` or `rebuild` may take."""
    linger: float = 0.05
    """Seconds to wait for more changes, so that a batch has more than one."""

    def __post_init__(self) -> None:
        if self.needs_old and not self.table.old_images:
            reason = f"needs items before their change, which {self.table.name} does not keep"
            raise ValueError(f"{self.name} {reason}")


def lease_name(follower: str) -> str:
    return f"followers/{follower}"
