"""Computes what a small picture is recognised by: ThumbHash for people, PDQ for programs."""

from typing import Final

import numpy as np
import pdqhash  # type: ignore[import-untyped]
from PIL import Image

_SIDE: Final = 512
_LEAST_QUALITY: Final = 50
"""From 0 to 100. A plain surface has less: its hash says nothing, and is like that of any other."""


def perceptual_hashes(picture: Image.Image) -> tuple[str, str]:
    """PDQ as 64 hexadecimal digits, of the picture and of its mirror image. Nothing where there is
    nothing to recognise. Careful: the hashes of `compute_dihedral` are less exact."""
    small = picture.convert("RGB")
    small.thumbnail((_SIDE, _SIDE), Image.Resampling.BILINEAR)
    pixels = np.asarray(small)
    bits, quality = pdqhash.compute(pixels)
    if quality < _LEAST_QUALITY:
        return "", ""
    mirrored, _ = pdqhash.compute(np.ascontiguousarray(pixels[:, ::-1]))
    return _hex(bits), _hex(mirrored)


def _hex(bits: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> str:
    return np.packbits(bits).tobytes().hex()
