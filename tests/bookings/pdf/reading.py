"""Reads the text of a PDF."""

import unicodedata

import pypdfium2  # type: ignore[import-untyped]


def pages_of(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()


def words_of(pdf: bytes) -> str:
    """All of it, with one blank between words."""
    return unicodedata.normalize("NFC", " ".join(" ".join(pages_of(pdf)).split()))
