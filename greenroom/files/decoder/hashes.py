"""Computes what a small picture is recognised by: ThumbHash for people, PDQ for programs."""

from typing import Final

import numpy as np
import pdqhash  # type: ignore[import-untyped]
from PIL import Image

_SIDE: Final = 512
_LEAST_QUALITY: Final = 50
"""From 0 to 100. A plain surface has less: its hash says nothing, and is like that of any other."""


def perceptual_hash(picture: Image.Image) -> str:
    """PDQ as 64 hexadecimal digits, or nothing where there is nothing to recognise."""
    small = picture.convert("RGB")
    small.thumbnail((_SIDE, _SIDE), Image.Resampling.BILINEAR)
    bits, quality = pdqhash.compute(np.asarray(small))
    return np.packbits(bits).tobytes().hex() if quality >= _LEAST_QUALITY else ""
