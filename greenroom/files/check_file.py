"""Checks a file after its upload: its bytes, the scanner, its type, previews and rating.

    size and SHA-256 ──> scan ──> type and previews ──> rating ──> ready
           │               │            │
        refused   infected, unscannable refused

A timer calls it. Everything it stores before the last write is stored under keys that follow from
the file, so that a repeat stores the same again. The last write removes the timer.

Careful: the file may change meanwhile, because a message uses it or its owner deletes it. The
outcome is then written to the file as it is now. Previews of a file that was deleted are removed
again.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from greenroom.background.models import Timer
from greenroom.background.schedule import cancel
from greenroom.errors import Problem
from greenroom.files import access, items, rules
from greenroom.files.check_problems import (
    BytesMissing,
    CheckFailed,
    ChecksumMismatch,
    LocationNotRemovable,
    MetadataNotRemovable,
    NotScannable,
    PictureTooComplex,
    TooManyPixels,
    VirusFound,
)
from greenroom.files.check_timer import check_kind, check_timer
from greenroom.files.context import Files
from greenroom.files.decoder.client import TooComplex
from greenroom.files.decoder.jobs import (
    MOST_FRAMES,
    PIXELS,
    Decoded,
    LocationStays,
    Made,
    MetadataStays,
)
from greenroom.files.events import FileReady, FileRefused
from greenroom.files.models import ENDED_BADLY, File, FileState, Preview, Scan, Variant
from greenroom.files.rater import PIXEL_BYTES
from greenroom.files.read_bytes import Arrived, read_bytes
from greenroom.files.records import original_blob, preview_blob
from greenroom.files.release import end_badly_ops
from greenroom.files.scanner import Infected, Unscannable
from greenroom.ids import FileId
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

ChangedFields: TypeAlias = dict[str, Any]
"""Fields of the file, with its new state."""
_TRIES = 10
_log = logging.getLogger(__name__)


async def check_file(files: Files, timer: Timer) -> Sequence[Op]:
    file = await access.load(files, FileId(timer.id))
    if file is None or file.state is not FileState.CHECKING:
        await _forget(files, FileId(timer.id), file)
        return ()
    turns, kind = files.pipeline.turns, check_kind(file)
    if not turns.has_room(kind, file.owner):
        later_ms = turns.later_ms(kind, file.owner, files.clock.now_ms())
        return (check_timer(file, later_ms),)
    with turns.running(kind, file.owner):
        await _check(files, file)
    return ()


async def _check(files: Files, file: File) -> None:
    counts, begun = files.pipeline.counts, time.monotonic()
    counts.running += 1
    try:
        outcome = await _examine(files, file)
    finally:
        counts.running -= 1
    if await _finish(files, file, outcome):
        counts.ended[outcome["state"]] += 1
        counts.seconds.observe(time.monotonic() - begun)


async def give_up(files: Files, timer: Timer) -> None:
    """Called when an operator drops a check that has failed for too long."""
    file = await access.load(files, FileId(timer.id))
    if file is not None and file.state is FileState.CHECKING:
        await _finish(files, file, _bad(FileState.FAILED, CheckFailed()))


async def _examine(files: Files, file: File) -> ChangedFields:
    """Raises what is to be tried again."""
    async with files.pipeline.work.check() as folder:
        arrived = await read_bytes(
            files.blobs,
            original_blob(file),
            most=file.size,
            scanner=files.scanner,
            folder=folder,
        )
        if (bad := _bad_bytes(file, arrived)) is not None:
            return bad
        assert arrived is not None
        if (bad := _bad_scan(files, arrived)) is not None:
            return bad
        scan = _scan_of(arrived)
        made = folder / "made"
        await asyncio.to_thread(made.mkdir)
        return {"scan": scan} | await _decode(files, file, arrived.path, made)


def _bad_bytes(file: File, arrived: Arrived | None) -> ChangedFields | None:
    if arrived is None:
        return _bad(FileState.FAILED, CheckFailed())
    if arrived.size != file.size:
        return _bad(FileState.REFUSED, BytesMissing(arrived.size, file.size))
    if arrived.sha256 != file.sha256:
        return _bad(FileState.REFUSED, ChecksumMismatch())
    return None


def _bad_scan(files: Files, arrived: Arrived) -> ChangedFields | None:
    found = arrived.scan
    if isinstance(found, Infected):
        virus = VirusFound(found.signature)
        return {"scan": Scan.INFECTED} | _bad(FileState.INFECTED, virus)
    if isinstance(found, Unscannable) and not files.policy.deliver_unscannable:
        reason = NotScannable(found.reason)
        return {"scan": Scan.UNSCANNABLE} | _bad(FileState.UNSCANNABLE, reason)
    return None


def _scan_of(arrived: Arrived) -> Scan:
    if arrived.scan is None:
        return Scan.UNSCANNED
    return Scan.UNSCANNABLE if isinstance(arrived.scan, Unscannable) else Scan.CLEAN


async def _decode(files: Files, file: File, path: Path, made: Path) -> ChangedFields:
    found = await files.pipeline.decoder.decode(
        path,
        made,
        size=file.size,
        max_pixels=files.policy.max_pixels,
        owner=file.owner,
    )
    if isinstance(found, MetadataStays) and file.keep_original:
        found = Decoded(type=found.type)
    if isinstance(found, Decoded):
        return await _ready(files, file, found, made)
    if isinstance(found, TooComplex):
        return _bad(FileState.REFUSED, PictureTooComplex())
    if isinstance(found, LocationStays):
        return _bad(FileState.REFUSED, LocationNotRemovable())
    if isinstance(found, MetadataStays):
        return _bad(FileState.REFUSED, MetadataNotRemovable())
    megapixels = -(-found.pixels // 1_000_000), found.most // 1_000_000
    return _bad(FileState.REFUSED, TooManyPixels(*megapixels))


async def _ready(files: Files, file: File, found: Decoded, made: Path) -> ChangedFields:
    previews, labels, resembles = await asyncio.gather(
        _store_previews(files, file, found, made),
        _rate(files, found, made),
        files.pipeline.removed.resembling(
            (found.perceptual_hash, *found.frame_hashes, *found.mirrored_hashes)
        ),
    )
    band = rules.band_of(labels, files.safe_mode, is_whole=found.is_rated_whole)
    return {
        "state": FileState.READY,
        "type": found.type,
        "media": found.media,
        "width": found.width,
        "height": found.height,
        "thumbhash": found.thumbhash,
        "perceptual_hash": found.perceptual_hash,
        "frame_hashes": found.frame_hashes,
        "mirrored_hashes": found.mirrored_hashes,
        "duration_ms": found.duration_ms,
        "waveform": found.waveform,
        "pages": found.pages,
        "previews": previews,
        "labels": labels if found.is_rated_whole else {},
        "band": band,
        "resembles": resembles,
        "keep_original": file.keep_original and not found.shows_more,
    }


async def _store_previews(
    files: Files, file: File, found: Decoded, made: Path
) -> tuple[Preview, ...]:
    stored = (_store_preview(files, file, one, made) for one in found.previews)
    return tuple(await asyncio.gather(*stored))


async def _store_preview(files: Files, file: File, one: Made, made: Path) -> Preview:
    key = preview_blob(file.id, one.variant)
    head = await files.blobs.put_file(key, made / one.variant.value, one.type)
    return Preview(one.variant, one.type, head.size, one.width, one.height)


async def _rate(files: Files, found: Decoded, made: Path) -> dict[str, float]:
    rater = files.rater
    if rater is None or not found.has_pixels:
        return {}
    pixels = await asyncio.to_thread((made / PIXELS).read_bytes)
    starts = range(0, len(pixels), PIXEL_BYTES)[:MOST_FRAMES]
    ratings = [await rater.rate(pixels[at : at + PIXEL_BYTES]) for at in starts]
    return dict(rules.worst(ratings, files.safe_mode))


def _bad(state: FileState, problem: Problem) -> ChangedFields:
    return {"state": state, "problem": problem.code, "detail": str(problem)}


async def _finish(files: Files, file: File, outcome: ChangedFields) -> bool:
    """Writes the outcome to the file as it is now, and publishes it. False if the file is gone."""
    for _ in range(_TRIES):
        now_ms = files.clock.now_ms()
        after = items.changed(file, now_ms, **outcome)
        try:
            await files.store.write(*_ops(file, after, now_ms), cancel(check_kind(file), file.id))
        except ConditionFailed:
            found = await access.load(files, file.id)
            if found is None or found.state is not FileState.CHECKING:
                await _forget(files, file.id, found)
                return False
            file = found
        else:
            is_bad = after.state in ENDED_BADLY
            files.publish(FileRefused(after) if is_bad else FileReady(after))
            return True
    raise Conflict


def _ops(before: File, after: File, now_ms: int) -> tuple[Op, ...]:
    if after.state in ENDED_BADLY:
        return end_badly_ops(before, after, now_ms)
    return (items.change_op(after),)


async def _forget(files: Files, file_id: FileId, found: File | None) -> None:
    """Removes previews that were stored after the file was deleted."""
    if found is not None and items.counts_against_quota(found):
        return
    variants = [variant for variant in Variant if variant is not Variant.ORIGINAL]
    keys = (preview_blob(file_id, variant) for variant in variants)
    await asyncio.gather(*map(files.blobs.delete, keys))
