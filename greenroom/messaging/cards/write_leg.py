"""Tells a thread what has become of its leg without a card, such as a deposit that is held."""

from typing import cast

from msgspec.structs import replace

from greenroom.background.schedule import schedule
from greenroom.bookings.news import LegNews
from greenroom.bookings.panel_lines import PanelLines
from greenroom.bookings.project_snapshot import packed_snapshot, project_snapshot
from greenroom.ids import RequestId
from greenroom.messaging import items
from greenroom.messaging.cards.leg_timers import leg_timer
from greenroom.messaging.cards.tabs import with_tabs
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.models import BuiltInEvent, Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.panel.models import Tab
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING, claim_key
from greenroom.messaging.set_status import write_change
from greenroom.people.actor import SYSTEM
from greenroom.store.base import Op, Put, key_of
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed

_TABS = (Tab.EXPENSES, Tab.DOCS)


async def write_leg(messaging: Messaging, news: LegNews, lines: PanelLines) -> None:
    """Does nothing where it was told already."""
    leg = news.leg
    if not news.shown:
        if leg.due_ms:
            await messaging.store.write(schedule(leg_timer(news.group, leg)))
        return
    claimed = claim_key(news.thread, SYSTEM, f"leg:{leg.id}:{leg.version}:{news.event}")

    def plan(head: Thread, ms: int) -> PlannedWrite:
        event = cast(BuiltInEvent, news.event)
        message = system_message(messaging, head, SYSTEM, ms, event, leg.id)
        claim = items.at(claimed) | {
            "messageId": message.id,
            "seq": message.seq,
            "ts": message.ms,
        }
        ops: list[Op] = [message_op(message), Put(MESSAGING, claim, F("pk").absent())]
        if leg.due_ms:
            ops.append(schedule(leg_timer(news.group, leg)))
        after = with_message(head, message)
        if lines.legs:  # the conversation of one leg
            snapshot = packed_snapshot(project_snapshot(lines.legs, ms))
            after = replace(after, project_snapshot=snapshot)
        planned = PlannedWrite(after, tuple(ops), (MessageCreated(message),))
        return with_tabs(planned, lines, _TABS, ms)

    try:
        await write_change(messaging, news.thread, plan, set[RequestId]())
    except ConditionFailed as refusal:
        if not any(key_of(failure.op) == claimed for failure in refusal.failed):
            raise
