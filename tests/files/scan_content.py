"""Files for a virus scanner to look at."""

import io
from collections.abc import AsyncIterator

from greenroom.files.scanner import Content


def of(*pieces: bytes) -> Content:
    async def read() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return read


def zeros(size: int, piece: int = 1 << 18) -> Content:
    async def read() -> AsyncIterator[bytes]:
        for at in range(0, size, piece):
            yield bytes(min(piece, size - at))

    return read


def pdf_with(content: bytes) -> bytes:
    """A PDF that has a file attached to it."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a.com) 4 0 R]>>>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        b"<</Type/Filespec/F(a.com)/EF<</F 5 0 R>>>>",
        b"<</Type/EmbeddedFile/Length %d>>stream\n%s\nendstream" % (len(content), content),
    )
    written, offsets = io.BytesIO(b"%PDF-1.4\n"), []
    written.seek(0, io.SEEK_END)
    for number, one in enumerate(objects, 1):
        offsets.append(written.tell())
        written.write(b"%d 0 obj%s\nendobj\n" % (number, one))
    table = written.tell()
    written.write(b"xref\n0 6\n0000000000 65535 f \n")
    written.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    written.write(b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % table)
    return written.getvalue()
