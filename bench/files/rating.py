"""Pictures rated per second, one after the other, in the rater's process."""

import os
import time
from collections.abc import Callable

from greenroom.files.rater import PIXEL_BYTES
from greenroom.files.vision.client import installed_rater


async def rated_per_s(count: int, say: Callable[[str], None]) -> float | None:
    """None where pictures are not rated: without the extra `vision`, or without the model."""
    rater = installed_rater()
    if rater is None:
        say("pictures are not rated here: `make vision` builds the model")
        return None
    pictures = [os.urandom(PIXEL_BYTES) for _ in range(8)]
    try:
        await rater.rate(pictures[0])  # starts the process
        begun = time.perf_counter()
        for number in range(count):
            await rater.rate(pictures[number % len(pictures)])
        return count / (time.perf_counter() - begun)
    finally:
        await rater.close()
