"""The values of documents: versions of a contract, their signatures and their PDF files."""

from enum import StrEnum

from msgspec import Struct

from greenroom.bookings.pdf.documents import Contract
from greenroom.ids import DocumentId, GroupId, LegId, UserId


class DocumentState(StrEnum):
    ISSUED = "issued"
    """It waits for signatures."""
    SIGNED = "signed"
    """By all of its parties."""
    SUPERSEDED = "superseded"
    """A newer version has replaced it."""
    VOID = "void"
    """Its leg was cancelled."""


ACTIVE_STATES = frozenset({DocumentState.ISSUED, DocumentState.SIGNED})


class DocumentVersion(Struct, frozen=True, kw_only=True):
    """What two people agree on, word for word. Another content is another version."""

    id: DocumentId
    version: int
    group: GroupId
    leg: LegId
    state: DocumentState = DocumentState.ISSUED
    contract: Contract
    """Without signatures."""
    content_sha256: str
    """Of the contract as canonical JSON. Signers name it, and the PDF prints it."""
    consent: str
    """The words that its signers agree to."""
    issued_ms: int
    signed_ms: int = 0
    """When the last one signed."""
    ended_ms: int = 0
    draw_ms: int = 0
    """When its signed PDF is drawn, or tried again; 0 if there is nothing to draw."""
    draw_tries: int = 0

    @property
    def parties(self) -> tuple[UserId, ...]:
        """Who signs it, and who may read it."""
        return tuple(UserId(one.user_id) for one in self.contract.parties)


class Signature(Struct, frozen=True, kw_only=True):
    """Who agreed to what, when and from where. Kept for good."""

    document: DocumentId
    version: int
    signer: UserId
    content_sha256: str
    consent: str
    consent_sha256: str
    ip: str
    user_agent: str
    at_ms: int


class FileKind(StrEnum):
    DRAFT = "draft"
    """Without signatures."""
    SIGNED = "signed"


class DocumentFile(Struct, frozen=True, kw_only=True):
    """A PDF that was made of a version: the only one of its kind."""

    sha256: str
    document: DocumentId
    version: int
    kind: FileKind
    at_ms: int


class DocumentRecord(Struct, frozen=True, kw_only=True):
    """All versions of a document, the newest first, and all signatures."""

    versions: tuple[DocumentVersion, ...]
    signatures: tuple[Signature, ...]

    @property
    def current(self) -> DocumentVersion:
        return self.versions[0]

    def version(self, number: int) -> DocumentVersion | None:
        return next((one for one in self.versions if one.version == number), None)

    def signatures_of(self, version: int) -> tuple[Signature, ...]:
        """In the order in which they were given."""
        return tuple(one for one in self.signatures if one.version == version)
