"""Reads a PDF: its number of pages, and the first one as a picture."""

from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from msgspec.structs import replace
from PIL import Image

from greenroom.files.decoder.jobs import Decoded
from greenroom.files.decoder.picture import LARGEST, Picture, bare
from greenroom.files.decoder.problems import NotDecodable, decoding
from greenroom.files.decoder.versions import versions
from greenroom.files.models import Media

PDF = "application/pdf"
_ENCRYPTED = 4
_POINTS_PER_INCH, _LARGEST_DPI = 72, 200


def read_pdf(path: Path, folder: Path) -> Decoded:
    """One that needs a password stays a PDF, without a preview."""
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _ENCRYPTED or "password" in str(error).lower():
            return Decoded(type=PDF, media=Media.PDF)
        raise NotDecodable(str(error)) from error
    pages = len(document)
    if pages == 0:
        raise NotDecodable("no pages")
    without_preview = Decoded(type=PDF, media=Media.PDF, pages=pages)
    try:
        with decoding():
            picture = _first_page(document)
    except NotDecodable:
        return without_preview
    return replace(versions(picture, PDF, Media.PDF, folder), pages=pages)


def _first_page(document: pdfium.PdfDocument) -> Picture:
    page = document[0]
    width, height = page.get_size()
    if not (0 < width < 1e7 and 0 < height < 1e7):
        raise ValueError("the page has no size")
    scale = min(LARGEST / max(width, height), _LARGEST_DPI / _POINTS_PER_INCH)
    bitmap = page.render(scale=scale, fill_color=(255, 255, 255, 255))
    image: Image.Image = bitmap.to_pil().convert("RGB")
    return Picture(bare(image), *image.size)
