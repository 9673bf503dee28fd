"""Checks and cleans what a client says of a file: its name, size and checksum."""

import re
import unicodedata

from greenroom.files.models import NewFile
from greenroom.files.problems import InvalidFile
from greenroom.unicode import is_visible, limit_marks

MAX_NAME = 150
"""Characters; a longer name is shortened in the middle, so that its ending stays."""
LONGEST_GIVEN = 1000
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_UNNAMED = "file"
_JOINER = re.compile("[\u200c\u200d]+(.?)", re.DOTALL)
_TAGS = ("\U000e0020", "\U000e007f")
"""Letters of a flag's region."""
_NEW_EMOJI = ("\U0001f300", "\U0001faff")
"""Also those that Python does not know yet."""


def check(new: NewFile) -> None:
    if not new.name or len(new.name) > LONGEST_GIVEN:
        raise InvalidFile("name", "name", f"it must have 1 to {LONGEST_GIVEN} characters")
    if new.size < 1:
        raise InvalidFile("size", "size", "the file is empty")
    if not _SHA256.fullmatch(new.sha256):
        raise InvalidFile("sha256", "checksum", "it must be the SHA-256, as 64 hexadecimal digits")


def cleaned(name: str) -> str:
    """One line that names no folder and hides nothing: `../../a\\u202egnp.exe` is `agnp.exe`.
    Joiners stay in emoji and in scripts that need them."""
    last = re.split(r"[/\\]", name)[-1]
    kept = limit_marks("".join(filter(_may_stay, last)))
    joined = _JOINER.sub(_if_it_joins, kept)
    flat = " ".join(unicodedata.normalize("NFC", joined).split()).strip(". ")
    if not flat or not is_visible(flat):
        return _UNNAMED
    if len(flat) <= MAX_NAME:
        return flat
    stem, dot, ending = flat.rpartition(".")
    ending = dot + ending if stem and len(ending) <= 10 else ""
    return flat[: MAX_NAME - len(ending) - 1].rstrip("\u200c\u200d") + "…" + ending


def _may_stay(c: str) -> bool:
    if unicodedata.category(c)[0] != "C":
        return True
    is_tag, is_emoji = (first <= c <= last for first, last in (_TAGS, _NEW_EMOJI))
    return c in "\u200c\u200d" or is_tag or is_emoji


def _if_it_joins(found: re.Match[str]) -> str:
    """One joiner, if what follows can be joined. What comes before was looked at already."""
    after = found[1]
    joins = after >= "\u0590" and unicodedata.category(after)[0] in "LMS"
    return found[0][0] + after if joins else after
