"""Pictures for the tests, made when they are needed."""

import io
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from PIL import Image, ImageCms

SECRET_PLACE = "Teufelsberg"
"""In the metadata of pictures that say where they were taken."""


@cache
def scene(width: int = 400, height: int = 300, seed: int = 1) -> Image.Image:
    """Something like a photo: soft shapes with some detail."""
    chance = np.random.default_rng(seed)
    layers = np.zeros((height, width, 3), np.float32)
    for octave in range(1, 7):
        few = chance.normal(size=(3, 2**octave + 1, 2**octave + 1)).astype(np.float32)
        grown = [
            np.asarray(Image.fromarray(one).resize((width, height), Image.Resampling.BICUBIC))
            for one in few
        ]
        layers += np.stack(grown, -1) / 1.2**octave
    layers = (layers - layers.min()) / (layers.max() - layers.min()) * 255
    return Image.fromarray(layers.astype(np.uint8))


def saved(image: Image.Image, format: str, **options: Any) -> bytes:
    written = io.BytesIO()
    image.save(written, format, **options)
    return written.getvalue()


def photo(width: int = 4000, height: int = 3000) -> bytes:
    """As a phone takes it, about 4 MB for 12 megapixels."""
    chance = np.random.default_rng(7)
    grain = chance.normal(0, 6, (height, width, 1))
    pixels = np.asarray(scene(width, height), dtype=np.float32) + grain
    return saved(Image.fromarray(pixels.clip(0, 255).astype(np.uint8)), "JPEG", quality=90)


def jpeg_with_place(orientation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[0x010F] = SECRET_PLACE  # make
    exif[0x0112] = orientation
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 29.0, 51.0), 3: "E", 4: (13.0, 14.0, 28.0)})
    xmp = f"<x:xmpmeta xmlns:x='adobe:ns:meta/'>{SECRET_PLACE}</x:xmpmeta>".encode()
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return saved(
        scene(), "JPEG", exif=exif, xmp=xmp, comment=SECRET_PLACE.encode(), icc_profile=profile
    )


CORNERS = ("red", "lime", "blue", "white")
"""Of the upright picture: upper left, upper right, lower left, lower right."""
_UNDO = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def corners() -> Image.Image:
    image = Image.new("RGB", (300, 200))
    for number, color in enumerate(CORNERS):
        x, y = number % 2 * 150, number // 2 * 100
        image.paste(color, (x, y, x + 150, y + 100))
    return image


def turned(orientation: int, format: str = "JPEG") -> bytes:
    """Shows `corners` when it is turned as its EXIF says."""
    image, undo = corners(), _UNDO[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    return saved(image if undo is None else image.transpose(undo), format, exif=exif)


def animation(format: str, frames: int = 6, side: int = 120) -> bytes:
    pictures = [scene(side, side, seed=number) for number in range(frames)]
    options: dict[str, Any] = {"save_all": True, "append_images": pictures[1:]}
    return saved(pictures[0], format, duration=80, loop=0, **options)


def palette_with_transparency() -> bytes:
    image = scene().quantize(32)
    return saved(image, "PNG", transparency=0)


def png_of_16_bits() -> bytes:
    values = np.linspace(0, 65535, 200 * 100).reshape(100, 200).astype(np.uint16)
    return saved(Image.fromarray(values), "PNG")


def png_header(width: int, height: int, data: bytes) -> bytes:
    """Grey, with one bit a pixel."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@cache
def png_bomb(side: int = 30_000) -> bytes:
    """900 megapixels in a hundred kilobytes."""
    packer = zlib.compressobj(9)
    rows = b"\0" * (side // 8 + 1)
    packed = b"".join(packer.compress(rows) for _ in range(side)) + packer.flush()
    return png_header(side, side, packed)


@cache
def png_of_one_column(height: int = 80_000_000) -> bytes:
    """Its rows take far more memory than its pixels."""
    image = zlib.compressobj(9)
    rows = b"".join(image.compress(bytes(2_000_000)) for _ in range(height // 1_000_000))
    return png_header(1, height, rows + image.flush())


@cache
def png_with_metadata_bomb() -> bytes:
    """A small picture whose color profile and text unpack to 200 MB each."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(200)) + packer.flush()
    picture = saved(scene(), "PNG")
    end_of_header = 8 + 25
    chunks = (png_chunk(b"iCCP", b"x\0\0" + packed), png_chunk(b"zTXt", b"x\0\0" + packed))
    return picture[:end_of_header] + b"".join(chunks) + picture[end_of_header:]


def gif_bomb(width: int = 65_535, height: int = 65_535, frames: int = 1) -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    one = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return head + one * frames + b";"


def gif_whose_frame_exceeds_its_canvas() -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6)
    frame = b"," + struct.pack("<HHHHB", 0, 0, 65_535, 65_535, 0) + b"\x02\x02\x44\x01\x00"
    return head + frame + b";"


def webp_bomb(width: int = 16_000_000, height: int = 16, frames: int = 0) -> bytes:
    flags = 2 if frames else 0
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunks = b"VP8X" + struct.pack("<IB3x", 10, flags) + sides
    chunks += (b"ANMF" + struct.pack("<I", 16) + bytes(16)) * frames
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def gif_that_is_a_script() -> bytes:
    """A picture for a decoder, and a program for a browser that runs it."""
    picture = saved(scene(64, 64).quantize(8), "GIF")
    return picture + b"<html><script>alert(document.domain)</script></html>"


def webp_chunks(content: bytes) -> Iterator[bytes]:
    """The names of the parts of a WebP file."""
    assert content[:4] == b"RIFF"
    assert content[8:12] == b"WEBP"
    at = 12
    while at < len(content):
        size = int.from_bytes(content[at + 4 : at + 8], "little")
        yield content[at : at + 4]
        at += 8 + size + size % 2
