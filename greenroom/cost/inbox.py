"""Cost patterns: read the inbox, a thread and its history, and catch up after being away."""

from functools import partial

from greenroom.cost.fixture import Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.ids import ThreadId
from greenroom.messaging import access, history, inbox, read, sync, thread as threads
from greenroom.messaging.find_by_seq import find_by_seq
from greenroom.messaging.models import Folder, Kind
from greenroom.messaging.row_settings import archive, mark_spam
from greenroom.messaging.thread import details
from greenroom.people.actor import Actor

_QUIET_S = 1000
"""Longer than a row's time may lag behind its thread, and the slack of a cursor."""
_KINDS = (Kind.INQUIRY, Kind.BOOKING, Kind.INVITE, Kind.STUDIO)


async def _threads(fixture: Fixture, count: int) -> tuple[Actor, list[ThreadId]]:
    """Ana's threads, of all kinds, so that none of her folders is empty; the other person wrote
    last."""
    ana = await fixture.person("ana")
    found: list[ThreadId] = []
    for number, other in enumerate(await fixture.people(count)):
        fixture.clock.advance(seconds=1000)
        thread = await fixture.talk(ana, other, kind=_KINDS[number % len(_KINDS)])
        found.append(thread.id)
    return ana, found


async def _settled(fixture: Fixture, count: int) -> Actor:
    ana, threads = await _threads(fixture, count)
    for number, thread in enumerate(threads):
        await read.mark_read(fixture.messaging, ana, thread, 2)
        if number % 3:
            await fixture.say(ana, thread)
    await fixture.rest(ana)
    return ana


async def _inbox_open(fixture: Fixture) -> Act:
    ana, threads = await _threads(fixture, 20)

    async def act() -> None:
        opened = await inbox.inbox(fixture.messaging, ana)
        assert len(opened.rows) == len(threads)
        assert opened.counts is not None
        assert opened.counts.badge == len(threads)

    return act


async def _inbox_settled(fixture: Fixture, folder: Folder, count: int = 20) -> Act:
    ana = await _settled(fixture, count)
    return partial(inbox.inbox, fixture.messaging, ana, folder)


async def _inbox_busy(fixture: Fixture) -> Act:
    """The rows of the page are active; as many inactive ones lie below."""
    ana = await _settled(fixture, 30)
    for number in range(20):
        other = await fixture.person(f"guest{number:03d}")
        found = await inbox.inbox(fixture.messaging, other)
        await fixture.say(other, found.rows[0].thread.id)
    return partial(inbox.inbox, fixture.messaging, ana)


async def _inbox_put_away(fixture: Fixture, folder: Folder) -> Act:
    """Twenty threads that the user has archived or marked as spam."""
    ana, threads = await _threads(fixture, 20)
    put_away = archive if folder is Folder.ARCHIVED else mark_spam
    for thread in threads:
        await read.mark_read(fixture.messaging, ana, thread, 2)
        await put_away(fixture.messaging, ana, thread, True)
    await fixture.rest(ana)
    return partial(inbox.inbox, fixture.messaging, ana, folder)


async def _inbox_requests(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    for other in await fixture.people(20):
        thread = await fixture.open(other, ana)
        await fixture.say(other, thread.id)
    return partial(inbox.inbox, fixture.messaging, ana, Folder.REQUESTS)


async def _counts(fixture: Fixture) -> Act:
    ana, _ = await _threads(fixture, 20)
    return partial(inbox.counts, fixture.messaging, ana)


async def _thread_open(fixture: Fixture) -> Act:
    ana, [thread] = await _threads(fixture, 1)
    return partial(details, fixture.messaging, ana, thread)


async def _history(fixture: Fixture, around: bool = False) -> Act:
    ana, [thread] = await _threads(fixture, 1)
    messages = [await fixture.say(ana, thread) for _ in range(60)]
    place = messages[30].id if around else None
    return partial(history.history, fixture.messaging, ana, thread, around=place)


async def _place(fixture: Fixture) -> Act:
    """A thread of 1,000 messages that came at an uneven pace."""
    ana, [thread] = await _threads(fixture, 1)
    for number in range(1000):
        await fixture.say(ana, thread)
        fixture.clock.advance(seconds=number % 7 * 600)
    view = await access.thread(fixture.messaging, ana, thread)
    return partial(find_by_seq, fixture.messaging, view, 400)


async def _message(fixture: Fixture) -> Act:
    ana, [thread] = await _threads(fixture, 1)
    message = await fixture.say(ana, thread)
    return partial(threads.message, fixture.messaging, ana, thread, message.id)


async def _sync_busy(fixture: Fixture, changed: int) -> Act:
    """A message in each of twenty threads within a minute, all synced; then more in some."""
    ana, threads = await _threads(fixture, 20)
    fixture.clock.advance(seconds=_QUIET_S)
    since = await sync.sync(fixture.messaging, ana)
    for number, thread in enumerate(threads):
        await fixture.say(await fixture.person(f"guest{number:03d}"), thread, within_ms=3000)
    while (since := await sync.sync(fixture.messaging, ana, since.cursor)).more:
        pass
    for number, thread in enumerate(threads[:changed]):
        await fixture.say(await fixture.person(f"guest{number:03d}"), thread, within_ms=3000)
    return partial(sync.sync, fixture.messaging, ana, since.cursor)


async def _sync_unread(fixture: Fixture) -> Act:
    ana, _ = await _threads(fixture, 20)
    fixture.clock.advance(seconds=_QUIET_S)
    since = await sync.sync(fixture.messaging, ana)
    fixture.clock.advance(seconds=60)
    return partial(sync.sync, fixture.messaging, ana, since.cursor)


async def _sync(fixture: Fixture, changed: int) -> Act:
    """Twenty threads without a message for an hour, and then a message in some of them."""
    ana, threads = await _threads(fixture, 20)
    for thread in threads:
        await read.mark_read(fixture.messaging, ana, thread, 2)
    await fixture.rest(ana)
    fixture.clock.advance(seconds=_QUIET_S)
    since = await sync.sync(fixture.messaging, ana)
    fixture.clock.advance(seconds=60)
    for number, thread in enumerate(threads[:changed]):
        await fixture.say(await fixture.person(f"guest{number:03d}"), thread)
    return partial(sync.sync, fixture.messaging, ana, since.cursor)


TITLE = "Reading"
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
    Pattern("inbox_busy", "20 unread, and 30 inactive threads below them", _inbox_busy),
    Pattern(
        "inbox_action",
        "one folder: threads that need an answer",
        partial(_inbox_settled, folder=Folder.ACTION),
    ),
    Pattern(
        "inbox_bookings", "one folder: bookings", partial(_inbox_settled, folder=Folder.BOOKINGS)
    ),
    Pattern("inbox_offers", "one folder: offers", partial(_inbox_settled, folder=Folder.OFFERS)),
    Pattern("inbox_requests", "one folder: 20 pending requests", _inbox_requests, most_read=20),
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
    Pattern("thread_open", "a thread with all its members", _thread_open),
    Pattern("history_page", "the newest 50 messages with read receipts", _history),
    Pattern("history_around", "50 messages around one", partial(_history, around=True)),
    Pattern("place_of_seq", "find the first unread of 1,000 messages by its seq", _place),
    Pattern("message", "one message by its id, with read receipts", _message),
    Pattern("sync_nothing", "sync: nothing has changed", partial(_sync, changed=0), most_read=8),
    Pattern("sync_nothing_unread", "the same, with 20 threads unread", _sync_unread, most_read=8),
    Pattern(
        "sync_nothing_busy",
        "the same, within a minute of a message in each of 20 threads",
        partial(_sync_busy, changed=0),
        most_read=14,
    ),
    Pattern("sync_1", "sync: a message in one thread", partial(_sync, changed=1), most_read=12),
    Pattern(
        "sync_1_busy",
        "the same, within a minute of a message in each of 20 threads",
        partial(_sync_busy, changed=1),
    ),
    Pattern("sync_20", "sync: a message in each of 20 threads", partial(_sync, changed=20)),
)
