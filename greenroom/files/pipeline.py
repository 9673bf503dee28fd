"""What checks files on this node, apart from the scanner and the rater, and what it has done.

Building it starts nothing. The decoder starts with the first file, and ends with `close`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from greenroom.files.check_turns import CheckTurns
from greenroom.files.decoder.client import Decoder
from greenroom.files.models import FileState
from greenroom.files.removed_pictures import RemovedPictures
from greenroom.files.work_folder import WorkFolder
from greenroom.metrics import Histogram


class CheckCounts:
    """For metrics."""

    def __init__(self) -> None:
        self.ended: Counter[FileState] = Counter()
        self.seconds = Histogram()
        self.running = 0


@dataclass
class Pipeline:
    decoder: Decoder
    removed: RemovedPictures
    work: WorkFolder
    turns: CheckTurns
    wake: Callable[[int], None] = lambda _: None
    """Hints at a check that is due now, so that it does not wait for the next look at the timers.
    Filled in by the server."""
    counts: CheckCounts = field(default_factory=CheckCounts)

    async def close(self) -> None:
        await self.decoder.close()
        self.work.close()
