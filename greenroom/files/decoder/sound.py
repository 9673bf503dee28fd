"""Reads a sound: its duration, and how loud it is over time."""

import base64
from pathlib import Path
from typing import Final

import numpy as np

from greenroom.files.decoder.content_type import Guess
from greenroom.files.decoder.ffmpeg import Probe, ffmpeg, source
from greenroom.files.decoder.jobs import Decoded
from greenroom.files.decoder.problems import NotDecodable
from greenroom.files.models import Media

VALUES: Final = 64
_RATE: Final = 8000
_LONGEST_SECONDS: Final = 1200
"""Of a longer one only the duration is known: its waveform is flat, and takes long to make."""
_DECODE_SECONDS: Final = 60


def read_sound(path: Path, guess: Guess, found: Probe) -> Decoded:
    if not found.has_sound:
        raise NotDecodable("there is no sound in it")
    samples = _samples(path, guess.reader)
    if len(samples) == 0:
        raise NotDecodable("there is no sound in it")
    is_whole = len(samples) < _LONGEST_SECONDS * _RATE
    heard_ms = len(samples) * 1000 // _RATE
    return Decoded(
        type=guess.type,
        media=Media.SOUND,
        duration_ms=heard_ms if is_whole else max(heard_ms, found.duration_ms),
        waveform=waveform(samples) if is_whole else "",
    )


def _samples(path: Path, format: str) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    output = ffmpeg(
        (
            *("-t", str(_LONGEST_SECONDS), *source(path, format), "-map", "0:a:0"),
            *("-ac", "1", "-ar", str(_RATE), "-f", "s16le", "-c:a", "pcm_s16le", "pipe:1"),
        ),
        seconds=_DECODE_SECONDS,
    )
    return np.frombuffer(output[: len(output) // 2 * 2], dtype="<i2")


def waveform(samples: np.ndarray[tuple[int], np.dtype[np.int16]]) -> str:
    """64 bytes in base64: the loudness of each part, the loudest being 255."""
    parts = np.array_split(samples.astype(np.float32), VALUES)
    loudness = np.array([np.sqrt(np.mean(part**2)) if len(part) else 0.0 for part in parts])
    loudest = max(float(loudness.max()), 200.0)  # silence stays silent
    return base64.b64encode((loudness / loudest * 255).astype(np.uint8).tobytes()).decode()
