"""Normalises a text for the rules, undoing common tricks to evade them.

Removes compatibility forms, zero-width characters, accents and emoji around digits; turns digits of
other scripts into ASCII; and in a word that mixes scripts turns look-alike letters into Latin ones.
A word wholly in another script stays as it is. ASCII text only costs a `lower`. Each character
becomes at most three: some have compatibility forms of up to eighteen.
"""

import re
import unicodedata
from hashlib import blake2b

from greenroom.safety.features import shape_of, table, to_ascii, words_in
from greenroom.safety.links import links_in
from greenroom.unicode import CharacterTable

_LIKE_LATIN = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u0461\u043a"
    "\u043c\u0442\u0432\u043d\u04bb\u03bf\u03b1\u03b5\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5"
    "\u03c7\u0131\u0269\u0261\u0251\u217c"
)
_LOOKALIKES = str.maketrans(_LIKE_LATIN, "aeopcyxijsdwwk" + "mtbhhoaeikvptu" + "xiigal")
_LOOKALIKE = re.compile(f"[{_LIKE_LATIN}]")
_LEET = str.maketrans("0134578@$", "oleastbas")
_WORD = re.compile(r"[^\W_]+")
_ASCII_LETTER = re.compile(r"[a-z]")
_LEET_INSIDE = re.compile(r"(?<=[a-z])[0134578@$]{1,2}(?=[a-z])")
_SPACED_OUT = re.compile(r"(?<![a-z0-9])[a-z](?:[\s.\-_*]{1,2}[a-z]){3,39}(?![a-z0-9])")
_SPACES = re.compile(r"[\s.\-_*]")
_LONGEST_FORM = 3
_HANGUL = ("\uac00", "\ud7a3")
_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Cc", "Cs"})
_BEYOND_ASCII = "?"
"""What `encode` substitutes."""


def _obfuscation_class(c: str) -> str:
    if ord(c) in _LEET:
        return "1"
    if c == _BEYOND_ASCII:
        return " "  # some of these are blanks
    return "a" if c.isalpha() else " " if _SPACES.match(c) else "x"


_OBFUSCATION_CLASSES = table(_obfuscation_class)


def normalise(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = text.translate(_NORMALISED)
    if plain.isascii() or not _LOOKALIKE.search(plain):
        return plain
    return _WORD.sub(lambda word: _latin(word.group()), plain)


def digest(text: str) -> str:
    return _digest(words_in(normalise(text))).hex()


def _digest(words: list[str]) -> bytes:
    return blake2b(" ".join(words).encode(), digest_size=12).digest() if words else b""


class NormalisedText:
    """A text with the features that several matchers use."""

    def __init__(self, original: str) -> None:
        self.original = original
        self.text = normalise(original)
        self.words = words_in(self.text)
        self.plain = to_ascii(self.text)
        self.shape = shape_of(self.plain)
        self.deobfuscated = _deobfuscated(self.text, self.plain)
        self.is_obfuscated = self.deobfuscated != self.text
        self._links: tuple[tuple[int, int], ...] | None = None

    @property
    def digest(self) -> bytes:
        """The same for texts that differ only in case, spacing and punctuation."""
        return _digest(self.words)

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        if self._links is None:
            self._links = tuple([found.span() for found in links_in(self.text, self.shape)])
        return self._links


def _deobfuscated(text: str, plain: bytes) -> str:
    """With `w.h.a.t.s` and `wh4ts` as words. Only for words: it garbles numbers and addresses."""
    if not _may_be_obfuscated(plain):
        return text
    joined = _SPACED_OUT.sub(lambda run: _SPACES.sub("", run.group()), text)
    return _LEET_INSIDE.sub(lambda run: run.group().translate(_LEET), joined)


def _may_be_obfuscated(plain: bytes) -> bool:
    """Of a text `to_ascii`: whether there are signs for a letter within a word, or two letters in a
    row that stand alone."""
    shape = plain.translate(_OBFUSCATION_CLASSES)
    return b"a1a" in shape or b"a11a" in shape or b" a a " in shape or b" a  a " in shape


def _plain(character: str) -> str:
    if " " <= character <= "~" or character in "\n\t":
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


class _Normalise(CharacterTable):
    """Maps each character to its normalised form."""

    def compute(self, character: str) -> str:
        if _HANGUL[0] <= character <= _HANGUL[1]:
            return character
        opened = unicodedata.normalize("NFKD", character).casefold()
        return "".join(map(_plain, opened)) if len(opened) <= _LONGEST_FORM else character


_NORMALISED = _Normalise()


def _latin(word: str) -> str:
    if word.isascii() or not _ASCII_LETTER.search(word):
        return word
    return word.translate(_LOOKALIKES)
