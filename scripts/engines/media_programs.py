"""Installs the programs that decode and make videos, sounds and HEIC pictures."""

from typing import Final

from scripts.engines.requirements import Unavailable, command

MEDIA_PROGRAMS: Final = {"ffmpeg": "ffmpeg", "heif-enc": "libheif-examples"}
"""And the Debian package of each. `heif-convert` comes with `heif-enc`."""


def media_program(name: str) -> str:
    return command(name, debian=MEDIA_PROGRAMS[name])


def install_media_programs() -> list[str]:
    """Returns why some could not be installed."""
    reasons = []
    for name in MEDIA_PROGRAMS:
        try:
            media_program(name)
        except Unavailable as reason:
            reasons.append(str(reason))
    return reasons
