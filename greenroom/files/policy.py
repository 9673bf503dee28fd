"""What operators can change about files: sizes, quotas, safe mode, and the rates of uploads."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.policy import HOUR, MINUTE, Allowance, Limit, Section

_MB = 1_000_000
_GB = 1_000_000_000


class FileRules(Section, frozen=True):
    """Files: their sizes, the quota of each user, and how long unused ones are kept."""

    section: ClassVar = "files"
    max_mb: Annotated[
        int, Meta(ge=1, le=5_000_000, description="Size of a file, in MB (1,000,000 bytes).")
    ] = 1000
    per_message: Annotated[int, Meta(ge=1, le=10, description="Files in one message.")] = 10
    quota_mb: Annotated[
        int, Meta(ge=1, le=1_000_000_000, description="All files of one user together, in MB.")
    ] = 20_000
    unused_hours: Annotated[
        int,
        Meta(
            ge=1,
            le=720,
            description="Hours after which an unfinished upload, or a file that is not used by a "
            "message or profile, is deleted.",
        ),
    ] = 24
    url_seconds: Annotated[
        int, Meta(ge=5, le=3600, description="Seconds that a download URL works.")
    ] = 60
    deliver_unscannable: Annotated[
        bool,
        Meta(
            description="Deliver files that the virus scanner cannot check: too big for it, "
            "encrypted, or too slow. They are marked. By default they are refused."
        ),
    ] = False
    max_megapixels: Annotated[
        int,
        Meta(
            ge=1,
            le=500,
            description="Pixels of a picture, in millions. An animation may have a third, over all "
            "its frames.",
        ),
    ] = 90
    check_manifest_urls: Annotated[
        bool,
        Meta(
            description="Ask the address of a manifest whether it answers, and for its size. Only "
            "public addresses are asked."
        ),
    ] = False

    @property
    def max_bytes(self) -> int:
        return self.max_mb * _MB

    @property
    def quota_bytes(self) -> int:
        return self.quota_mb * _MB

    @property
    def max_pixels(self) -> int:
        return self.max_megapixels * _MB


class SafeModeRules(Section, frozen=True):
    """Safe mode: from which confidence of the model a picture is blurred or hidden. The model's
    labels are drawing, hentai, neutral, porn and sexy."""

    section: ClassVar = "safe_mode"
    blur_at: Annotated[
        float, Meta(ge=0.01, le=1, description="Explicit or suggestive: blurred from here.")
    ] = 0.6
    hide_at: Annotated[float, Meta(ge=0.01, le=1, description="Explicit: hidden from here.")] = 0.8
    hold_resembling: Annotated[
        bool,
        Meta(
            description="Hold messages with a picture that resembles one a moderator removed, and "
            "refuse it as an avatar."
        ),
    ] = True

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if self.hide_at < self.blur_at:
            yield "hide_at", "it must be at least safe_mode.blur_at"


UPLOADS = Limit("uploads", Allowance(300, HOUR), "Announcing files to upload.")
UPLOAD_REQUESTS = Limit(
    "upload_requests", Allowance(3000, MINUTE), "Sending parts of files, and asking where to go on."
)
FILE_URLS = Limit(
    "file_urls", Allowance(600, MINUTE), "Asking for download URLs, of up to 50 files at a time."
)
MANIFESTS = Limit("manifests", Allowance(60, HOUR), "Recording deliverables.")
APPEALS = Limit("appeals", Allowance(10, HOUR), "Appealing against the rating of a picture.")

SECTIONS = (FileRules, SafeModeRules)
LIMITS = (UPLOADS, UPLOAD_REQUESTS, FILE_URLS, MANIFESTS, APPEALS)
