"""Gives up files: as ops, for the transaction that deletes what uses them, or refuses them.

The quota is given back once: `items.counts_against_quota` says until when a file counts. The bytes
are removed by a timer (`remove_bytes.py`).
"""

from collections import Counter
from collections.abc import Iterable

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.files import items
from greenroom.files.models import ENDED_BADLY, File, FileState
from greenroom.ids import UserId
from greenroom.store.base import Op, Put, Update

REMOVAL = "file_removal"
"""The timer that removes the bytes of a file, and of its previews."""


def release_ops(found: Iterable[File], now_ms: int) -> tuple[Op, ...]:
    """Deletes files: a tombstone and a timer for each, and one update of the quota for each owner.
    Files that are deleted already are left out. Refused where a file has changed meanwhile."""
    live = [file for file in found if file.state is not FileState.DELETED]
    ops: list[Op] = []
    for file in live:
        ops += [items.change_op(items.deleted(file, now_ms)), removal_timer(file, now_ms)]
    return *ops, *_give_back(live)


def end_badly_ops(before: File, after: File, now_ms: int) -> tuple[Op, ...]:
    """For a file that its check has refused: nobody may download it, so its bytes go at once. The
    item stays until its expiry, so that the owner sees why."""
    assert after.state in ENDED_BADLY
    return items.change_op(after), removal_timer(after, now_ms), *_give_back([before])


def removal_timer(file: File, now_ms: int) -> Put:
    return schedule(Timer(REMOVAL, file.id, now_ms))


def _give_back(found: Iterable[File]) -> list[Update]:
    sizes, counts = Counter[UserId](), Counter[UserId]()
    for file in filter(items.counts_against_quota, found):
        sizes[file.owner] += file.size
        counts[file.owner] += 1
    return [items.storage_op(owner, -sizes[owner], -counts[owner]) for owner in counts]
