"""Checks and cleans what a client says of a file: its name, size and checksum."""

import re
import unicodedata

from greenroom.files.models import NewFile
from greenroom.files.problems import InvalidFile
from greenroom.unicode import is_visible

MAX_NAME = 150
"""Characters; a longer name is shortened in the middle, so that its ending stays."""
LONGEST_GIVEN = 1000
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_UNNAMED = "file"


def check(new: NewFile) -> None:
    if not new.name or len(new.name) > LONGEST_GIVEN:
        raise InvalidFile("name", "name", f"it must have 1 to {LONGEST_GIVEN} characters")
    if new.size < 1:
        raise InvalidFile("size", "size", "the file is empty")
    if not _SHA256.fullmatch(new.sha256):
        raise InvalidFile("sha256", "checksum", "it must be the SHA-256, as 64 hexadecimal digits")


def cleaned(name: str) -> str:
    """One line that names no folder and hides nothing: `../../a\\u202egnp.exe` is `agnp.exe`."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(c for c in last if unicodedata.category(c)[0] != "C")
    flat = " ".join(unicodedata.normalize("NFC", kept).split()).strip(". ")
    if not flat or not is_visible(flat):
        return _UNNAMED
    if len(flat) <= MAX_NAME:
        return flat
    stem, dot, ending = flat.rpartition(".")
    ending = dot + ending if stem and len(ending) <= 10 else ""
    return flat[: MAX_NAME - len(ending) - 1] + "…" + ending
