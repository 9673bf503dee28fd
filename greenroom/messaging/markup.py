"""Finds the parts of a text that are code, in linear time.

A text is stored as it was typed. Clients render the markup, as docs/reference/markup.md says; the
server only needs to know where nobody is mentioned.
"""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t]*(`{3,})[^`]*")


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces, and whether each is code."""
    prose: list[str] = []
    for fenced, line in _lines(text):
        if fenced or not line:
            yield from _spans("".join(prose))
            prose.clear()
            yield fenced, line + "\n"
        else:
            prose.append(line + "\n")
    yield from _spans("".join(prose))


def _spans(paragraph: str) -> Iterator[tuple[bool, str]]:
    runs = list(re.finditer(r"`+", paragraph))
    next_same: dict[int, int] = {}
    closing: list[int | None] = [None] * len(runs)
    for i in range(len(runs) - 1, -1, -1):
        closing[i] = next_same.get(len(runs[i][0]))
        next_same[len(runs[i][0])] = i
    at = i = 0
    while i < len(runs):
        end = closing[i]
        if end is not None:
            yield False, paragraph[at : runs[i].start()]
            at = runs[end].end()
            yield True, paragraph[runs[i].start() : at]
            i = end
        i += 1
    yield False, paragraph[at:]


def _lines(text: str) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it belongs to a fenced block."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        if fence:
            yield True, line
            if found and found[1].startswith(fence) and line.strip() == found[1]:
                fence = ""
        else:
            fence = found[1] if found else ""
            yield found is not None, line
