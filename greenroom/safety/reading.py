"""A text as the rules read it: without what is put in to get around them.

Compatibility forms, zero-width characters, accents and emoji around digits are taken off, other
scripts' digits become ours, and in a word that mixes scripts the letters that only look Latin
become Latin. A word written wholly in another script stays as it is. Plain ASCII costs a `lower`.
"""

import re
import unicodedata
from hashlib import blake2b

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u0461\u043a"
    "\u043c\u0442\u0432\u043d\u04bb\u03bf\u03b1\u03b5\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5"
    "\u03c7\u0131\u0269\u0261\u0251\u217c",
    "aeopcyxijsdwwk" + "mtbhhoaeikvptu" + "xiigal",
)
_WORD = re.compile(r"[^\W_]+")
_ASCII_LETTER = re.compile(r"[a-z]")
_INVISIBLE = {"Cf", "Mn", "Me", "Cc"}
_KEPT = "\n\t"


def read(text: str) -> str:
    if text.isascii():
        return text.lower()
    opened = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(map(_plain, opened))
    if plain.isascii():
        return plain
    return _WORD.sub(lambda word: _latin(word.group()), plain)


def _plain(character: str) -> str:
    if character <= "\x7e" or character in _KEPT:
        return character
    category = unicodedata.category(character)
    if category in _INVISIBLE:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Zs":
        return " "
    if category == "Pd":
        return "-"
    return character


def _latin(word: str) -> str:
    if word.isascii() or not _ASCII_LETTER.search(word):
        return word
    return word.translate(_LOOKALIKES)


def digest(text: str) -> str:
    """The same for texts that read the same, whatever their case, spacing and punctuation."""
    words = " ".join(_WORD.findall(read(text)))
    return blake2b(words.encode(), digest_size=12).hexdigest() if words else ""
