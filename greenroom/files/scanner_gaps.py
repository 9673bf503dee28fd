"""Finds what a virus scanner would let through, by giving it harmless files that it must refuse.

clamd calls a file clean that it could not look into, unless its configuration says otherwise.
"""

import io
import logging
import zipfile
from collections.abc import AsyncIterator, Sequence

from msgspec import Struct

from greenroom.files.scanner import Clean, Scanner, ScannerUnavailable

EICAR = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
"""The file that every virus scanner finds, by agreement. It does no harm."""
_log = logging.getLogger(__name__)
_DEPTH = 40
"""clamd looks into 17 archives within one another."""


class Gap(Struct, frozen=True):
    text: str
    advice: str


_NO_VIRUS = Gap(
    "It does not find the EICAR test file.", "Check its signature database (freshclam)."
)
_ENCRYPTED = Gap("It calls encrypted files clean.", "Set AlertEncrypted yes in clamd.conf.")
_LIMITS = Gap(
    "It calls files clean that exceed its limits.", "Set AlertExceedsMax yes in clamd.conf."
)


async def gaps(scanner: Scanner) -> Sequence[Gap]:
    """Raises `ScannerUnavailable`."""
    probes = (_NO_VIRUS, EICAR), (_ENCRYPTED, encrypted_zip()), (_LIMITS, nested_zip(_DEPTH))
    return [gap for gap, content in probes if await _passes(scanner, content)]


async def log_gaps(scanner: Scanner) -> None:
    """Files that such a scanner calls clean are delivered, so an operator has to see it."""
    try:
        found = await gaps(scanner)
    except ScannerUnavailable as error:
        _log.warning("The virus scanner does not answer, so no file gets ready: %s", error)
        return
    for gap in found:
        _log.error("The virus scanner lets files through. %s %s", gap.text, gap.advice)


async def _passes(scanner: Scanner, content: bytes) -> bool:
    async def read() -> AsyncIterator[bytes]:
        yield content

    return await scanner.scan(read) == Clean()


def encrypted_zip() -> bytes:
    """Says that it is encrypted, in bit 0 of the flags in both of its headers."""
    content = bytearray(zipped(b"nobody can read this"))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def nested_zip(depth: int) -> bytes:
    content = b"the innermost"
    for _ in range(depth):
        content = zipped(content)
    return content


def zipped(content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("inner.zip"), content)
    return written.getvalue()
