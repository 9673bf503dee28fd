"""Pictures of coloured ellipses, and what nsfwjs says about them.

The model takes some of them for more than they are: enough for tests of bands. The probabilities
were computed by nsfwjs itself, on TensorFlow.js (docs/decisions/0023-rating-pictures.md).
"""

import io
import math
import random

import numpy as np
import numpy.typing as npt
from PIL import Image

from greenroom.files.rater import LABELS, SIDE

SKIN = (224, 172, 140)

_EXPECTED = {
    2864: (0.997061, 0.001267, 0.00165, 0.000017, 0.000005),
    2378: (0.002031, 0.995067, 0.000007, 0.002886, 0.000009),
    1972: (0.000358, 0.000027, 0.999594, 0.000021, 0.000001),
    2080: (0.000287, 0.009477, 0.028403, 0.93682, 0.025013),
    1872: (0.031242, 0.130825, 0.061863, 0.242645, 0.533425),
    3: (0.357821, 0.537157, 0.059751, 0.034285, 0.010986),
}
RATINGS = {seed: dict(zip(LABELS, found, strict=True)) for seed, found in _EXPECTED.items()}
"""By seed."""
NEUTRAL, SUGGESTIVE, EXPLICIT = 1972, 1872, 2080
"""Seeds of pictures in the bands 0, 1 and 2."""


def pixels(seed: int) -> bytes:
    return ellipses(seed).tobytes()


def picture(seed: int, *, side: int = 672, format: str = "PNG") -> bytes:
    """As a file, enlarged."""
    written = io.BytesIO()
    large = Image.fromarray(ellipses(seed)).resize((side, side), Image.Resampling.BICUBIC)
    large.save(written, format)
    return written.getvalue()


def ellipses(seed: int) -> npt.NDArray[np.uint8]:
    chance = random.Random(seed)
    drawn = np.zeros((SIDE, SIDE, 3)) + _background(chance)
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    for _ in range(chance.randint(1, 9)):
        turned, across, down = chance.uniform(0, 3.14), *_two(chance, 0.1, 0.9)
        width, height = _two(chance, 0.05, 0.5)
        u = (x - across) * math.cos(turned) + (y - down) * math.sin(turned)
        v = (y - down) * math.cos(turned) - (x - across) * math.sin(turned)
        distance = (u / width) ** 2 + (v / height) ** 2
        light = np.clip(1.1 - distance / 2, 0, 1.2)[..., None]
        covers = np.clip((1 - distance) * chance.choice((4, 20, 200)), 0, 1)[..., None]
        drawn = drawn * (1 - covers) + _colour(chance) * light * covers
    return np.clip(drawn, 0, 255).astype(np.uint8)


def _background(chance: random.Random) -> npt.NDArray[np.float64]:
    most = chance.choice((60, 255, 255))
    return np.array([chance.uniform(0, most) for _ in range(3)])


def _colour(chance: random.Random) -> npt.NDArray[np.float64]:
    if chance.random() < 0.2:
        return np.array([chance.uniform(0, 255) for _ in range(3)])
    bright = chance.uniform(0.5, 1.1)
    return np.array([part * bright + chance.uniform(-15, 15) for part in SKIN])


def _two(chance: random.Random, least: float, most: float) -> tuple[float, float]:
    return chance.uniform(least, most), chance.uniform(least, most)
