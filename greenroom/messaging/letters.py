"""Which characters a message may have: pure, and linear in its length."""

import re
import unicodedata

from greenroom.letters import limited
from greenroom.messaging.problems import InvalidText

_SURROGATE = re.compile("[\ud800-\udfff]")
_GONE = (
    *range(0x01, 0x09),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    0xAD,  # soft hyphen
    0x180E,
    0x200B,  # zero-width space
    *range(0x202A, 0x202F),  # embeddings and overrides
    *range(0x2060, 0x2070),  # word joiner, invisible operators, isolates
    *range(0xFDD0, 0xFDF0),
    0xFEFF,
    *range(0xFFF9, 0xFFFD),  # annotations, and the place of an object
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE0020),
    *(plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)),
)
_BREAKS = (0x0D, 0x85, 0x2028, 0x2029)
_HIDDEN = re.compile("[" + "".join(map(re.escape, map(chr, (*_GONE, *_BREAKS)))) + "]")
_TABLE: dict[int, str | None] = dict.fromkeys(_GONE) | dict.fromkeys(_BREAKS, "\n")


def normalised(text: str) -> str:
    """NFC, lines ended by LF, nothing hidden. Refuses NULs and lone surrogates.

    Careful: check the length first.
    """
    if "\0" in text:
        raise InvalidText("it has a NUL character")
    if _SURROGATE.search(text):
        raise InvalidText("it has half of a surrogate pair")
    plain = text
    if _HIDDEN.search(text):
        plain = text.replace("\r\n", "\n").translate(_TABLE)
    if plain.isascii():
        return plain
    plain = limited(plain)
    if unicodedata.is_normalized("NFC", plain):
        return plain
    return limited(unicodedata.normalize("NFC", plain))
