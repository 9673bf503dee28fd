"""The timer that checks a file once all its bytes are there.

Large files have a kind of their own, so that they hold up no others.
"""

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.files.models import File
from greenroom.store.base import Put

CHECK = "file_check"
LARGE_CHECK = "large_file_check"
LARGE_BYTES = 25_000_000


def check_timer(file: File, due_ms: int) -> Put:
    """For the transaction that sets the file to `checking`: due at once. Again where it has to wait
    for its turn."""
    return schedule(Timer(check_kind(file), file.id, due_ms))


def check_kind(file: File) -> str:
    return LARGE_CHECK if file.size > LARGE_BYTES else CHECK
