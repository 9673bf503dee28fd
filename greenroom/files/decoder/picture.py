"""Opens a picture safely: checks its pixels first, then turns it upright and into sRGB.

The result is at most as large as the largest preview, and has neither metadata nor transparency:
what is rated and recognised is what people see, whatever lies behind it on their screen. Careful:
Pillow is always told the format. Left to itself it tries others too, such as EPS, and runs
Ghostscript.
"""

import io
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from msgspec import Struct
from PIL import Image, ImageCms, ImageFile

from greenroom.files.decoder.frames import gif_frames, webp_frames
from greenroom.files.decoder.jobs import TooManyPixels
from greenroom.files.decoder.problems import NotDecodable, Stopped, decoding

LARGEST: Final = 1920
ANIMATION_SHARE: Final = 3
"""An animation may have a third of the pixels, over all its frames."""
_LONGEST_SIDE: Final = 200_000
"""A PNG of one column with 80 million pixels has 80 KB, and takes 1.6 GB of memory."""
_ORIENTATION: Final = 0x0112
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_SIDEWAYS: Final = (5, 6, 7, 8)
_SRGB: Final = ImageCms.createProfile("sRGB")
_MAY_MOVE: Final = ("GIF", "WEBP", "PNG", "AVIF")
Color: TypeAlias = tuple[int, int, int]
_WHITE: Final[Color] = (255, 255, 255)
_DARK: Final[Color] = (18, 18, 17)
_NEARLY_WHITE: Final = 215
"""Mean brightness of what is visible, such as a white logo: it is shown on a dark ground."""


class Picture(Struct, frozen=True):
    image: Image.Image
    """RGB, upright, without metadata, at most as large as the largest preview."""
    width: int
    """Of the whole picture, upright."""
    height: int
    is_animated: bool = False
    ground: Color = _WHITE
    """What shows through where it is transparent."""


def preload() -> None:
    """Loads Pillow's formats, and sets what holds for all pictures."""
    Image.init()
    warnings.simplefilter("ignore")
    ImageFile.LOAD_TRUNCATED_IMAGES = False


def accept_damage() -> None:
    """From here on pictures are read as far as they go. Careful: for the whole process."""
    ImageFile.LOAD_TRUNCATED_IMAGES = True


def open_picture(
    path: Path, format: str, *, max_pixels: int, ignores_orientation: bool = False
) -> Picture:
    Image.MAX_IMAGE_PIXELS = None  # we say ourselves how many there are
    check_header(path, format, max_pixels)
    with decoding(), Image.open(path, formats=(format,)) as image:
        check_pixels(image.width, image.height, 1, max_pixels)
        frames = getattr(image, "n_frames", 1) if format in _MAY_MOVE else 1
        check_pixels(image.width, image.height, frames, max_pixels)
        Image.MAX_IMAGE_PIXELS = max_pixels // 2  # Pillow refuses twice as many, if it grows
        return _opened(image, frames > 1, ignores_orientation)


def check_header(path: Path, format: str, max_pixels: int) -> None:
    """Before Pillow sees it: it sets memory aside for a WebP when it opens it."""
    if format in ("GIF", "WEBP"):
        read = gif_frames if format == "GIF" else webp_frames
        found = read(path, most_pixels=max_pixels)
        if found.count == 0:
            raise NotDecodable("no pictures")
        check_pixels(found.width, found.height, found.count, max_pixels)


def check_pixels(width: int, height: int, frames: int, max_pixels: int) -> None:
    most = max_pixels if frames == 1 else max_pixels // ANIMATION_SHARE
    pixels = width * height * frames
    if pixels > most:
        raise Stopped(TooManyPixels(pixels, most))
    if pixels == 0:
        raise NotDecodable("no pixels")
    if max(width, height) > _LONGEST_SIDE:
        raise NotDecodable("too many pixels in a row or column")


def _opened(image: Image.Image, is_animated: bool, ignores_orientation: bool) -> Picture:
    width, height = image.size
    if image.format in ("JPEG", "MPO"):
        image.draft(None, fitting(image.size, LARGEST))  # decodes fewer pixels than there are
    image.load()
    profile = image.info.get("icc_profile")
    turn = 1 if ignores_orientation else _orientation(image)
    small = resized(_resizable(image), fitting((width, height), LARGEST))
    upright = _in_srgb(small, profile)
    if turn in _TURNS:
        upright = upright.transpose(_TURNS[turn])
    if turn in _SIDEWAYS:
        width, height = height, width
    ground = _ground_of(upright)
    return Picture(bare(on_ground(upright, ground)), width, height, is_animated, ground)


def _ground_of(image: Image.Image) -> Color:
    """One on which it can be seen."""
    if image.mode != "RGBA":
        return _WHITE
    few = np.asarray(image.resize((64, 64), Image.Resampling.BOX), dtype=np.float64)
    visible = few[..., 3]
    brightness = (few[..., :3].mean(axis=2) * visible).sum() / (visible.sum() or 1)
    return _DARK if brightness > _NEARLY_WHITE else _WHITE


def on_ground(image: Image.Image, ground: Color) -> Image.Image:
    """Without transparency."""
    if image.mode != "RGBA":
        return image.convert("RGB")
    filled = Image.new("RGB", image.size, ground)
    filled.paste(image, mask=image.getchannel("A"))
    return filled


def _orientation(image: Image.Image) -> int:
    with suppress(NotDecodable), decoding():
        return int(image.getexif().get(_ORIENTATION, 1))
    return 1


def fitting(size: tuple[int, int], side: int) -> tuple[int, int]:
    """The size with at most this many pixels on its long side. Never larger than it was."""
    width, height = size
    factor = min(1.0, side / max(size))
    return max(1, round(width * factor)), max(1, round(height * factor))


def resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)


def _resizable(image: Image.Image) -> Image.Image:
    """In a mode with 8 bits a channel that can be resized, in its own color space."""
    mode = image.mode
    if mode in ("RGB", "RGBA", "L", "CMYK", "LAB"):
        return image.convert("RGBA") if "transparency" in image.info and mode != "CMYK" else image
    if mode.startswith("I") or mode == "F":
        return _with_8_bits(image)
    has_alpha = "transparency" in image.info or mode in ("LA", "La", "PA", "RGBa")
    return image.convert("RGBA" if has_alpha else "RGB")


def _with_8_bits(image: Image.Image) -> Image.Image:
    """16 bits lose their lower half. Other numbers are spread between their lowest and highest."""
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    low, high = map(float, image.getextrema())  # type: ignore[arg-type]
    factor = 255 / (high - low) if high > low else 0.0
    return image.convert("F").point(lambda value: value * factor - low * factor).convert("L")


def _in_srgb(image: Image.Image, profile: object) -> Image.Image:
    """With the picture's own color profile if it has one that can be used."""
    mode = "RGBA" if image.mode in ("RGBA", "LA") else "RGB"
    if isinstance(profile, bytes) and profile:
        with suppress(NotDecodable), decoding():
            own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            if "sRGB" not in ImageCms.getProfileDescription(own):
                converted = ImageCms.profileToProfile(image, own, _SRGB, outputMode=mode)
                assert converted is not None
                return converted
    return image if image.mode == mode else image.convert(mode)


def bare(image: Image.Image) -> Image.Image:
    """Without metadata."""
    image.info = {}
    return image
