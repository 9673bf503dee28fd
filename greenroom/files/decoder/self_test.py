"""Finds out whether this machine can decode files: with a small picture, and by looking for
programs."""

import asyncio
import base64
import shutil
import tempfile
from pathlib import Path
from typing import Final

from msgspec import Struct

from greenroom.files.decoder.client import Decoder, DecoderFailed
from greenroom.files.decoder.jobs import Decoded

_PICTURE: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGNgYPj/n4GB8T8DAwMDAwAa"
    "+gL/NdiGwQAAAABJRU5ErkJggg=="
)


class MissingProgram(Struct, frozen=True):
    text: str
    advice: str


async def unable_to_decode(decoder: Decoder) -> str | None:
    """Why a picture cannot be decoded here; None if it can."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="greenroom-doctor-"))
    try:
        path = folder / "picture"
        await asyncio.to_thread(path.write_bytes, _PICTURE)
        found = await decoder.decode(path, folder, size=len(_PICTURE), max_pixels=1_000_000)
    except (DecoderFailed, OSError) as error:
        return str(error)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    is_picture = isinstance(found, Decoded) and bool(found.previews)
    return None if is_picture else "a test picture was not recognised"


def missing_programs() -> list[MissingProgram]:
    missing = list[MissingProgram]()
    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        text = (
            "ffmpeg is not installed: videos and sounds have no preview, and are refused if they "
            "say where they were recorded."
        )
        missing.append(MissingProgram(text, "Install ffmpeg (Debian: apt install ffmpeg)."))
    if shutil.which("heif-dec") is None and shutil.which("heif-convert") is None:
        text = (
            "heif-convert is not installed: HEIC pictures with metadata are refused, as nearly all "
            "of them are."
        )
        advice = "Install it (Debian: apt install libheif-examples)."
        missing.append(MissingProgram(text, advice))
    return missing
