"""Draws the pictures of the demo: landscapes, portraits, a close-up and a flyer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Colour: TypeAlias = tuple[int, int, int]
_Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float32]]

_DUSK: Sequence[Colour] = ((52, 58, 110), (190, 104, 118), (250, 190, 130))
_DAWN: Sequence[Colour] = ((120, 164, 190), (232, 214, 196), (253, 236, 210))
_NOON: Sequence[Colour] = ((66, 134, 190), (150, 196, 214), (226, 238, 232))
_MIST: Sequence[Colour] = ((146, 162, 158), (196, 206, 198), (232, 234, 224))


def landscape(
    size: tuple[int, int],
    sky: Sequence[Colour],
    land: Colour,
    *,
    seed: int,
    sun: tuple[float, float] | None = None,
    has_water: bool = False,
) -> bytes:
    """A sky with a sun, and hills behind one another, which fade with their distance."""
    width, height = size
    rng = np.random.default_rng(seed)
    image = _gradient(width, height, sky)
    if sun is not None:
        _add_sun(image, sun)
    horizon = 0.62 if has_water else 0.5
    _add_hills(image, sky[-1], land, horizon, rng, layers=3 if has_water else 5)
    if has_water:
        _add_water(image, 0.74)
    image += rng.normal(0, 2.2, (height, width, 1)).astype(np.float32)
    return _jpeg(Image.fromarray(image.clip(0, 255).astype(np.uint8)))


def _gradient(width: int, height: int, colours: Sequence[Colour]) -> _Array:
    stops = np.linspace(0, 1, len(colours))
    at = np.linspace(0, 1.35, height).clip(0, 1)
    rows = [np.interp(at, stops, [one[channel] for one in colours]) for channel in range(3)]
    column = np.stack(rows, axis=1).astype(np.float32)
    return np.repeat(column[:, None, :], width, axis=1)


def _add_sun(image: _Array, sun: tuple[float, float]) -> None:
    height, width = image.shape[:2]
    y, x = np.ogrid[:height, :width]
    distance = np.hypot(x - sun[0] * width, y - sun[1] * height) / min(width, height)
    disc = 1 / (1 + np.exp((distance - 0.06) * 260))
    light = np.clip(disc + 0.5 * np.exp(-distance * 5), 0, 1).astype(np.float32)[:, :, None]
    image += (np.array((255, 246, 220), np.float32) - image) * light


def _add_hills(
    image: _Array,
    haze: Colour,
    land: Colour,
    horizon: float,
    rng: np.random.Generator,
    *,
    layers: int,
) -> None:
    height, width = image.shape[:2]
    x, y = np.linspace(0, 1, width), np.arange(height)[:, None]
    for layer in range(layers):
        near = (layer + 1) / layers
        waves = [
            rng.uniform(0.3, 1) / (n + 1) * np.sin(x * np.pi * (1.3 * n + 1.5) + rng.uniform(0, 7))
            for n in range(7)
        ]
        top = horizon + 0.42 * near * near - 0.06 + 0.07 * np.sum(waves, axis=0) * (1.2 - near / 2)
        colour = np.array(haze, np.float32) * (1 - near) + np.array(land, np.float32) * near
        cover = np.clip(y - top * height, 0, 1).astype(np.float32)[:, :, None]
        image += (colour - image) * cover


def _add_water(image: _Array, shore: float) -> None:
    """The lower part mirrors what is above the shore."""
    height = image.shape[0]
    line = int(height * shore)
    depth = np.arange(height - line)
    shift = (np.sin(depth * 0.9) * (1 + depth / 40)).astype(int)
    for row, by in zip(depth, shift, strict=True):
        mirrored = np.roll(image[max(0, line - 1 - int(row) * 2)], by, axis=0)
        image[line + row] = mirrored * 0.78 + np.array((24, 34, 44), np.float32)


def portrait(
    background: Colour, skin: Colour, hair: Colour, coat: Colour, *, is_long: bool
) -> bytes:
    """A face without features, from the shoulders up."""
    side = 800
    image = Image.new("RGB", (side, side), background)
    draw = ImageDraw.Draw(image)
    draw.ellipse((440, -160, 1040, 440), fill=_lighter(background, 24))
    if is_long:
        draw.rounded_rectangle((236, 210, 564, 640), 150, fill=hair)
    draw.ellipse((120, 590, 680, 1150), fill=coat)
    draw.rounded_rectangle((344, 460, 456, 660), 54, fill=_lighter(skin, -22))
    draw.ellipse((272, 190, 528, 524), fill=skin)
    draw.chord((250, 150, 550, 470), 172, 368, fill=hair)
    return _jpeg(image.filter(ImageFilter.SMOOTH).resize((480, 480), Image.Resampling.LANCZOS))


def window_sign() -> bytes:
    """The sign of a studio: a window with light in it."""
    image = Image.new("RGB", (800, 800), (38, 52, 58))
    draw = ImageDraw.Draw(image)
    for column in range(2):
        for row in range(2):
            left, top = 220 + column * 190, 180 + row * 230
            draw.rectangle((left, top, left + 170, top + 210), fill=(246, 214, 150))
    draw.polygon([(220, 620), (580, 620), (720, 800), (80, 800)], fill=(74, 88, 88))
    return _jpeg(image.resize((480, 480), Image.Resampling.LANCZOS))


def close_up(size: tuple[int, int] = (1000, 1400)) -> bytes:
    """A shoulder in soft light."""
    width, height = size
    image = Image.new("RGB", (width // 4, height // 4), (92, 62, 54))
    draw = ImageDraw.Draw(image)
    w, h = image.size
    draw.ellipse((-0.3 * w, 0.46 * h, 0.9 * w, 1.5 * h), fill=(206, 150, 122))
    draw.ellipse((0.3 * w, 0.02 * h, 0.86 * w, 0.5 * h), fill=(214, 160, 132))
    draw.polygon(
        [(0.42 * w, 0.4 * h), (0.7 * w, 0.4 * h), (0.66 * w, h), (0.2 * w, h)], fill=(198, 142, 116)
    )
    draw.chord((0.26 * w, -0.06 * h, 0.96 * w, 0.44 * h), 196, 382, fill=(58, 38, 34))
    soft = image.filter(ImageFilter.GaussianBlur(7)).resize(size, Image.Resampling.BICUBIC)
    light = _gradient(width, height, ((255, 226, 190), (150, 110, 92), (60, 42, 40)))
    return _jpeg(Image.blend(soft, Image.fromarray(light.astype(np.uint8)), 0.3))


def flyer() -> bytes:
    """What a spammer sends."""
    image = Image.new("RGB", (900, 900), (250, 214, 40))
    draw = ImageDraw.Draw(image)
    draw.polygon([(0, 620), (900, 420), (900, 900), (0, 900)], fill=(214, 30, 70))
    draw.ellipse((600, 60, 860, 320), fill=(30, 30, 40))
    draw.text((730, 190), "-90%", "white", ImageFont.load_default(80), anchor="mm")
    draw.text((60, 110), "10 000", (30, 30, 40), ImageFont.load_default(150))
    draw.text((60, 300), "FOLLOWERS", (30, 30, 40), ImageFont.load_default(110))
    draw.text((60, 700), "today only, only $9", "white", ImageFont.load_default(70))
    return _jpeg(image)


def _lighter(colour: Colour, by: int) -> Colour:
    red, green, blue = (max(0, min(255, one + by)) for one in colour)
    return red, green, blue


def _jpeg(image: Image.Image) -> bytes:
    out = BytesIO()
    image.save(out, "JPEG", quality=88)
    return out.getvalue()


TERRACE = partial(landscape, (1400, 933), _DUSK, (44, 34, 66), seed=7, sun=(0.68, 0.42))
LAKE = partial(
    landscape, (1400, 933), _DAWN, (52, 84, 92), seed=12, sun=(0.3, 0.34), has_water=True
)
VALLEY = partial(landscape, (933, 1400), _NOON, (34, 78, 62), seed=23)
FOREST = partial(landscape, (1200, 1200), _MIST, (36, 58, 52), seed=31)
COAST = partial(landscape, (1600, 900), _DUSK, (58, 40, 62), seed=5, sun=(0.5, 0.5), has_water=True)

AVATARS: Mapping[str, Callable[[], bytes]] = {
    "maya": partial(
        portrait, (222, 186, 164), (236, 190, 160), (92, 54, 40), (58, 84, 92), is_long=True
    ),
    "jonas": partial(
        portrait, (150, 176, 186), (240, 204, 178), (196, 158, 96), (52, 56, 70), is_long=False
    ),
    "mateo": partial(
        portrait, (226, 196, 120), (206, 154, 116), (40, 32, 32), (120, 62, 52), is_long=False
    ),
    "lena": partial(
        portrait, (190, 170, 206), (246, 214, 196), (188, 92, 60), (64, 60, 92), is_long=True
    ),
    "studio.nord": window_sign,
}
