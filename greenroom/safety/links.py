"""What is a link in a text as it is read: a scheme, `www.`, Markdown, or a bare domain.

A full stop without a blank after it is no domain ("thanks.me too"): endings that are words of some
language count only with something that no word has (a path, or a host known for it).
"""

import re
from collections.abc import Iterator

_ENDINGS = (
    "com|net|org|info|biz|io|xyz|shop|online|site|top|club|store|app|dev|link|website|space|pro"
    "|vip|icu|live|tv|cc|gg|ly|co|eu|ru|su|ua|cn|jp|kr|br|mx|uk|au|ca|us|fr|nl|pl|ch|cz|tk|ml"
    "|ga|cf|ink|click|work|agency|studio|photography|photos|gallery|art|blog|page|digital|media"
)
_WORDLIKE = "de|es|it|me|at|be|in|to|so|is|no|my|do|am|pm|se|si|ai|id|la|im|sh|st|re|fm|md|us|pt"

LINK = re.compile(
    r"(?:[a-z][a-z0-9+]{1,9}:/{1,2}[^\s/]"  # a scheme
    r"|(?!(?<=\w)\w)(?:"  # within a word there is nothing else to try
    r"\b(?:mailto|tel|sms|javascript|data):[^\s]"
    r"|\bwww\.[a-z0-9]"
    r"|\]\([^)\s]"  # Markdown
    rf"|(?<=[a-z0-9-])\.(?:{_ENDINGS})(?![a-z0-9@-]|\.[a-z0-9])"  # a bare domain
    rf"|(?<=[a-z0-9-])\.(?:{_ENDINGS}|{_WORDLIKE})/[a-z0-9@+?=_-]"
    r"|\b(?:t|wa|m|paypal|revolut|cash|bit|linktr|discord)\.(?:me|ly|ee|gg|app)\b))"
)
_BEGINNINGS = ("mailto:", "tel:", "sms:", "javascript:", "data:")
_LONGEST_BEFORE = 10
"""Characters of a link before its first full stop, colon or bracket, at most: of a scheme."""


def links_in(text: str, signs: str) -> Iterator[re.Match[str]]:
    """Of a text as it is read, with its signs (`traits.signs_of`)."""
    if not _may_have_link(text, signs):
        return iter(())
    first = min(place for sign in ".:]" if (place := signs.find(sign)) >= 0)
    return LINK.finditer(text, max(0, first - _LONGEST_BEFORE))


def _may_have_link(text: str, signs: str) -> bool:
    """By what every link has one of: the expression takes its time."""
    if ".a" in signs or ":/" in signs or "](" in signs or "www." in text:
        return True
    return ":" in signs and any(map(text.__contains__, _BEGINNINGS))
