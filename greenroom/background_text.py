"""Prints the status of background work and what was set aside, as text and as JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from greenroom.background.models import SetAside, TimerRow
from greenroom.background.status import FollowerStatus, Status
from greenroom.clock import iso

_FOLLOWERS = ("follower", "stage", "behind", "set aside", "node")
_TIMERS = ("timers", "due", "late", "set aside")
_NODES = ("node", "works on")
_CHANGES = ("number", "set aside at", "item", "error")
_ASIDE_TIMERS = ("kind", "id", "due at", "tries", "error")


def to_json(found: object) -> str:
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"


def status_text(found: Status) -> str:
    timers = [(one.kind, one.due, one.late, one.set_aside) for one in found.timers.kinds]
    nodes = [(one.name, ", ".join(one.leases)) for one in found.nodes]
    parts = [
        _table(_FOLLOWERS, map(_follower_cells, found.followers)),
        _table(_TIMERS, timers),
        _table(_NODES, nodes),
    ]
    if found.timers.has_more:
        parts.append("There are more timers than were counted.\n")
    return "\n".join(parts)


def _follower_cells(one: FollowerStatus) -> tuple[object, ...]:
    stage = "not begun" if one.stage is None else one.stage.value.replace("_", " ")
    if one.needs_rebuild:
        stage, behind = "needs rebuild", "?"
    else:
        behind = f"{one.lag_ms / 1000:.0f} s"
    return one.name, stage, behind, one.set_aside, one.node or "-"


def set_aside_text(
    changes: Mapping[str, Sequence[SetAside]], timers: Sequence[TimerRow] | None
) -> str:
    """`timers`: None where they were not asked for."""
    parts = [f"{name}\n{_table(_CHANGES, _change_cells(some))}" for name, some in changes.items()]
    if timers is not None:
        parts.append(f"timers\n{_table(_ASIDE_TIMERS, map(_timer_cells, timers))}")
    return "\n".join(parts)


def _change_cells(asides: Sequence[SetAside]) -> Iterator[tuple[object, ...]]:
    for one in asides:
        error = one.error or "stands behind an earlier change of the same item"
        yield one.number, iso(one.at_ms), item_of(one), error


def item_of(aside: SetAside) -> str:
    key = aside.change.key
    return f"{aside.change.table} {key.partition}" + (f" / {key.sort}" if key.sort else "")


def _timer_cells(row: TimerRow) -> tuple[object, ...]:
    return row.timer.kind, row.timer.id, iso(row.timer.due_ms), row.tries, row.error


def change_row(one: SetAside) -> dict[str, object]:
    """Without the item itself, which may hold a conversation."""
    return {
        "number": one.number,
        "table": one.change.table,
        "key": [one.change.key.partition, one.change.key.sort],
        "changedAt": iso(one.change.at_ms),
        "setAsideAt": iso(one.at_ms),
        "isRebuild": one.is_rebuild,
        "error": one.error,
    }


def timer_row(row: TimerRow) -> dict[str, object]:
    """Without the payload, which may hold a message."""
    timer = row.timer
    return {
        "kind": timer.kind,
        "timerId": timer.id,
        "dueAt": iso(timer.due_ms),
        "tries": row.tries,
        "error": row.error,
    }


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = [head, *([str(cell) for cell in row] for row in rows)]
    if len(cells) == 1:
        cells.append(["none"])
    columns = range(len(head))
    widths = [max(len(row[i]) for row in cells if i < len(row)) for i in columns]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in cells]  # noqa: B905 (rows may be shorter)
    return "".join(f"{line.rstrip()}\n" for line in lines)
