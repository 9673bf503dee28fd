"""Markdown made safe to store: pure, and linear in its length.

The promise: whatever was written, a Markdown renderer that lets raw HTML through makes of the
stored text no tag but those of the subset (bold, italic, strike, code, quotes, lists, links), and
no link but to http, https and mailto. (Renderers that look for bare addresses find `ftp://` and
`//` as well, and old ones see a heading in `#tag`; nothing that runs.)

It is kept by `sealed` and `flattened`, which look at a few neighbouring characters only. What one
would get wrong: to trust one's own idea of where code or a link's label ends, where renderers
differ. So `<` becomes `&lt;` in code as well, and whoever shows the text as something else than
Markdown turns `&lt;` back into `<` everywhere. `unlinked` and `pieces` do guess, for looks only.
"""

import re
from collections.abc import Iterator

from greenroom.messaging.letters import is_visible

_SCHEME = r"(?:[hH][tT][tT][pP][sS]?://|[mM][aA][iI][lL][tT][oO]:)"  # IGNORECASE lets \u017f be s
# Before Python 3.11.5 a group that gives nothing back, `(?:…)++`, may keep what did not match.
_URL = _SCHEME + r"(?:[^\s()<>\[\]\\`\"]++|\([^\s()<>\[\]\\`\"]*+\))+"
_TITLE = r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?"
_GOOD_TARGET = re.compile(rf"\s*(?:<({_URL})>|({_URL})){_TITLE}\s*")
_LINKISH = re.compile(rf"\\.|!?\[|\]\(|<({_URL})>", re.DOTALL)
_PARENTHESES = re.compile(r"\]\(|[()]")
_SEALS = re.compile(
    r"(?P<pair>\\\\)"  # a backslash that escapes itself, and so not what comes next
    r"|(?P<tag>\\?<(?![\s0-9=-]|\Z))"  # <3 and <- and <= open nothing
    rf"|(?P<empty>\[\])(?=\()|(?P<link>\])(?=\((?!{_URL}\)))"
    r"|(?P<definition>\])(?=:)"
    r"|(?P<image>!)(?=\[)"
)
_FENCE = re.compile(r"[ \t]*(`{3,})[^`]*")
_CONTAINER = re.compile(r"[ \t]+|>|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t])")
_OPENS_BLOCK = re.compile(r"#{1,6}(?:[ \t]|\Z)|~~~")
_BLANKS = " \t"


def sealed(text: str) -> str:
    """No `<` that opens anything, no `](` but before a good target, no `![` and no `]:`."""
    return _SEALS.sub(_seal, text)


def _seal(found: re.Match[str]) -> str:
    if found["tag"]:
        return "&lt;"
    return found[0] if found["pair"] else f"{found[0]} "


def flattened(text: str) -> str:
    """No headings, rules and tables: a backslash before what would make one. Fences stand at the
    beginning of a line, where all renderers agree on them."""
    lines: list[str] = []
    follows = False
    for fenced, line in _lines(text):
        if fenced:
            lines.append(line.lstrip() if _FENCE.fullmatch(line) else line)
        else:
            lines.append(_flat(line, follows))
        follows = bool(line)
    return "\n".join(lines)


def _flat(line: str, follows: bool) -> str:
    """Looked at behind each quote and list mark in turn, since a block may begin after any."""
    rules = {c: len(line.rstrip(c + _BLANKS)) for c in "-*_"}
    underline = len(line.rstrip("=" + _BLANKS))
    columns = len(line.rstrip("-|:" + _BLANKS))
    at = 0
    while at < len(line):
        mark = line[at]
        is_rule = at >= rules.get(mark, len(line)) and line.count(mark, at) >= 3
        is_columns = at >= columns and line.rfind("-") >= at
        is_under = follows and mark not in _BLANKS and (at >= underline or is_columns)
        if is_rule or is_under or _OPENS_BLOCK.match(line, at):
            return f"{line[:at]}\\{line[at:]}"
        container = _CONTAINER.match(line, at)
        if container is None:
            break
        at = container.end()
    return line


def unlinked(text: str) -> str:
    """Links to anything but http, https and mailto lose their target and keep their text; images
    become links; `<https://…>` loses its brackets."""
    out: list[str] = []
    opened: list[int] = []
    for is_code, piece in pieces(text):
        if is_code:
            out.append(piece)
        else:
            _unlink(piece, out, opened)
    return "".join(out)


def _unlink(piece: str, out: list[str], opened: list[int]) -> None:
    """`opened` has the places in `out` of the brackets that wait for their end."""
    at = 0
    while found := _LINKISH.search(piece, at):
        out.append(piece[at : found.start()])
        at = found.end()
        if found[0].endswith("[") and found[0][0] != "\\":
            opened.append(len(out))
            out.append(found[0])
        elif found[0] == "](" and opened:
            at = _close(piece, at, out, opened.pop())
        else:
            out.append(found[1] or found[0])
    out.append(piece[at:])


def _close(piece: str, at: int, out: list[str], bracket: int) -> int:
    """Write the end of a link whose target begins at `at`, and say where it ends."""
    end = _target_end(piece, at)
    target = piece[at:end]
    good = _GOOD_TARGET.fullmatch(target) if end else None
    if good:
        url = good[1] or good[2]
        has_label = any(is_visible(out[i]) for i in range(bracket + 1, len(out)))
        out[bracket] = "[" if has_label else ""
        out.append(f"]({url})" if has_label else url)
        return end + 1
    if end and re.search(r"[:&\\]", target):
        out[bracket] = ""
        return end + 1
    out.append("](")
    return at


def _target_end(piece: str, at: int) -> int:
    """Where the parenthesis closes; 0 if it does not before the next link's target."""
    depth = 1
    for found in _PARENTHESES.finditer(piece, at):
        if found[0] == "](":
            return 0
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.start()
    return 0


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces, and whether each is code. A guess: see above."""
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
