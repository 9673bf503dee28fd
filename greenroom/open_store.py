"""Opens the store that the settings name."""

from collections.abc import (
    AsyncIterator,
    Sequence,
)
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from greenroom import file_permissions
from greenroom.api.demo import NotADemoStore
from greenroom.api.problems import NoDatabase
from greenroom.app import TABLES
from greenroom.blobs.s3.location import below
from greenroom.bookings.settings import BookingSettings
from greenroom.clock import Clock
from greenroom.demo import records as demo_records
from greenroom.open_sql import demo_sql
from greenroom.people import records as people
from greenroom.settings import (
    InvalidSetting,
    Settings,
    data_folder,
    load_secret,
    make_private,
    variable_of,
)
from greenroom.store.base import Store
from greenroom.store.problems import NoSuchTable, StoreHeld
from greenroom.store.sqlite import ReadonlyStore, SqliteStore, open_readonly
from greenroom.store.tables import Table

_SQLITE = "sqlite:///"
_DYNAMODB = "dynamodb"


@asynccontextmanager
async def opened(
    settings: Settings, clock: Clock, *, create_tables: bool, tables: Sequence[Table] = TABLES
) -> AsyncIterator[Store]:
    store = await _open(settings, clock, create_tables, tables)
    try:
        yield store
    finally:
        await store.close()


def check_exists(settings: Settings) -> None:
    """Refuses a SQLite file that does not exist: only a server creates one."""
    path = sqlite_path(settings)
    if path is not None and not (path.exists() and path.stat().st_size):
        raise NoDatabase(str(path))


@asynccontextmanager
async def opened_to_read(
    settings: Settings, clock: Clock, tables: Sequence[Table] = TABLES
) -> AsyncIterator[Store | ReadonlyStore]:
    """The store, or a SQLite file for reading only while a server has it open."""
    check_exists(settings)
    path = sqlite_path(settings)
    async with AsyncExitStack() as stack:
        store: Store | ReadonlyStore
        try:
            opening = opened(settings, clock, create_tables=False, tables=tables)
            store = await stack.enter_async_context(opening)
        except StoreHeld:
            if path is None:
                raise
            store = ReadonlyStore(stack.enter_context(open_readonly(path, clock)), clock)
        yield store


class DemoSettings(Settings, frozen=True):
    """Settings of a demo, whose tokens no other server accepts."""


def for_demo(settings: Settings) -> DemoSettings:
    """The same settings with a separate folder and secret, and with a folder of its own in a
    bucket and a schema of its own in PostgreSQL, so that samples never mix with real data.
    Payments go to the sandbox."""
    own = {
        "data": settings.data / "demo",
        "secret": "",
        "blobs": below(settings.blobs, "demo") if settings.blobs else "",
        "sql": demo_sql(settings),
        "groups": (BookingSettings(payments="sandbox"), *settings.groups),
    }
    return DemoSettings(**(msgspec.structs.asdict(settings) | own))


async def check_demo_store(settings: Settings, clock: Clock) -> None:
    """Passes for a demo's store, and for one that does not exist yet."""
    path = sqlite_path(settings)
    if path is not None:
        if not path.exists() or not path.stat().st_size:
            return
        with open_readonly(path, clock) as reader:
            marked = reader.get(people.USER_POSTS, demo_records.MARK, False)
    else:
        secret = load_secret(settings)
        try:
            store = await _open_dynamo(settings, clock, secret, False, people.TABLES)
            try:
                marked = await store.get(people.USER_POSTS, demo_records.MARK)
            finally:
                await store.close()
        except NoSuchTable:
            return
    if marked is None:
        raise NotADemoStore


def sqlite_path(settings: Settings) -> Path | None:
    url = settings.store_url
    return Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None


async def _open(
    settings: Settings, clock: Clock, create_tables: bool, tables: Sequence[Table]
) -> Store:
    secret = load_secret(settings)
    path = sqlite_path(settings)
    file_permissions.tighten(_data_folders(settings), path)
    if path is not None:
        data_folder(settings)
        make_private(path)
        return await SqliteStore.open(
            path, tables, clock=clock, cursor_secret=secret, check=settings.check
        )
    if settings.store_url.startswith(_DYNAMODB):
        return await _open_dynamo(settings, clock, secret, create_tables, tables)
    reason = f"it must begin with {_SQLITE} or {_DYNAMODB}, not with {settings.store_url[:12]!r}"
    raise InvalidSetting(variable_of("store"), reason)


def _data_folders(settings: Settings) -> list[Path]:
    """A demo's folder is inside the data folder."""
    inner = isinstance(settings, DemoSettings)
    return [settings.data.parent, settings.data] if inner else [settings.data]


async def _open_dynamo(
    settings: Settings,
    clock: Clock,
    secret: bytes,
    create_tables: bool,
    tables: Sequence[Table],
) -> Store:
    # Imported here, because SQLite needs no HTTP client in memory.
    from greenroom.store.dynamo import DynamoStore
    from greenroom.store.dynamo.endpoint import InvalidEndpoint

    try:
        return await DynamoStore.open(
            settings.store_url, tables, clock=clock, cursor_secret=secret, create=create_tables
        )
    except InvalidEndpoint as reason:
        raise InvalidSetting(variable_of("store"), str(reason)) from None
