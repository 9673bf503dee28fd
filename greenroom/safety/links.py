"""Finds links in normalised text: a scheme, `www.`, Markdown, or a bare domain.

A full stop without a blank after it is not always a domain ("thanks.me too"): endings that are also
words count only with a path or a known host.
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
    r"|(?!(?<=\w)\w)(?:"  # inside a word nothing else can match
    r"\b(?:mailto|tel|sms|javascript|data):[^\s]"
    r"|\bwww\.[a-z0-9]"
    r"|\]\([^)\s]"  # Markdown
    rf"|(?<=[a-z0-9-])\.(?:{_ENDINGS})(?![a-z0-9@-]|\.[a-z0-9])"  # a bare domain
    rf"|(?<=[a-z0-9-])\.(?:{_ENDINGS}|{_WORDLIKE})/[a-z0-9@+?=_-]"
    r"|\b(?:t|wa|m|paypal|revolut|cash|bit|linktr|discord)\.(?:me|ly|ee|gg|app)\b))"
)
_SCHEMES = ("mailto:", "tel:", "sms:", "javascript:", "data:")
_LONGEST_BEFORE = 10
"""A link has at most so many characters before its first full stop, colon or bracket."""


def links_in(text: str, shape: str) -> Iterator[re.Match[str]]:
    """In a normalised text; `shape` is its `features.shape_of`."""
    if not _may_have_link(text, shape):
        return iter(())
    first = min(at for sign in ".:]" if (at := shape.find(sign)) >= 0)
    return LINK.finditer(text, max(0, first - _LONGEST_BEFORE))


def _may_have_link(text: str, shape: str) -> bool:
    """Checks what every link must contain: the regular expression is slower."""
    if ".a" in shape or ":/" in shape or "](" in shape or "www." in text:
        return True
    return ":" in shape and any(map(text.__contains__, _SCHEMES))
