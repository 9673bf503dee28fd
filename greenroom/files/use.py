"""Says what a file is used for, or that nothing uses it any more: as ops, for a transaction.

Each is refused where the file has changed meanwhile.
"""

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.files import items
from greenroom.files.create_file import EXPIRY
from greenroom.files.models import File, FileUse
from greenroom.files.policy import FileRules
from greenroom.store.base import Op, Put

_HOUR_MS = 3_600_000


def use_op(file: File, use: FileUse, now_ms: int) -> Put:
    return items.change_op(items.changed(file, now_ms, use=use))


def unuse_ops(file: File, policy: FileRules, now_ms: int) -> tuple[Op, ...]:
    """The file can be used again for a while. Its first expiry may have passed while it was used,
    so it gets another one."""
    expiry = Timer(EXPIRY, file.id, now_ms + policy.unused_hours * _HOUR_MS)
    return items.change_op(items.changed(file, now_ms, use=None)), schedule(expiry)
