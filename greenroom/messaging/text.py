"""Checks and cleans what people write, once, on the way in.

`clean` changes nothing visible: it composes letters, ends lines with LF, drops hidden characters
and blanks at the ends, and limits stacked marks. Markup and `<` stay as they are; every client
renders a text safely itself (docs/reference/markup.md). Careful: check the length before any other
work (`check_length`), and spend limits before `clean`.
"""

import re
import unicodedata

from greenroom.messaging.characters import normalised, too_long
from greenroom.messaging.markup import pieces
from greenroom.messaging.problems import InvalidReaction, InvalidText
from greenroom.unicode import is_visible

MAX_TEXT = 8_000
MAX_SUBJECT = 140
MAX_ALT = 1_000
"""Characters in the description of an attachment."""
MAX_MENTIONS = 20
MAX_REACTION = 16
"""Code points: a kiss between two people of two skin colours has 10."""

EMPTY = "it must not be empty"
_SPARE = 1.5
"""How much longer the raw text may be: hidden characters and blanks at the ends do not count."""
_PLAIN = re.compile(
    "[\n -~"  # ASCII
    "\u00a0-\u00ac\u00ae-\u00ff\u0100-\u017f"  # Latin
    "\u0391-\u03a1\u03a3-\u03ff\u0400-\u0482\u048a-\u052f"  # Greek, Cyrillic
    "\u2010-\u2027\u202f-\u205e\u20a0-\u20bf\u2190-\u2328\u232b-\u27ff"  # signs
    "\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e"
    "\U0001f300-\U0001faff]+"  # emoji
)
"""Characters that stay as they are in any context."""
_MENTION = re.compile(r"(?<![\w@.+%=/\\-])@([A-Za-z][A-Za-z0-9_.]{1,29}+)(?![\w@])")
_ADDRESS = re.compile(r"(?:https?://|mailto:|www\.)\S+", re.IGNORECASE)
CLIENT_ID = r"^\.*[A-Za-z0-9_:-][A-Za-z0-9._:-]*$"
LINKED_ID = r"^\.*[^./][^/]*$"
"""Of a booking, leg or booking group. Ids stand in paths, where a slash ends one and clients drop
dots alone."""
MAX_OWN_ID = 64
_CLIENT_ID, _LINKED_ID = re.compile(CLIENT_ID), re.compile(LINKED_ID)
_REACTION = re.compile(r"(?:RR|KV?C|FT+E|[BF][VS]{0,2}(?:J[BF][VS]{0,2})*)+")
_PUNCTUATION_EMOJI = "\u203c\u2049\u2139\u3030\u303d"
_NO_SYMBOLS = "\u2800\ufffc\ufffd"


def clean(text: str, if_empty: str = EMPTY) -> str:
    """`if_empty` says why an empty text is refused."""
    return _cleaned(text, MAX_TEXT, if_empty)


def clean_or_empty(text: str, most: int = MAX_TEXT) -> str:
    """For texts that may be left out. A text of blanks is empty."""
    check_length(text, most)
    written = normalised(text, most)
    return written if is_visible(written) else ""


def check_length(text: str, most: int = MAX_TEXT) -> None:
    """Refuses what is too long even after cleaning. Cheap: call it before anything else."""
    if len(text) > _SPARE * most:
        raise too_long(most)


def subject(text: str) -> str | None:
    """None if it is empty."""
    check_length(text, MAX_SUBJECT)
    line = normalised(text, MAX_SUBJECT)
    if "\n" in line:
        raise InvalidText("a subject must be one line")
    return _cleaned(line, MAX_SUBJECT, "") if is_visible(line) else None


def _cleaned(text: str, most: int, if_empty: str) -> str:
    return text if len(text) <= most and is_plain(text) else _made_clean(text, most, if_empty)


def is_plain(text: str) -> bool:
    """Whether there is nothing to do: no character that `normalised` looks at, and no blanks at the
    ends."""
    return _PLAIN.fullmatch(text) is not None and not text[0].isspace() and not text[-1].isspace()


def _made_clean(text: str, most: int, if_empty: str = EMPTY) -> str:
    check_length(text, most)
    written = normalised(text, most)
    if not is_visible(written):
        raise InvalidText(if_empty)
    return written


def mentioned(text: str) -> tuple[str, ...]:
    """The usernames after @, in order and once each; not in code, links and e-mail addresses."""
    if "@" not in text:
        return ()
    prose = (_ADDRESS.sub(" ", piece) for is_code, piece in pieces(text) if not is_code)
    found = (name for piece in prose for name in _MENTION.findall(piece))
    names = dict.fromkeys(name.rstrip(".").lower() for name in found)
    return tuple(name for name in names if len(name) > 1)[:MAX_MENTIONS]


def client_id(text: str) -> str:
    if not is_client_id(text):
        raise InvalidText(
            f"a client message id must have 1 to {MAX_OWN_ID} of A-Z, a-z, 0-9, dot, _, : and -, "
            "and not dots alone"
        )
    return text


def is_client_id(text: str) -> bool:
    return len(text) <= MAX_OWN_ID and _CLIENT_ID.fullmatch(text) is not None


def is_linked_id(text: str) -> bool:
    """Whether it can be the id of a booking, leg or booking group."""
    fits = len(text) <= MAX_OWN_ID and text.isprintable()
    return fits and _LINKED_ID.fullmatch(text) is not None


def emoji(text: str) -> str:
    """An emoji, or a few of them, or other symbols; no words."""
    reaction = text.strip() if len(text) <= 2 * MAX_REACTION else text
    if not 0 < len(reaction) <= MAX_REACTION:
        raise InvalidReaction(f"it must have 1 to {MAX_REACTION} code points")
    if not _REACTION.fullmatch("".join(map(_part, reaction))):
        raise InvalidReaction("it must be an emoji or a symbol, not text")
    return reaction


def _part(c: str) -> str:
    """A letter for what a code point is in an emoji: R half of a flag, K and C a key and its cap,
    F the flag that takes tags, T and E tags and their end, V and S variation and skin, J joiner,
    B a symbol by itself."""
    parts = {"\U0001f3f4": "F", "\ufe0e": "V", "\ufe0f": "V", "\u200d": "J", "\u20e3": "C"}
    if c in parts:
        return parts[c]
    if c in "0123456789#*":
        return "K"
    if "\U0001f1e6" <= c <= "\U0001f1ff":
        return "R"
    if "\U0001f3fb" <= c <= "\U0001f3ff":
        return "S"
    if "\U000e0020" <= c <= "\U000e007f":
        return "E" if c == "\U000e007f" else "T"
    return "B" if _is_symbol(c) else "?"


def _is_symbol(c: str) -> bool:
    if c.isascii() or c in _NO_SYMBOLS:
        return False
    is_new = "\U0001f300" <= c <= "\U0001faff" and unicodedata.category(c) == "Cn"
    return is_new or c in _PUNCTUATION_EMOJI or unicodedata.category(c) in ("So", "Sm")
