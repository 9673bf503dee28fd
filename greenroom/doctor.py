"""Runs `greenroom doctor`: checks what a server needs, and says what to do about each finding.

Only one process can open a SQLite file for writing. While a server has it open, the file is read
beside it, and the server is asked whether it is ready.
"""

import asyncio
import logging
import secrets
import shlex
import shutil
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import cast

from msgspec import Struct

from greenroom import open_blobs, open_sql, open_store, policy_file, server_address
from greenroom.api.problems import NoDatabase
from greenroom.api.registry import Registry
from greenroom.app import REGISTRY, compose
from greenroom.background.follower import Follower
from greenroom.background.status import (
    LATE_MS,
    FollowerStatus,
    follower_status,
    timers_status,
)
from greenroom.clock import Clock, SystemClock
from greenroom.errors import Problem
from greenroom.files.decoder.client import Decoder
from greenroom.files.decoder.self_test import missing_programs, unable_to_decode
from greenroom.files.rater import PIXEL_BYTES, RaterUnavailable
from greenroom.files.scanner import ScannerUnavailable
from greenroom.files.scanner_gaps import gaps
from greenroom.files.scanner_setting import scanner_of
from greenroom.files.settings import FileSettings
from greenroom.files.vision.client import installed_rater, why_missing
from greenroom.serve import bus_of
from greenroom.settings import InvalidSetting, Settings, variable_of
from greenroom.store.base import Delete, Put, Store
from greenroom.store.ephemeral import CLOCK_KEY, EPHEMERAL, EPHEMERAL_TTL, doctor_key
from greenroom.store.server_clock import JUMP_MS
from greenroom.store.sqlite import ReadonlyStore
from greenroom.store.values import Item

FEW_BYTES = 1024**3
TOO_FEW_BYTES = 64 * 1024**2
_SECONDS = 5
_RATE_PICTURES = variable_of("files_rate_pictures")
_SECRET = b"none: nothing is signed with it"


class Level(Enum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Finding(Struct, frozen=True):
    check: str
    level: Level
    text: str
    advice: str = ""
    """What to do about it."""

    @property
    def line(self) -> str:
        advice = f" {self.advice}" if self.advice else ""
        return f"{self.level.value:<5} {self.check:<10} {self.text}{advice}"


async def examine(settings: Settings, registry: Registry = REGISTRY) -> AsyncIterator[Finding]:
    """The findings, one after the other."""
    clock = SystemClock()
    yield check_disk(settings)
    yield await check_bus(settings)
    yield await check_files(settings, clock)
    yield await check_sql(settings, registry)
    yield await check_scanner(settings)
    yield await check_decoders(settings)
    yield await check_rating(settings)
    try:
        policy = policy_file.read(registry.policy, settings.policy)
    except Problem as problem:
        yield Finding("policy", Level.FAIL, str(problem), _START_ADVICE)
        policy = registry.policy.default
    try:
        async with open_store.opened_to_read(settings, clock, registry.tables) as store:
            if isinstance(store, ReadonlyStore):
                yield await check_server(open_store.sqlite_path(settings))
            else:
                yield await check_writes(store, clock)
            contexts = compose(
                cast(Store, store),
                clock,
                _SECRET,
                settings=settings,
                policy=policy,
                registry=registry,
            )
            followers = registry.followers(contexts)
            checks: Sequence[Callable[[], Awaitable[Finding]]] = (
                lambda: check_clock(cast(Store, store), clock),
                lambda: check_followers(cast(Store, store), clock, followers),
                lambda: check_timers(cast(Store, store), clock),
            )
            for check in checks:
                yield await check()
    except NoDatabase as problem:
        yield Finding("store", Level.WARN, str(problem))
    except Problem as problem:
        yield Finding("store", Level.FAIL, str(problem), _STORE_ADVICE)


_START_ADVICE = "`greenroom serve` refuses to start until this is fixed."
_STORE_ADVICE = (
    f"See {variable_of('store')} and docs/guides/operate.md; `greenroom serve` refuses to start "
    "until this is fixed."
)


def check_disk(settings: Settings) -> Finding:
    """Of the SQLite file, or of the data folder."""
    path = open_store.sqlite_path(settings)
    folder = settings.data if path is None else path.parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        advice = f"`greenroom serve` needs a folder there: see {variable_of('data')}."
        return Finding("disk", Level.FAIL, f"{folder} is not a folder.", advice)
    free = shutil.disk_usage(folder).free
    text = f"{free / 1024**3:.1f} GiB are free in {folder}."
    if free < TOO_FEW_BYTES:
        return Finding("disk", Level.FAIL, text, "Free some space: writes fail when it is full.")
    if free < FEW_BYTES:
        return Finding(
            "disk", Level.WARN, text, "Free some space: below 512 MiB uploads are refused."
        )
    return Finding("disk", Level.OK, text)


async def check_bus(settings: Settings) -> Finding:
    if not settings.bus:
        return Finding("bus", Level.OK, "None is configured: this is a single node.")
    # Imported where it is used: a single node needs no client of it.
    from greenroom.realtime.nats import NatsBus

    try:
        bus = bus_of(settings)
        assert isinstance(bus, NatsBus)
        await bus.check()
    except Problem as problem:
        advice = f"Start NATS, or correct {variable_of('bus')}."
        return Finding("bus", Level.FAIL, str(problem), advice)
    return Finding("bus", Level.OK, "NATS can be reached.")


async def check_files(settings: Settings, clock: Clock) -> Finding:
    """Writes, reads and deletes a small blob in the bucket."""
    if not settings.blobs:
        return Finding("files", Level.OK, "Their content is in the data folder.")
    logging.getLogger("greenroom.blobs").setLevel(logging.CRITICAL)  # the finding says it
    try:
        async with open_blobs.opened_bucket(settings, clock) as bucket:
            await bucket.check()
    except Problem as problem:
        return Finding("files", Level.FAIL, str(problem), _START_ADVICE)
    return Finding("files", Level.OK, "The bucket can be written, read and deleted from.")


async def check_sql(settings: Settings, registry: Registry) -> Finding:
    """Asks PostgreSQL whether it answers, and whether its tables are up to date."""
    if open_sql.sql_path(settings) is not None:
        text = "The contracts are in a file."
        if not settings.bus:
            return Finding("sql", Level.OK, text)
        advice = f"Nodes on different machines need PostgreSQL: see {variable_of('sql')}."
        return Finding("sql", Level.WARN, text, advice)
    try:
        schemas = registry.sql_schemas
        async with open_sql.opened_sql(settings, create_tables=False, schemas=schemas):
            pass
    except Problem as problem:
        return Finding("sql", Level.FAIL, str(problem), _START_ADVICE)
    return Finding("sql", Level.OK, "PostgreSQL answers, and its tables are up to date.")


async def check_scanner(settings: Settings) -> Finding:
    """Asks the virus scanner for its version, and what it would let through."""
    advice = f"Start clamd, or correct {variable_of('scanner')}. Until then no file gets ready."
    try:
        scanner = scanner_of(settings.scanner)
        if scanner is None:
            return Finding("scanner", Level.OK, "None is configured: files are not scanned.")
        version, found = await scanner.version(), await gaps(scanner)
    except InvalidSetting as problem:
        return Finding("scanner", Level.FAIL, str(problem), _START_ADVICE)
    except ScannerUnavailable as error:
        return Finding("scanner", Level.FAIL, f"{error}.", advice)
    text = f"{version} can be reached."
    if not found:
        return Finding("scanner", Level.OK, text)
    said = " ".join((text, *(gap.text for gap in found)))
    return Finding("scanner", Level.WARN, said, " ".join(gap.advice for gap in found))


async def check_decoders(settings: Settings) -> Finding:
    """Decodes a small picture as for an upload, and looks for the programs that some files need."""
    own = settings[FileSettings]
    decoder = Decoder(workers=1, memory_bytes=own.memory_bytes)
    try:
        reason = await unable_to_decode(decoder)
    finally:
        await decoder.close()
    if reason is not None:
        text = f"Pictures cannot be decoded: {reason}."
        return Finding("decoder", Level.FAIL, text, "Until this is fixed, uploads stay unchecked.")
    missing = missing_programs()
    if missing:
        said = " ".join(one.text for one in missing)
        return Finding("decoder", Level.WARN, said, " ".join(one.advice for one in missing))
    return Finding("decoder", Level.OK, "Pictures, HEIC, PDFs, videos and sounds are decoded.")


async def check_rating(settings: Settings) -> Finding:
    """Rates a picture, if the model is installed."""
    if not settings[FileSettings].rate_pictures:
        return Finding("rating", Level.OK, "Pictures are not rated: it is switched off.")
    rater = installed_rater()
    if rater is None:
        text = f"Pictures are not rated, and blurred for strangers. {why_missing()}."
        return Finding("rating", Level.OK, text)
    try:
        await rater.rate(bytes(PIXEL_BYTES))
    except RaterUnavailable as error:
        advice = f"Build the model again, or set {_RATE_PICTURES}=false."
        return Finding("rating", Level.FAIL, f"{error}.", advice)
    finally:
        await rater.close()
    return Finding("rating", Level.OK, "Pictures are rated.")


async def check_writes(store: Store, clock: Clock) -> Finding:
    key = doctor_key(secrets.token_hex(8))
    expires = clock.now_ms() // 1000 + 3600
    item: Item = {"pk": key.partition, "sk": key.sort or "", EPHEMERAL_TTL: expires}
    await store.write(Put(EPHEMERAL, item))
    found = await store.get(EPHEMERAL, key, consistent=True)
    await store.write(Delete(EPHEMERAL, key))
    if found != item:
        return Finding(
            "store", Level.FAIL, "An item was not read as it was written.", _STORE_ADVICE
        )
    return Finding("store", Level.OK, "It opens, reads and writes.")


async def check_server(path: Path | None) -> Finding:
    """The server that has the SQLite file open."""
    address = server_address.address_beside(path)
    if address is None:
        text = f"Another process has {path} open and has published no address."
        return Finding("store", Level.WARN, text, "If it is no server, end it.")
    try:
        await asyncio.to_thread(_ask, f"{address}/readyz")
    except urllib.error.HTTPError as error:
        text = f"The server at {address} is not ready (status {error.code})."
        return Finding("store", Level.FAIL, text, "Look at its log.")
    except OSError as error:
        text = f"The server at {address} does not answer: {error}."
        return Finding("store", Level.FAIL, text, "Look at its log, or restart it.")
    return Finding("store", Level.OK, f"The server at {address} is ready; the file can be read.")


def _ask(url: str) -> None:
    with urllib.request.urlopen(url, timeout=_SECONDS):
        pass


async def check_clock(store: Store, clock: Clock) -> Finding:
    """Compares the time in the store with this machine's. The stored time is as old as its last
    write, so only a time in the future is wrong."""
    item = await store.get(EPHEMERAL, CLOCK_KEY)
    if item is None:
        return Finding("clock", Level.OK, "No server has run on this store yet.")
    ahead_ms = int(str(item["at"])) - clock.now_ms()
    drift_ms = int(str(item["drift"]))
    advice = "Set the clock of this machine (NTP)."
    if ahead_ms > JUMP_MS:
        text = f"This machine's clock is {ahead_ms / 1000:.0f} s behind the server's time."
        return Finding("clock", Level.FAIL, text, advice)
    if abs(drift_ms) > JUMP_MS:
        side = "ahead of" if drift_ms > 0 else "behind"
        text = f"A node's clock was {abs(drift_ms) / 1000:.0f} s {side} the server's time."
        return Finding("clock", Level.WARN, text, "Set the clocks of all nodes (NTP).")
    return Finding("clock", Level.OK, "It agrees with the server's time.")


async def check_followers(store: Store, clock: Clock, followers: Sequence[Follower]) -> Finding:
    """One finding for all: the worst, with the names."""
    found = [await follower_status(store, clock.now_ms(), follower) for follower in followers]
    levels = [_level_of(one) for one in found]
    worst = max(levels, key=list(Level).index, default=Level.OK)
    text = f"{'; '.join(map(_follower_text, found))}." if found else "None is registered."
    return Finding("followers", worst, text, " ".join(filter(None, map(_advice, found))))


def _level_of(follower: FollowerStatus) -> Level:
    if follower.needs_rebuild:
        return Level.FAIL
    is_stuck = follower.set_aside or follower.lag_ms > LATE_MS
    return Level.WARN if is_stuck else Level.OK


def _follower_text(follower: FollowerStatus) -> str:
    if follower.stage is None:
        return f"{follower.name}: not begun"
    text = f"{follower.name}: {follower.stage.value.replace('_', ' ')}"
    if follower.set_aside:
        text += f", {follower.set_aside} set aside"
    if follower.lag_ms > LATE_MS:
        text += f", {follower.lag_ms / 1000:.0f} s behind"
    return text


def _advice(follower: FollowerStatus) -> str:
    """A rebuild covers what is set aside or late."""
    name = shlex.quote(follower.name)
    if follower.needs_rebuild:
        return (
            f"The changes that {follower.name} lacks are gone: run "
            f"`greenroom background rebuild {name}`."
        )
    advice: list[str] = []
    if follower.set_aside:
        advice.append(f"`greenroom background set-aside {name}` says why.")
    if follower.lag_ms > LATE_MS:
        advice.append(f"Check that a server runs, and its log for {follower.name}.")
    return " ".join(advice)


async def check_timers(store: Store, clock: Clock) -> Finding:
    found = await timers_status(store, clock.now_ms())
    due, late = sum(one.due for one in found.kinds), sum(one.late for one in found.kinds)
    aside = sum(one.set_aside for one in found.kinds)
    text = f"{due} due, {late} late, {aside} set aside."
    advice: list[str] = []
    if late:
        text += f" The oldest has been due for {found.oldest_ms / 1000:.0f} s."
        advice.append("Check that a server runs, and its log.")
    if aside:
        advice.append("`greenroom background set-aside timers` says why timers were set aside.")
    return Finding("timers", Level.WARN if advice else Level.OK, text, " ".join(advice))
