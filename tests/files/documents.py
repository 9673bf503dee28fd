"""PDFs, archives and texts for the tests, made when they are needed."""

import hashlib
import io
import struct
import tarfile
import zipfile
from functools import cache

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"


def _pdf(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """Object 1 is the catalog."""
    written, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer\n<</Size %d/Root 1 0 R%s>>\n" % (len(objects) + 1, trailer)
    return written + b"startxref\n%d\n%%%%EOF\n" % table


def _stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(content), more, content)


_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_DRAWING = b"0.2 0.4 0.8 rg 50 50 200 300 re f 0.9 0.1 0.1 rg 300 500 200 200 re f"


def pdf(box: bytes = b"0 0 595 842", drawing: bytes = _DRAWING) -> bytes:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 4 0 R>>" % box
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return _pdf([_CATALOG, pages, page, _stream(drawing)])


@cache
def pdf_with_pages(count: int = 10_000) -> bytes:
    kids = b" ".join(b"%d 0 R" % (number + 3) for number in range(count))
    pages = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>"
    return _pdf([_CATALOG, pages, *([page] * count)])


def pdf_that_draws_forever() -> bytes:
    """Ten levels of drawings: each draws the next one ten times."""
    levels = 10
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R"
    page += b"/Resources<</XObject<</X 5 0 R>>>>>>"
    forms = []
    for level in range(levels):
        calls = b"/X Do " * 10 if level < levels - 1 else b"0 0 300 400 re f " * 10
        resources = b"/Resources<</XObject<</X %d 0 R>>>>" % (6 + level)
        more = b"/Type/XObject/Subtype/Form/BBox[0 0 300 400]" + resources
        forms.append(_stream(calls, more))
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return _pdf([_CATALOG, pages, page, _stream(b"/X Do"), *forms])


def encrypted_pdf(password: bytes = b"secret") -> bytes:
    """As PDF 1.4 says: 40 bits of RC4, whose key follows from the password."""
    padded, permissions, id = (password + _PADDING)[:32], -4, bytes(range(16))
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    digest = hashlib.md5(padded + owner + permissions.to_bytes(4, "little", signed=True) + id)
    user = _rc4(digest.digest()[:5], _PADDING)
    rules = b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P %d>>" % (
        owner.hex().encode(),
        user.hex().encode(),
        permissions,
    )
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>"
    objects = [_CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, rules]
    name = id.hex().encode()
    return _pdf(objects, b"/Encrypt 4 0 R/ID[<%s><%s>]" % (name, name))


def _rc4(key: bytes, content: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in content:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def pdf_with_eicar() -> bytes:
    """As an attachment inside the document."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>"
    names = b"/Names<</EmbeddedFiles<</Names[(eicar.com) 4 0 R]>>>>"
    catalog = b"<</Type/Catalog/Pages 2 0 R" + names + b">>"
    spec = b"<</Type/Filespec/F(eicar.com)/EF<</F 5 0 R>>>>"
    attached = _stream(EICAR, b"/Type/EmbeddedFile")
    return _pdf([catalog, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, spec, attached])


def archive(*members: tuple[str, bytes], stored: str = "") -> bytes:
    """`stored` is the name of a member that is not compressed."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members:
            kind = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            target.writestr(name, content, kind)
    return written.getvalue()


def tar(*members: tuple[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as target:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            target.addfile(member, io.BytesIO(content))
    return written.getvalue()


@cache
def zip_bomb() -> bytes:
    """Ten archives of 100 MB of nothing each, in another one."""
    inner = archive(("zeros", bytes(100_000_000)))
    return archive(*((f"{number}.zip", inner) for number in range(10)))


def encrypted_zip() -> bytes:
    """It only says that it is: there is no password that opens it."""
    plain = bytearray(archive(("secret.txt", b"x" * 100), stored="secret.txt"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        plain[plain.index(mark) + offset] |= 1
    return bytes(plain)


def zip_with_broken_kind(compression: int) -> bytes:
    """What says the kind of document cannot be unpacked."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as target:
        target.writestr("mimetype", b"application/epub+zip" * 50)
    broken, at = bytearray(written.getvalue()), 30 + len("mimetype")
    broken[at : at + 40] = b"\xff" * 40
    return bytes(broken)


def zip_that_hides_its_size(names: int) -> bytes:
    """The last record says that the names have 100 bytes. The zip64 record before it says the
    truth, and `zipfile` believes that one."""
    document = archive(("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>"))
    at = document.index(b"PK\x01\x02")
    entry = b"PK\x01\x02" + b"\x2d\0\x2d\0" + bytes(20) + b"\1" + bytes(17) + b"a"
    listed = document[at : document.index(b"PK\x05\x06")] + entry * names
    end = struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, names + 2, names + 2, len(listed), at
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at + len(listed), 1)
    last = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 100, 0xFFFFFFFF, 0)
    return document[:at] + listed + end + locator + last


def word_document() -> bytes:
    return archive(("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>"))


def open_document() -> bytes:
    kind = b"application/vnd.oasis.opendocument.text"
    return archive(("mimetype", kind), ("content.xml", b"<x/>"), stored="mimetype")


SVG = b"""<?xml version="1.0"?>
<!-- a picture? --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"""
HTML = b"\n <!-- hello --> <!DOCTYPE html><title>x</title><script>alert(1)</script>"
XML = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
XHTML = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'
