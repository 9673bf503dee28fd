"""Compares a follower's result with the table it comes from.

A change that is still on its way to the follower shows as a difference: compare again before you
rebuild.
"""

from msgspec import Struct

from greenroom.background.follower import Follower
from greenroom.background.rebuild import key_in, orphans_in
from greenroom.store.base import Store

_PAGE = 50
_MAX_LINES = 100


class Comparison(Struct):
    compared: int = 0
    """Items of the followed table."""
    different: int = 0
    orphaned: int = 0
    """Results whose item is gone."""
    lines: list[str] = []
    """The first hundred, one line each."""

    def add_lines(self, lines: list[str]) -> None:
        self.lines += lines[: _MAX_LINES - len(self.lines)]


async def compare(store: Store, follower: Follower) -> Comparison:
    found = Comparison()
    if follower.compare is not None:
        await _compare_items(store, follower, found)
    await _find_orphans(store, follower, found)
    return found


async def _compare_items(store: Store, follower: Follower, found: Comparison) -> None:
    assert follower.compare is not None
    cursor: str | None = None
    while True:
        page = await store.scan(follower.table, limit=_PAGE, cursor=cursor, consistent=True)
        lines = list(await follower.compare(page.items)) if page.items else []
        found.compared += len(page.items)
        found.different += len(lines)
        found.add_lines(lines)
        cursor = page.next
        if cursor is None:
            return


async def _find_orphans(store: Store, follower: Follower, found: Comparison) -> None:
    for result in follower.results:
        cursor: str | None = None
        while True:
            page = await store.scan(result.table, limit=_PAGE, cursor=cursor, consistent=True)
            orphans = await orphans_in(store, follower.table, result, page.items)
            found.orphaned += len(orphans)
            found.add_lines([f"{key_in(result.table, item)} has no source" for item in orphans])
            cursor = page.next
            if cursor is None:
                break
