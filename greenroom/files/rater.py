"""The interface of the picture rater: what a model sees in a picture."""

from typing import Final, Protocol

SIDE: Final = 224
PIXEL_BYTES: Final = SIDE * SIDE * 3
"""A picture is rated as this many bytes: 224 rows of 224 pixels, each red, green and blue."""

LABELS: Final = ("drawing", "hentai", "neutral", "porn", "sexy")
"""In the order of the model's output."""


class RaterUnavailable(Exception):
    """The rater has failed. The picture is rated later."""


class Rater(Protocol):
    async def rate(self, pixels: bytes) -> dict[str, float]:
        """The confidence for each of `LABELS`. They add up to 1. Raises `RaterUnavailable`."""

    async def close(self) -> None: ...
