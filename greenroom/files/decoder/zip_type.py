"""Finds out what a zip archive is: a document of an office program, a book, or an archive.

Careful: it reads the names of the archive's files, and the 100 bytes of `mimetype`. Nothing is
unpacked.
"""

import io
import re
import zipfile
from pathlib import Path
from typing import Final

from greenroom.files.decoder.problems import NotDecodable, decoding

ZIP: Final = "application/zip"
_MOST_AT_ONCE: Final = 4_000_000
_OFFICE: Final = {
    "word/document.xml": "wordprocessingml.document",
    "xl/workbook.xml": "spreadsheetml.sheet",
    "ppt/presentation.xml": "presentationml.presentation",
}
_OTHERS: Final = {
    "AndroidManifest.xml": "application/vnd.android.package-archive",
    "META-INF/MANIFEST.MF": "application/java-archive",
}
_MIMETYPE: Final = re.compile(r"application/(?:vnd\.oasis\.opendocument\.[a-z-]{1,40}|epub\+zip)")


class _LimitedFile(io.FileIO):
    """`zipfile` reads the names of all files at once. A file has several places that say how large
    they are, so the read itself is limited."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MOST_AT_ONCE:
            raise NotDecodable("the archive has too many names")
        return super().read(size)


def zip_type(path: Path) -> str:
    try:
        with decoding(), _LimitedFile(path) as file, zipfile.ZipFile(file) as archive:
            return _type_of(archive)
    except NotDecodable:
        return ZIP


def _type_of(archive: zipfile.ZipFile) -> str:
    names = set(archive.namelist())
    if "[Content_Types].xml" in names:
        for name, kind in _OFFICE.items():
            if name in names:
                return f"application/vnd.openxmlformats-officedocument.{kind}"
    if "mimetype" in names:
        with archive.open("mimetype") as file:
            said = file.read(100).decode("ascii", "replace").strip()
        return said if _MIMETYPE.fullmatch(said) else ZIP
    return next((kind for name, kind in _OTHERS.items() if name in names), ZIP)
