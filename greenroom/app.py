"""The composition root: settings -> store -> contexts -> the app. The only place that wires."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from greenroom import demo, settings as knobs
from greenroom.api import server
from greenroom.api.http import http_app
from greenroom.clock import SystemClock
from greenroom.ids import Ids, UserId
from greenroom.live import records as live
from greenroom.messaging import records as messaging
from greenroom.people import People, directory, records as people
from greenroom.safety import records as safety
from greenroom.settings import InvalidSetting, Settings
from greenroom.social import records as social
from greenroom.store.base import Store
from greenroom.store.sqlite import SqliteStore
from greenroom.store.tables import Table

TABLES: tuple[Table, ...] = (
    *messaging.TABLES,
    *safety.TABLES,
    *people.TABLES,
    *social.TABLES,
    *live.TABLES,
)

_SQLITE = "sqlite:///"
_DYNAMODB = "dynamodb"


async def serve(
    settings: Settings, *, create_tables: bool, samples: bool, tell: Callable[[str], None]
) -> None:
    """Serve until told to stop. `tell` is called with the address once it can be reached."""
    clock = SystemClock()
    with server.listen(settings.host, settings.port) as listener:
        async with opened(settings, clock, create_tables=create_tables) as store:
            people = People(store, clock, Ids(clock))
            await _ready(people)
            shown = await demo.furnish(people) if samples else ()
            app = http_app(people, partial(_ready, people), shown)
            address = server.address_of(listener)
            await server.serve(app, listener, started=lambda: tell(address))


@asynccontextmanager
async def opened(
    settings: Settings, clock: SystemClock, *, create_tables: bool
) -> AsyncIterator[Store]:
    store = await _open(settings, clock, create_tables)
    try:
        yield store
    finally:
        await store.close()


def for_demo(settings: Settings) -> Settings:
    """The same in a folder of its own, so that samples never mix with what is meant to stay."""
    return replace(settings, data=settings.data / "demo")


def sqlite_path(settings: Settings) -> Path | None:
    url = settings.store_url
    return Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None


async def _open(settings: Settings, clock: SystemClock, create_tables: bool) -> Store:
    secret = knobs.kept_secret(settings)
    path = sqlite_path(settings)
    if path is not None:
        knobs.data_folder(settings)
        return await SqliteStore.open(
            path, TABLES, clock=clock, cursor_secret=secret, check=settings.check
        )
    if settings.store_url.startswith(_DYNAMODB):
        return await _open_dynamo(settings, clock, secret, create_tables)
    reason = f"it begins with {_SQLITE} or {_DYNAMODB}, not with {settings.store_url[:12]!r}"
    raise InvalidSetting(knobs.variable_of("store"), reason)


async def _open_dynamo(
    settings: Settings, clock: SystemClock, secret: bytes, create_tables: bool
) -> Store:
    # Imported where it is used: on SQLite nobody needs an HTTP client in memory.
    from greenroom.store.dynamo import DynamoStore
    from greenroom.store.dynamo.address import InvalidAddress

    try:
        return await DynamoStore.open(
            settings.store_url, TABLES, clock=clock, cursor_secret=secret, create=create_tables
        )
    except InvalidAddress as reason:
        raise InvalidSetting(knobs.variable_of("store"), str(reason)) from None


async def _ready(people: People) -> None:
    """The store answers, whatever it answers."""
    await directory.find(people, UserId("usr_nobody"))
