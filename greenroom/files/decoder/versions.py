"""Makes the versions of a picture that others see: three sizes and a blurred one, as WebP."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from PIL import Image, ImageFilter

from greenroom.files.decoder.hashes import perceptual_hashes
from greenroom.files.decoder.jobs import PIXELS, Decoded, Made
from greenroom.files.decoder.picture import Picture, bare, fitting, resized
from greenroom.files.decoder.thumbhash import thumbhash
from greenroom.files.models import Media, Variant

WEBP: Final = "image/webp"
FRAME_SIDE: Final = 512
"""Of a further picture that is only rated and hashed."""
SIDES: Final = {Variant.LARGE: 1920, Variant.MEDIUM: 960, Variant.SMALL: 320}
RATED_SIDE: Final = 224
_QUALITY, _METHOD = 80, 2
"""Slower methods make the files hardly smaller, and take twice as long."""
_BLURRED_SIDE, _BLUR_RADIUS = 16, 1.5


def versions(picture: Picture, type: str, media: Media, folder: Path) -> Decoded:
    """Writes all versions, and the pixels for the rater."""
    made, image = list[Made](), picture.image
    smaller: dict[Variant, Image.Image] = {}
    for variant, side in SIDES.items():
        image = resized(image, fitting(image.size, side))
        smaller[variant] = image
        made.append(_written(image, variant, folder, same_as=made[-1] if made else None))
    small = smaller[Variant.SMALL]
    made.append(_written(blurred(small), Variant.BLURRED, folder))
    write_pixels(small if min(small.size) >= RATED_SIDE else smaller[Variant.MEDIUM], folder)
    upright, mirrored = perceptual_hashes(smaller[Variant.MEDIUM])
    return Decoded(
        type=type,
        media=media,
        width=picture.width,
        height=picture.height,
        thumbhash=thumbhash(small),
        perceptual_hash=upright,
        mirrored_hashes=(mirrored,) if mirrored else (),
        previews=tuple(made),
        has_pixels=True,
    )


def with_frames(decoded: Decoded, frames: Iterable[Image.Image], folder: Path) -> Decoded:
    """Adds the hashes and the pixels of further pictures of an animation or video."""
    upright = dict.fromkeys([decoded.perceptual_hash] if decoded.perceptual_hash else [])
    mirrored = dict.fromkeys(decoded.mirrored_hashes)
    for frame in frames:
        write_pixels(frame, folder)
        found = perceptual_hashes(frame)
        if all(found):
            upright[found[0]] = mirrored[found[1]] = None
    first, *more = upright or [""]
    return replace(
        decoded,
        perceptual_hash=first,
        frame_hashes=tuple(more),
        mirrored_hashes=tuple(mirrored),
    )


def _written(
    image: Image.Image, variant: Variant, folder: Path, same_as: Made | None = None
) -> Made:
    path = folder / variant.value
    if same_as is not None and (same_as.width, same_as.height) == image.size:
        shutil.copyfile(folder / same_as.variant.value, path)
    else:
        image.save(path, "WEBP", quality=_QUALITY, method=_METHOD)
    return Made(variant, WEBP, *image.size)


def blurred(image: Image.Image) -> Image.Image:
    """So few pixels are left of it that nobody can bring back what it showed."""
    few = image.resize(fitting(image.size, _BLURRED_SIDE), Image.Resampling.BOX)
    soft = few.filter(ImageFilter.GaussianBlur(_BLUR_RADIUS))
    return bare(soft.resize(image.size, Image.Resampling.BICUBIC))


def write_pixels(image: Image.Image, folder: Path) -> None:
    size = RATED_SIDE, RATED_SIDE
    pixels = image.resize(size, Image.Resampling.BILINEAR)
    with (folder / PIXELS).open("ab") as file:
        file.write(pixels.tobytes())
