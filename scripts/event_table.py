"""Writes the table of docs/reference/events.md: every kind of public event."""

from greenroom.app import REGISTRY
from greenroom.background.public_events import EventKind

_HEAD = "| kind | what happened | data | restored |\n| --- | --- | --- | --- |\n"


def event_tables() -> str:
    """One table for each source."""
    return "\n".join(
        f"### {source.name}\n\n{_HEAD}" + "".join(map(_row, source.kinds))
        for source in REGISTRY.public_events
    )


def _row(kind: EventKind) -> str:
    data = ", ".join(f"`{field}`" for field in kind.fields)
    return f"| `{kind.name}` | {kind.meaning} | {data} | {'yes' if kind.is_restored else ''} |\n"
