"""Reads the XML of a bucket's responses.

Careful: a bucket answers `CompleteMultipartUpload` with status 200 before it knows the outcome. The
body may be an error.
"""

from collections.abc import Iterable, Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from msgspec import Struct

from greenroom.blobs.base import UploadedPart


class NotXml(ValueError):
    """The body is not what a bucket answers."""


class Response:
    """An element. Names are without their namespace, which not every server has."""

    def __init__(self, element: ElementTree.Element) -> None:
        self._element = element
        self.name = _local(element)

    @classmethod
    def parse(cls, body: bytes) -> "Response":
        try:
            return cls(ElementTree.fromstring(body))
        except ElementTree.ParseError:
            raise NotXml from None

    def text(self, name: str) -> str:
        """Of the first child with this name; empty if there is none."""
        found = next(self.children(name), None)
        return "" if found is None else (found._element.text or "").strip()

    def number(self, name: str) -> int:
        try:
            return int(self.text(name))
        except ValueError:
            raise NotXml from None

    def children(self, name: str) -> Iterator["Response"]:
        return (Response(one) for one in self._element if _local(one) == name)


def error_code(body: bytes) -> str:
    """`NoSuchUpload`, and so on; empty if the body is no error."""
    try:
        response = Response.parse(body)
    except NotXml:
        return ""
    return response.text("Code") if response.name == "Error" else ""


class ListedPart(Struct, frozen=True):
    part: UploadedPart
    modified: str
    """As ISO 8601 writes it, so that it sorts by time."""


def parts_in(response: Response) -> list[ListedPart]:
    return [
        ListedPart(
            UploadedPart(part.number("PartNumber"), part.text("ETag"), part.number("Size")),
            part.text("LastModified"),
        )
        for part in response.children("Part")
    ]


def newest(listed: Iterable[ListedPart]) -> list[UploadedPart]:
    """By number. Careful: SeaweedFS lists a part that was sent again with both contents."""
    by_time = sorted(listed, key=lambda one: one.modified)
    parts = {one.part.number: one.part for one in by_time}
    return [parts[number] for number in sorted(parts)]


def list_of_parts(parts: Iterable[UploadedPart]) -> bytes:
    """The body of `CompleteMultipartUpload`."""
    listed = "".join(
        f"<Part><PartNumber>{part.number}</PartNumber><ETag>{escape(part.etag)}</ETag></Part>"
        for part in parts
    )
    namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
    text = f'<CompleteMultipartUpload xmlns="{namespace}">{listed}</CompleteMultipartUpload>'
    return text.encode()


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
