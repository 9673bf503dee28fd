"""Keeps the content of a tab within its bound: forgets old deletions, refuses what is too much."""

from msgspec.structs import replace

from greenroom.messaging.panel.fields import MAX_BYTES
from greenroom.messaging.panel.items import content, snapshot_content
from greenroom.messaging.panel.models import SnapshotLine, Tab, TabState
from greenroom.messaging.panel.problems import TabFull


def fitted(before: TabState, after: TabState) -> TabState:
    """What makes a tab smaller is always accepted."""
    most = MAX_BYTES[after.tab]
    while len(content(after)) > most:
        if after.removed:
            after = replace(after, removed=after.removed[1:])
        elif len(content(after)) < len(content(before)):
            break
        else:
            raise TabFull(after.tab)
    return after


def fitted_lines(tab: Tab, lines: tuple[SnapshotLine, ...], left_out: int) -> bytes:
    """As many lines as fit, the first ones: what writes a snapshot must not fail for its size."""

    def packed(number: int) -> bytes:
        return snapshot_content(lines[:number], left_out + len(lines) - number)

    fits, most = 0, len(lines)
    while fits < most:
        middle = (fits + most + 1) // 2
        if len(packed(middle)) <= MAX_BYTES[tab]:
            fits = middle
        else:
            most = middle - 1
    return packed(fits)
