"""Rates pictures in the rater process, which starts with the first one, and again if it has died.

Pictures are rated one after the other: more at once would only wait for the same core.
"""

import asyncio
import importlib.util
import logging
import time
from pathlib import Path
from typing import Final

import msgspec

from greenroom.files.python_process import end_python, start_python
from greenroom.files.rater import LABELS, PIXEL_BYTES, Rater, RaterUnavailable
from greenroom.files.vision.model import MODEL
from greenroom.metrics import Histogram

_SECONDS: Final = 60
"""For one picture, and for the start: importing the library takes long on a busy machine."""
_MOST_ANSWER: Final = 10_000
_decode = msgspec.json.Decoder(dict[str, float]).decode
_log = logging.getLogger(__name__)


def installed_rater() -> Rater | None:
    """None without the extra `greenroom[vision]`, or if the model has not been built."""
    return None if why_missing() else ModelRater()


def why_missing() -> str:
    """Why pictures are not rated here; empty if they are."""
    if importlib.util.find_spec("onnxruntime") is None:
        return "The extra `greenroom[vision]` is not installed"
    return "" if MODEL.exists() else "The model is missing: `make vision` builds it"


class ModelRater:
    def __init__(self, model: Path = MODEL, *, seconds: float = _SECONDS) -> None:
        self._model = model
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self.seconds = Histogram()
        """For metrics: how long a picture took, with its wait."""
        self.failures = 0

    async def rate(self, pixels: bytes) -> dict[str, float]:
        if len(pixels) != PIXEL_BYTES:
            raise ValueError(f"a picture must have {PIXEL_BYTES} bytes, not {len(pixels)}")
        begun = time.monotonic()
        async with self._turn:
            labels = await self._rate(pixels)
        self.seconds.observe(time.monotonic() - begun)
        return labels

    async def close(self) -> None:
        async with self._turn:
            await self._end()

    async def _rate(self, pixels: bytes) -> dict[str, float]:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._answer(pixels)
        except (TimeoutError, OSError, EOFError, ValueError) as error:
            self.failures += 1
            await self._end()
            _log.warning("the rater process has failed: %r", error)
            raise RaterUnavailable(f"the rater process has failed: {error!r}") from error
        except asyncio.CancelledError:
            await self._end()  # its answer would be taken for that to the next picture
            raise

    async def _answer(self, pixels: bytes) -> dict[str, float]:
        process = await self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(pixels)
        await process.stdin.drain()
        return _labels(await process.stdout.readuntil(b"\n"))

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            model = str(self._model.absolute())
            self._process = await start_python(
                "greenroom.files.vision", model, most_line=_MOST_ANSWER
            )
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await end_python(process)


def _labels(answer: bytes) -> dict[str, float]:
    labels = _decode(answer)
    if tuple(labels) != LABELS or not all(0 <= one <= 1 for one in labels.values()):
        raise ValueError(f"the rater process says {answer[:200]!r}")
    return labels
