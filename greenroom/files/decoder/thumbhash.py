"""Computes the ThumbHash of a picture: about 25 bytes from which a client draws a blurred one.

See https://evanw.github.io/thumbhash/: the lowest frequencies of its luminance, of two differences
of colours and of its transparency, a few bits each.
"""

import base64
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_SIDE = 100
_Plane: TypeAlias = NDArray[np.float64]


def thumbhash(picture: Image.Image) -> str:
    """Base64."""
    small = picture.convert("RGBA")
    small.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    return base64.b64encode(_hash(np.asarray(small, dtype=np.float64) / 255)).decode()


def _hash(pixels: NDArray[np.float64]) -> bytes:
    height, width = pixels.shape[:2]
    alpha = pixels[..., 3]
    has_alpha = bool(alpha.min() < 1)
    weight = alpha.sum() or 1.0
    average = (pixels[..., :3] * alpha[..., None]).sum(axis=(0, 1)) / weight
    rgb = average * (1 - alpha[..., None]) + pixels[..., :3] * alpha[..., None]
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    most = 5 if has_alpha else 7
    across = max(1, _rounded(most * width / max(width, height)))
    down = max(1, _rounded(most * height / max(width, height)))
    luminance = _Channel((red + green + blue) / 3, max(3, across), max(3, down))
    yellow_blue = _Channel((red + green) / 2 - blue, 3, 3)
    red_green = _Channel(red - green, 3, 3)
    head: int = (
        _rounded(63 * luminance.mean)
        | _rounded(31.5 + 31.5 * yellow_blue.mean) << 6
        | _rounded(31.5 + 31.5 * red_green.mean) << 12
        | _rounded(31 * luminance.scale) << 18
        | has_alpha << 23
    )
    is_landscape = width > height
    tail: int = (
        (down if is_landscape else across)
        | _rounded(63 * yellow_blue.scale) << 3
        | _rounded(63 * red_green.scale) << 9
        | is_landscape << 15
    )
    written = head.to_bytes(3, "little") + tail.to_bytes(2, "little")
    channels = [luminance, yellow_blue, red_green]
    if has_alpha:
        transparency = _Channel(alpha, 5, 5)
        mean, scale = _rounded(15 * transparency.mean), _rounded(15 * transparency.scale)
        written += bytes([mean | scale << 4])
        channels.append(transparency)
    nibbles = [_rounded(15 * wave) for channel in channels for wave in channel.waves]
    return written + _packed(nibbles)


class _Channel:
    """The lowest frequencies of a plane: their mean, the largest of the others, and those others as
    numbers from 0 to 1."""

    def __init__(self, plane: _Plane, across: int, down: int) -> None:
        height, width = plane.shape
        cosines = _cosines(width, across), _cosines(height, down)
        spectrum: NDArray[Any] = cosines[1] @ plane @ cosines[0].T / (width * height)
        kept = [
            spectrum[y, x]
            for y in range(down)
            for x in range(across)
            if x * down < across * (down - y)
        ]
        self.mean, waves = float(kept[0]), [float(wave) for wave in kept[1:]]
        self.scale = max(map(abs, waves), default=0.0)
        self.waves = [0.5 + 0.5 * wave / self.scale for wave in waves] if self.scale else waves


def _cosines(length: int, number: int) -> _Plane:
    positions = np.arange(length) + 0.5
    return np.cos(np.pi / length * np.outer(np.arange(number), positions))


def _packed(nibbles: list[int]) -> bytes:
    pairs = [*nibbles, 0][: len(nibbles) + len(nibbles) % 2]
    return bytes(low | high << 4 for low, high in zip(pairs[::2], pairs[1::2], strict=True))


def _rounded(number: float) -> int:
    """Half up, as JavaScript does."""
    return int(np.floor(number + 0.5))
