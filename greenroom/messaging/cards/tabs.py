"""Brings the tabs of the project panel that follow from the booking up to date."""

from collections.abc import Sequence

from greenroom.bookings.panel_lines import Line, PanelLines
from greenroom.messaging.models import Thread
from greenroom.messaging.panel.models import SnapshotLine, Tab
from greenroom.messaging.panel.put_tab import put_tab
from greenroom.messaging.panel.rules import has_panel
from greenroom.messaging.plan import PlannedWrite


def with_tabs(
    planned: PlannedWrite, lines: PanelLines, tabs: Sequence[Tab], now_ms: int
) -> PlannedWrite:
    """The plan with these tabs in it."""
    if not has_panel(planned.thread):
        return planned
    for tab in tabs:
        planned = _with_tab(planned, lines, tab, now_ms)
    return planned


def _with_tab(planned: PlannedWrite, lines: PanelLines, tab: Tab, now_ms: int) -> PlannedWrite:
    head: Thread = planned.thread
    match tab:
        case Tab.ACTIONS:
            more = put_tab(head, tab, _shown(lines.actions), now_ms, left_out=lines.left_out)
        case Tab.EXPENSES:
            more = put_tab(head, tab, _shown(lines.expenses), now_ms)
        case _:
            more = put_tab(head, tab, _shown(lines.docs), now_ms)
    ops, events = (*planned.ops, *more.ops), (*planned.events, *more.events)
    return PlannedWrite(more.thread, ops, events)


def _shown(lines: Sequence[Line]) -> list[SnapshotLine]:
    return [
        SnapshotLine(
            id=one.id,
            title=one.title,
            state=one.state,
            amount=None if one.money is None else one.money.minor,
            currency="" if one.money is None else one.money.currency,
            by=one.by,
            at_ms=one.at_ms,
        )
        for one in lines
    ]
