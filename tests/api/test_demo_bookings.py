"""The sample bookings of the demo: cards in every state, a dispute, and a finished booking."""

from greenroom.app import compose
from greenroom.bookings import Bookings
from greenroom.bookings.documents.models import DocumentState
from greenroom.bookings.documents.read_documents import documents_of_thread
from greenroom.bookings.models import CardState, DepositState, LegStatus
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.bookings.read_cards import cards_of_thread
from greenroom.bookings.settings import BookingSettings
from greenroom.demo import seed
from greenroom.messaging import Messaging
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Folder, Thread
from greenroom.people import People, directory
from greenroom.people.actor import Actor
from greenroom.settings import Settings
from tests.api.world import ApiWorld
from tests.stores import SECRET
from tests.world import RATES

SANDBOX = Settings(groups=(BookingSettings(payments="sandbox"),))
FILM, ROOM, CLIP = "The film of the harbour story", "The big room", "The clip for the exhibition"


async def _seeded(world: ApiWorld) -> dict[str | None, Thread]:
    """The conversations of the buyer of all three, by subject."""
    contexts = world.contexts
    store, sql = contexts[People].store, contexts[Bookings].database
    await seed(
        lambda clock: compose(store, clock, SECRET, rates=RATES, sql=sql, settings=SANDBOX),
        world.clock.now_ms(),
        ["greenroom.demo.bookings"],
    )
    jonas = await directory.by_username(contexts[People], "jonas")
    assert jonas is not None
    found = await inbox(contexts[Messaging], Actor(jonas.id), Folder.ALL)
    return {row.thread.subject: row.thread for row in found.rows}


async def test_the_sample_bookings_show_every_state_and_are_written_once(
    sqlite_world: ApiWorld,
) -> None:
    threads = await _seeded(sqlite_world)
    bookings = sqlite_world.contexts[Bookings]
    film = await cards_of_thread(bookings, threads[FILM].id)
    assert {one.card.state for one in film} == set(CardState)
    [dispute, *_] = await cards_of_thread(bookings, threads[ROOM].id)
    assert dispute.card.waits_on_staff
    finished = await booking_of_thread(bookings, threads[CLIP].id)
    assert finished is not None
    [leg] = finished.legs
    jonas = finished.buyer
    [contract] = await documents_of_thread(bookings, threads[CLIP].id, jonas, staff=False)
    assert contract.current.state is DocumentState.SIGNED
    assert (leg.status, leg.is_paid_out) == (LegStatus.COMPLETED, True)
    assert leg.deposit is not None
    assert leg.deposit.state is DepositState.RELEASED

    sqlite_world.clock.advance(days=1)
    again = await _seeded(sqlite_world)
    assert {one: thread.last_seq for one, thread in again.items()} == {
        one: thread.last_seq for one, thread in threads.items()
    }
