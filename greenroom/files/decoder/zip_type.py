"""Finds out what a zip archive is: a document of an office program, a book, or an archive.

Careful: it reads the names of the archive's files, and the 100 bytes of `mimetype`. Nothing is
unpacked.
"""

import re
import zipfile
from pathlib import Path
from typing import Final

ZIP: Final = "application/zip"
_MOST_NAMES_BYTES: Final = 4_000_000
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


def zip_type(path: Path) -> str:
    try:
        if _names_bytes(path) > _MOST_NAMES_BYTES:
            return ZIP
        with zipfile.ZipFile(path) as archive:
            return _type_of(archive)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
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


def _names_bytes(path: Path) -> int:
    """The size of the directory at the end of the archive, as its last record says."""
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 65_557))
        tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    return int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
