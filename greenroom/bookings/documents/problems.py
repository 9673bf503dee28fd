"""Refusals of documents."""

from greenroom.errors import Problem


class DocumentNotFound(Problem):
    """There is no such document, or you are not one of its parties."""


class DocumentReplaced(Problem):
    """Version {version} was replaced, because the booking has changed. Read version {current} and
    sign that."""

    version: int
    current: int


class DocumentVoid(Problem):
    """The document is void, because its booking was cancelled. It cannot be signed any more."""


class DocumentDiffers(Problem):
    """Version {version} has another content than the one that you have named. Read it again, and
    sign what you have read: its SHA-256 is {content_sha256}."""

    version: int
    content_sha256: str


class ConsentNeeded(Problem):
    """A signature needs your consent. Read the document's consent, and send `consent: true`."""


class DocumentTooLong(Problem):
    """The document has too much text for a PDF: {bytes} bytes, and {most} are possible. Read it
    here instead."""

    bytes: int
    most: int


class DocumentFileMissing(Problem):
    """The PDF that was recorded is not in the file storage. Tell the operator, whose backup should
    have it."""


class NoReceipts(Problem):
    """Nothing is booked here in which you take part, so there are no receipts."""
