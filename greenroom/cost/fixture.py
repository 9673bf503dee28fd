"""What a pattern is measured on: contexts of its own over the shared store, and a manual clock.

Sizes are realistic: ids and client message ids of full length, a text of 120 characters, a subject,
and a clock whose milliseconds do not end in zeros, because DynamoDB bills a number by its digits.
Careful: the clock stands in 2100, because DynamoDB deletes what has expired by its own clock.
"""

import asyncio
import dataclasses
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from greenroom.api.composition import Contexts
from greenroom.app import REGISTRY, compose
from greenroom.blobs.folder import FolderBlobs
from greenroom.bookings import Bookings
from greenroom.clock import ManualClock
from greenroom.cost.counted_blobs import CountedBlobs
from greenroom.files import Files
from greenroom.files.events import Publish
from greenroom.files.work_folder import WorkFolder
from greenroom.ids import ThreadId
from greenroom.messaging import Messaging, inbox, open as opening, send as sending
from greenroom.messaging.models import Kind, Message, Role, Thread
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.policy import REQUESTS
from greenroom.messaging.respond import accept
from greenroom.people.actor import Actor, Scope
from greenroom.people.join import join
from greenroom.safety.limits import rates_of
from greenroom.sql.migrations import upgrade
from greenroom.sql.sqlite import SqliteDatabase
from greenroom.sql.sqlite.connections import driver_of, engine_for
from greenroom.store.base import Store

BEGIN_MS = 4_102_444_812_347
TEXT = (
    "Would the third of March suit you? We begin at nine, the studio has daylight until four, "
    "and I bring what you asked for."
)
_SUBJECT = "Portraits in March"
_HOUR_S = 3600
_SECRET = b"nobody else sees these cursors"


@dataclass
class Fixture:
    store: Store
    name: str
    """Part of the usernames, so that patterns do not share people."""
    clock: ManualClock = field(default_factory=lambda: ManualClock(BEGIN_MS))
    blobs: CountedBlobs | None = None
    """Only of a pattern that uses files."""
    sql: SqliteDatabase | None = None
    """Only of a pattern with cards (`open_sql`)."""
    _folder: FolderBlobs | None = None
    _actors: dict[str, Actor] = field(default_factory=dict)
    _sent: int = 0

    def __post_init__(self) -> None:
        self.forget()

    @property
    def messaging(self) -> Messaging:
        return self.contexts[Messaging]

    @property
    def bookings(self) -> Bookings:
        return self.contexts[Bookings]

    def open_sql(self) -> None:
        """A file of its own, which is removed together with the fixture."""
        path = self._temporary("sql") / "sql.db"
        path.write_bytes(_migrated())
        self.sql = SqliteDatabase(path, synchronous="OFF")
        weakref.finalize(self, self.sql.writer.stop)
        self.forget()

    @property
    def files(self) -> Files:
        """As on S3: uploads come in parts, and the requests are counted."""
        if self.blobs is None:
            self.blobs = CountedBlobs(self._blobs_folder())
            self.forget()
        return self.contexts[Files]

    @property
    def files_on_a_folder(self) -> Files:
        """Uploads come in order, and there are no requests to S3."""
        return dataclasses.replace(self.contexts[Files], blobs=self._blobs_folder())

    def files_that_check(self, publish: Publish) -> Files:
        """The same, with a work folder of their own. Without the model, which is an extra and asks
        nothing of the store. To be closed after use."""
        own = self.files
        pipeline = dataclasses.replace(own.pipeline, work=WorkFolder(self._temporary("work")))
        return dataclasses.replace(own, pipeline=pipeline, rater=None, publish=publish)

    def _blobs_folder(self) -> FolderBlobs:
        if self._folder is None:
            self._folder = FolderBlobs(self._temporary("blobs"), _SECRET, self.clock)
        return self._folder

    def _temporary(self, what: str) -> Path:
        """A folder that is removed together with the fixture."""
        folder = tempfile.mkdtemp(prefix=f"greenroom-cost-{what}-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    @property
    def leg(self) -> str:
        return f"leg_{self.name:0>26}"

    def forget(self) -> None:
        """Composes again: like a node that has just started, with empty caches."""
        self.contexts = _composed(self.store, self.clock, self.blobs, self.sql)

    async def person(self, name: str, *scopes: Scope) -> Actor:
        if name not in self._actors:
            account = await join(
                self.messaging.people,
                f"{name}.{self.name}",
                display_name=f"{name.title()} Example",
                email=f"{name}@example.org",
            )
            self._actors[name] = Actor(account.id, frozenset({Scope.USER, *scopes}))
        return self._actors[name]

    async def people(self, count: int) -> Sequence[Actor]:
        return await asyncio.gather(*(self.person(f"guest{n:03d}") for n in range(count)))

    async def pair(self) -> tuple[Actor, Actor]:
        return await self.person("ana"), await self.person("ben")

    async def open(self, by: Actor, *others: Actor, kind: Kind = Kind.INQUIRY) -> Thread:
        """Opened, and not accepted yet."""
        if kind is Kind.BOOKING:
            by = Actor(by.user, by.scopes | {Scope.SERVICE})
        return await opening.open_thread(self.messaging, by, self.opening(*others, kind=kind))

    def opening(self, *others: Actor, kind: Kind = Kind.INQUIRY) -> opening.Opening:
        booked = kind is Kind.BOOKING
        return opening.Opening(
            kind=kind,
            role=Role.BUYER,
            others=tuple(opening.Invited(other.user, Role.SELLER) for other in others),
            subject=_SUBJECT,
            booking_id="bkg_01k9zq3v8xw5t7m2e4r6y8u0pa" if booked else None,
            leg_id=self.leg if booked else None,
            city="Houston" if booked else None,
        )

    async def talk(self, by: Actor, *others: Actor, kind: Kind = Kind.INQUIRY) -> Thread:
        """Opened and accepted by all, with a message from each of the first two people."""
        thread = await self.open(by, *others, kind=kind)
        gates = [(other, thread.gates.get(other.user)) for other in others]
        await asyncio.gather(
            *(accept(self.messaging, other, gate.id) for other, gate in gates if gate is not None)
        )
        await self.say(by, thread.id)
        await self.say(others[0], thread.id)
        return thread

    async def say(
        self, actor: Actor, thread: ThreadId, body: str = TEXT, *, within_ms: int = 30_000
    ) -> Message:
        self._sent += 1
        self.clock.advance(ms=within_ms + 11)
        sent = await sending.send(self.messaging, actor, thread, self.outgoing(self._sent, body))
        assert isinstance(sent, Sent)
        return sent.message

    def outgoing(self, number: int, body: str = TEXT) -> Outgoing:
        """The client message id is a UUID; every text is different."""
        named = f"{number:08x}-5b1e-4c3a-9d2f-7a6b8c9d0e1f"
        return Outgoing(named, f"{body} {number:08x}")

    async def rest(self, *actors: Actor) -> None:
        """An hour passes, and the inbox rows of these people become inactive."""
        self.clock.advance(seconds=_HOUR_S)
        for actor in actors:
            while await self._tidied(actor):
                pass

    async def _tidied(self, actor: Actor) -> bool:
        await inbox.inbox(self.messaging, actor)
        with self.store.counting() as cost:
            await self.messaging.deferred.run()
        return cost.write_units > 0


@cache
def _migrated() -> bytes:
    """An empty file with all tables: making them takes longer than what is measured."""
    with tempfile.TemporaryDirectory(prefix="greenroom-cost-sql-") as folder:
        path = Path(folder) / "sql.db"
        with engine_for(path, "OFF").connect() as connection:
            for schema in REGISTRY.sql_schemas:
                with connection.begin():
                    driver_of(connection).execute("BEGIN IMMEDIATE")
                    upgrade(connection, schema)
            driver_of(connection).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()


def _composed(
    store: Store,
    clock: ManualClock,
    blobs: CountedBlobs | None,
    sql: SqliteDatabase | None,
) -> Contexts:
    """A group of 99 strangers is above the daily limit of requests; its cost is measured anyway."""
    rate = rates_of(REGISTRY.policy.default.limits)[REQUESTS]
    rates = {REQUESTS: replace(rate, local_share=99)}
    return compose(store, clock, _SECRET, blobs=blobs, sql=sql, rates=rates)
