"""Sets a page with typst, as PDF/A-2a. Texts reach the template as JSON, never as markup.

PDF/A does not allow characters that no font has, so typst names them all. They are then printed as
their numbers, and the answer lists them.
"""

import re
from pathlib import Path
from typing import Final

import msgspec
import typst

from greenroom.bookings.pdf.canonical import Json
from greenroom.bookings.pdf.printable import printable
from greenroom.bookings.pdf.qr_code import qr_code

TEMPLATES: Final = Path(__file__).with_name("templates")
_MISSING: Final = re.compile(r'the text `"(.*?)"` could not be displayed with font')
_DISALLOWED: Final = re.compile(r'the text contains the disallowed codepoint `"(.*?)"`')
_ESCAPE: Final = re.compile(r"\\u\{([0-9a-f]+)\}")
_JOINERS: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""They are missing only because their neighbours are."""
_FIRST_COMPLEX: Final = "\u0590"
_ROUNDS: Final = 4
"""Missing characters, those after a panic, and the last time that all is well."""


class NotDrawn(Exception):
    """The template has an error, or it was given something that it cannot print."""


def typeset(
    template: str, page: dict[str, Json], issued_ms: int, fonts: tuple[str, ...]
) -> tuple[bytes, frozenset[str]]:
    """The PDF, and the characters that are printed as numbers."""
    numbered: frozenset[str] = frozenset()
    for _ in range(_ROUNDS):
        try:
            found = _compiled(template, page, issued_ms, fonts, numbered)
        except NotDrawn:
            raise
        except BaseException as error:  # a panic: some shapers have bugs with what nobody writes
            found = _complex(page) - numbered
            if not found:
                raise NotDrawn(repr(error)[:1000]) from None
        if isinstance(found, bytes):
            return found, numbered
        numbered |= found
    raise NotDrawn(f"no font for {sorted(numbered)[:20]}")


def _compiler(template: str, fonts: tuple[str, ...]) -> typst.Compiler:
    return typst.Compiler(
        str(TEMPLATES / f"{template}.typ"),
        root=str(TEMPLATES),
        font_paths=list(fonts),
        ignore_system_fonts=True,
        package_path=str(TEMPLATES / "none"),
        package_cache_path=str(TEMPLATES / "none"),
    )


def _families(fonts: tuple[str, ...]) -> list[Json]:
    """In the order in which they are tried: those with serifs first, like the text."""
    found = typst.Fonts(False, False, list(fonts)).families()
    return [*sorted(found, key=lambda name: ("Serif" not in name and "Naskh" not in name, name))]


def _complex(page: Json) -> frozenset[str]:
    """The characters of scripts that need more than letters side by side."""
    match page:
        case str():
            return frozenset(c for c in page if c >= _FIRST_COMPLEX)
        case list():
            return frozenset[str]().union(*map(_complex, page))
        case dict():
            return frozenset[str]().union(*map(_complex, page.values()))
        case _:
            return frozenset()


def _compiled(
    template: str,
    page: dict[str, Json],
    issued_ms: int,
    fonts: tuple[str, ...],
    numbered: frozenset[str],
) -> bytes | frozenset[str]:
    """The PDF, or the characters that no font has."""
    shown: dict[str, Json] = {"page": printable(page, numbered), "hasNumbers": bool(numbered)}
    shown["families"] = _families(fonts)
    try:
        made = _compiler(template, fonts).compile(
            format="pdf",
            sys_inputs={"shown": msgspec.json.encode(shown).decode(), "qr": _qr_code(page)},
            pdf_standards=["a-2a"],
            timestamp=issued_ms // 1000,
        )
    except typst.TypstError as error:
        found = _missing(str(error.diagnostic)) - numbered
        new = found - _JOINERS or found
        if not new:
            raise NotDrawn(str(error.diagnostic or error)[:2000]) from None
        return new
    assert isinstance(made, bytes)
    return made


def _qr_code(page: dict[str, Json]) -> str:
    url = page.get("verify_url")
    return qr_code(url) if isinstance(url, str) and url else ""


def _missing(diagnostic: str) -> frozenset[str]:
    quoted = (*_MISSING.findall(diagnostic), *_DISALLOWED.findall(diagnostic))
    texts = (_ESCAPE.sub(lambda code: chr(int(code[1], 16)), one) for one in quoted)
    return frozenset(c for text in texts for c in text if not c.isascii())
