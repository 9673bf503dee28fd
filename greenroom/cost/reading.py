"""What it costs to look: the inbox, a thread, its history, and coming back."""

from functools import partial

from greenroom.cost.pattern import Act, Pattern
from greenroom.cost.stage import Stage
from greenroom.ids import ThreadId
from greenroom.messaging import access, history, inbox, read, sync
from greenroom.messaging.arrange import archive, mark_spam
from greenroom.messaging.models import Folder, Kind
from greenroom.messaging.place import message_at
from greenroom.messaging.thread import message, view
from greenroom.people.actor import Actor

_QUIET_S = 1000
"""Longer than a row's time may lag behind its thread, and the slack of a cursor."""
_KINDS = (Kind.INQUIRY, Kind.BOOKING, Kind.INVITE, Kind.STUDIO)


async def _threads(stage: Stage, count: int) -> tuple[Actor, list[ThreadId]]:
    """Ana's, of all kinds, so that her folders all have some; the other one wrote last."""
    ana = await stage.person("ana")
    found: list[ThreadId] = []
    for number, other in enumerate(await stage.people(count)):
        stage.clock.advance(seconds=1000)
        thread = await stage.talk(ana, other, kind=_KINDS[number % len(_KINDS)])
        found.append(thread.id)
    return ana, found


async def _settled(stage: Stage, count: int) -> Actor:
    ana, threads = await _threads(stage, count)
    for number, thread in enumerate(threads):
        await read.mark_read(stage.messaging, ana, thread, 2)
        if number % 3:
            await stage.say(ana, thread)
    await stage.rest(ana)
    return ana


async def _inbox_open(stage: Stage) -> Act:
    ana, threads = await _threads(stage, 20)

    async def act() -> None:
        opened = await inbox.inbox(stage.messaging, ana)
        assert len(opened.rows) == len(threads)
        assert opened.counts is not None
        assert opened.counts.badge == len(threads)

    return act


async def _inbox_settled(stage: Stage, folder: Folder, count: int = 20) -> Act:
    ana = await _settled(stage, count)
    return partial(inbox.inbox, stage.messaging, ana, folder)


async def _inbox_busy(stage: Stage) -> Act:
    """What a page shows is fresh, and below it are as many that have settled."""
    ana = await _settled(stage, 30)
    for number in range(20):
        other = await stage.person(f"guest{number:03d}")
        found = await inbox.inbox(stage.messaging, other)
        await stage.say(other, found.rows[0].thread.id)
    return partial(inbox.inbox, stage.messaging, ana)


async def _inbox_put_away(stage: Stage, folder: Folder) -> Act:
    """Twenty threads that the user has archived, or calls spam."""
    ana, threads = await _threads(stage, 20)
    put_away = archive if folder is Folder.ARCHIVED else mark_spam
    for thread in threads:
        await read.mark_read(stage.messaging, ana, thread, 2)
        await put_away(stage.messaging, ana, thread, True)
    await stage.rest(ana)
    return partial(inbox.inbox, stage.messaging, ana, folder)


async def _inbox_requests(stage: Stage) -> Act:
    ana = await stage.person("ana")
    for other in await stage.people(20):
        thread = await stage.open(other, ana)
        await stage.say(other, thread.id)
    return partial(inbox.inbox, stage.messaging, ana, Folder.REQUESTS)


async def _counts(stage: Stage) -> Act:
    ana, _ = await _threads(stage, 20)
    return partial(inbox.counts, stage.messaging, ana)


async def _thread_open(stage: Stage) -> Act:
    ana, [thread] = await _threads(stage, 1)
    return partial(view, stage.messaging, ana, thread)


async def _history(stage: Stage, around: bool = False) -> Act:
    ana, [thread] = await _threads(stage, 1)
    frames = [await stage.say(ana, thread) for _ in range(60)]
    place = frames[30].id if around else None
    return partial(history.history, stage.messaging, ana, thread, around=place)


async def _place(stage: Stage) -> Act:
    """Of 1,000 messages, which did not come at an even pace."""
    ana, [thread] = await _threads(stage, 1)
    for number in range(1000):
        await stage.say(ana, thread)
        stage.clock.advance(seconds=number % 7 * 600)
    side = await access.thread(stage.messaging, ana, thread)
    return partial(message_at, stage.messaging, side, 400)


async def _message(stage: Stage) -> Act:
    ana, [thread] = await _threads(stage, 1)
    frame = await stage.say(ana, thread)
    return partial(message, stage.messaging, ana, thread, frame.id)


async def _sync_busy(stage: Stage, changed: int) -> Act:
    """A message in each of twenty threads within a minute, all of it given; then in some again."""
    ana, threads = await _threads(stage, 20)
    stage.clock.advance(seconds=_QUIET_S)
    since = await sync.sync(stage.messaging, ana)
    for number, thread in enumerate(threads):
        await stage.say(await stage.person(f"guest{number:03d}"), thread, within_ms=3000)
    while (since := await sync.sync(stage.messaging, ana, since.cursor)).more:
        pass
    for number, thread in enumerate(threads[:changed]):
        await stage.say(await stage.person(f"guest{number:03d}"), thread, within_ms=3000)
    return partial(sync.sync, stage.messaging, ana, since.cursor)


async def _sync_unread(stage: Stage) -> Act:
    ana, _ = await _threads(stage, 20)
    stage.clock.advance(seconds=_QUIET_S)
    since = await sync.sync(stage.messaging, ana)
    stage.clock.advance(seconds=60)
    return partial(sync.sync, stage.messaging, ana, since.cursor)


async def _sync(stage: Stage, changed: int) -> Act:
    """Twenty threads that have been quiet for an hour, and in some of them a message since."""
    ana, threads = await _threads(stage, 20)
    for thread in threads:
        await read.mark_read(stage.messaging, ana, thread, 2)
    await stage.rest(ana)
    stage.clock.advance(seconds=_QUIET_S)
    since = await sync.sync(stage.messaging, ana)
    stage.clock.advance(seconds=60)
    for number, thread in enumerate(threads[:changed]):
        await stage.say(await stage.person(f"guest{number:03d}"), thread)
    return partial(sync.sync, stage.messaging, ana, since.cursor)


PATTERNS = (
    Pattern(
        "inbox_open",
        "open the inbox: 20 threads in all folders, all of them unread, with all counts",
        _inbox_open,
        most_read=20,
    ),
    Pattern(
        "inbox_settled",
        "the same, with nothing unread",
        partial(_inbox_settled, folder=Folder.ALL),
        most_read=20,
    ),
    Pattern("inbox_busy", "20 unread, and 30 settled threads below them", _inbox_busy),
    Pattern(
        "inbox_action",
        "one folder: what waits for the user",
        partial(_inbox_settled, folder=Folder.ACTION),
    ),
    Pattern(
        "inbox_bookings", "one folder: bookings", partial(_inbox_settled, folder=Folder.BOOKINGS)
    ),
    Pattern("inbox_offers", "one folder: offers", partial(_inbox_settled, folder=Folder.OFFERS)),
    Pattern("inbox_requests", "one folder: 20 requests that wait", _inbox_requests, most_read=20),
    Pattern(
        "inbox_archived",
        "one folder: 20 archived threads",
        partial(_inbox_put_away, folder=Folder.ARCHIVED),
        most_read=20,
    ),
    Pattern(
        "inbox_spam",
        "one folder: 20 threads of spam",
        partial(_inbox_put_away, folder=Folder.SPAM),
        most_read=20,
    ),
    Pattern("counts", "the badge and the counts alone, 20 threads unread", _counts),
    Pattern("thread_open", "a thread, with everybody in it", _thread_open),
    Pattern("history_page", "the newest 50 messages, and who has read how far", _history),
    Pattern("history_around", "50 messages around one", partial(_history, around=True)),
    Pattern("place_of_seq", "find the first unread of 1,000 messages, by its number", _place),
    Pattern("message", "one message by its id, and who has read how far", _message),
    Pattern(
        "sync_nothing", "come back: nothing has changed", partial(_sync, changed=0), most_read=8
    ),
    Pattern("sync_nothing_unread", "the same, with 20 threads unread", _sync_unread, most_read=8),
    Pattern(
        "sync_nothing_busy",
        "the same, within a minute of a message in each of 20 threads",
        partial(_sync_busy, changed=0),
        most_read=14,
    ),
    Pattern(
        "sync_1", "come back: a message in one thread", partial(_sync, changed=1), most_read=12
    ),
    Pattern(
        "sync_1_busy",
        "the same, within a minute of a message in each of 20 threads",
        partial(_sync_busy, changed=1),
    ),
    Pattern("sync_20", "come back: a message in each of 20 threads", partial(_sync, changed=20)),
)
