"""The use cases of reminders, and what happens in the background."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import Struct

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.clock import Clock
from greenroom.ids import Ids, UserId
from greenroom.people.actor import Actor
from greenroom.store.base import Change, Delete, Op, Store, Update
from greenroom.store.expressions import Bound, F, Prefix
from greenroom.store.problems import ConditionFailed
from tests.example_context import records
from tests.example_context.models import MAX_TEXT, InvalidReminder, Reminder

TIMER = "reminder"


def discard(_: Reminder) -> None:
    """Where nobody is connected."""


@dataclass(frozen=True)
class Reminders:
    """The ports that the use cases take as their first argument."""

    store: Store
    clock: Clock
    ids: Ids
    publish: Callable[[Reminder], None] = discard
    characters: int = MAX_TEXT
    """How long a text may be."""
    page: int = 20
    """How many one read returns."""


class Listed(Struct, frozen=True):
    waiting: tuple[Reminder, ...]
    total: int
    """How many the user has ever made."""


class DueReminders(Struct, frozen=True):
    reminders: tuple[Reminder, ...]
    position: str
    more: bool


async def remind(reminders: Reminders, actor: Actor, text: str, after_ms: int) -> Reminder:
    if not 0 < len(text) <= reminders.characters:
        raise InvalidReminder(reminders.characters)
    due_ms = reminders.clock.now_ms() + after_ms
    reminder = Reminder(reminders.ids.new("rem_"), actor.user, text, due_ms)
    timer = Timer(TIMER, reminder.id, due_ms, {"user": actor.user})
    await reminders.store.write(records.waiting(reminder), schedule(timer))
    return reminder


async def listed(reminders: Reminders, actor: Actor) -> Listed:
    page = await reminders.store.query(
        records.REMINDERS,
        records.partition(actor.user),
        Prefix(records.WAITING),
        limit=reminders.page,
        consistent=True,
    )
    count = await reminders.store.get(records.REMINDERS, records.count_key(actor.user))
    total = 0 if count is None else count["total"]
    assert isinstance(total, int)
    return Listed(tuple(map(records.reminder_of, page.items)), total)


async def due_since(reminders: Reminders, user: UserId, position: str) -> DueReminders:
    """Those that have become due after the position, which is a sort key."""
    page = await reminders.store.query(
        records.REMINDERS,
        records.partition(user),
        Bound(">", position or records.DUE),
        limit=reminders.page,
        consistent=True,
    )
    found = [item for item in page.items if str(item["sk"]).startswith(records.DUE)]
    last = str(found[-1]["sk"]) if found else position
    return DueReminders(tuple(map(records.reminder_of, found)), last, len(found) == reminders.page)


async def on_due(reminders: Reminders, timer: Timer) -> Sequence[Op]:
    """Moves the reminder from waiting to due, once, and tells its user."""
    user = UserId(str(timer.payload["user"]))
    key = records.waiting_key(Reminder(timer.id, user, "", 0))
    item = await reminders.store.get(records.REMINDERS, key, consistent=True)
    if item is None:
        return ()
    reminder = records.reminder_of(item)
    moved = Delete(records.REMINDERS, key, F("pk").exists()), records.due(reminder)
    try:
        await reminders.store.write(*moved)
    except ConditionFailed:  # another try was first
        return ()
    reminders.publish(reminder)
    return ()


async def count_new(changes: Sequence[Change]) -> Sequence[Op]:
    """The follower: adds to each user's count what they have made."""
    totals: dict[str, int] = {}
    for change in changes:
        is_new = change.old is None and (change.key.sort or "").startswith(records.WAITING)
        if is_new:
            totals[change.key.partition] = totals.get(change.key.partition, 0) + 1
    return [
        Update(
            records.REMINDERS,
            records.count_key(UserId(partition.partition("#")[2])),
            (F("total").add(count),),
        )
        for partition, count in totals.items()
    ]
