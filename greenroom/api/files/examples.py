"""Examples of every request, response and event of files."""

from collections.abc import Mapping

from msgspec.structs import replace

from greenroom.api.example_cursor import NEXT
from greenroom.api.example_values import LATER, SAID, THREAD
from greenroom.api.files.manifest_shapes import MANIFEST_RECORD
from greenroom.api.files.rest import ratings
from greenroom.api.files.rest.file_urls import UrlsOfFile, UrlsOfFiles, WantedFiles
from greenroom.api.files.rest.files import NewFile
from greenroom.api.files.shapes import (
    File,
    FileList,
    FilePreferences,
    FileProblem,
    FileVariant,
    Storage,
)
from greenroom.api.files.upload_shapes import FileUpload, Upload
from greenroom.api.route_docs import OperationExample
from greenroom.api.safety.examples import CASE, CASE_FILE
from greenroom.files.models import FileState, Media, SafeMode, Scan, Shown, Variant
from greenroom.ids import FileId

_SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
NEW = File(
    file_id=FileId("fil_01k75q8h3f2m4p6r8t0v2x4z6b"),
    name="moodboard.jpg",
    size=3_482_113,
    sha256=_SHA256,
    thread_id=THREAD,
    keep_original=False,
    state=FileState.UPLOADING,
    problem=None,
    scan=Scan.UNSCANNED,
    type="",
    media=Media.OTHER,
    width=0,
    height=0,
    thumbhash="",
    duration_ms=0,
    waveform="",
    pages=0,
    band=0,
    rated=False,
    labels={},
    can_appeal=False,
    variants=[],
    use=None,
    created_at=SAID,
    changed_at=SAID,
    version=1,
)
CHECKING = replace(NEW, state=FileState.CHECKING, changed_at=LATER, version=2)
READY = replace(
    CHECKING,
    state=FileState.READY,
    scan=Scan.CLEAN,
    type="image/jpeg",
    media=Media.PICTURE,
    width=4032,
    height=3024,
    thumbhash="1QcSHQRnh493V4dIh4eXh1h4kJUI",
    rated=True,
    labels={"neutral": 0.97, "drawing": 0.02},
    variants=[FileVariant(Variant.SMALL, "image/webp", 14_204, 320, 240)],
    version=3,
)
_BLURRED = replace(READY, band=1, labels={"sexy": 0.71, "neutral": 0.27}, version=4)
REFUSED = replace(
    CHECKING,
    state=FileState.REFUSED,
    problem=FileProblem(
        "/problems/checksum-mismatch",
        "The bytes that arrived are not those that were announced. Upload the file again.",
    ),
    version=3,
)
_UPLOAD = Upload(
    protocol="tus",
    url=f"/v1/uploads/{NEW.file_id}?token=Gm4qf3v0sS1m9Zb7yQx2cA",
    offset=0,
    part_size=None,
    uploaded_parts=[],
    parts=[],
    expires_at="2025-10-10T09:12:07.123Z",
)
FILE = FileId("fil_01k75q8k7f9h1k3m5p7r9t1w3y")
_OTHER_FILE = FileId("fil_01k75q8k7g0j2m4p6r8t0v2x4z")
_URL = f"/v1/blobs/msg-previews/{FILE}/medium?expires=1760001187&type=image%2Fwebp&signature=…"
PREFERENCES = FilePreferences(SafeMode.BLUR)

_URLS = UrlsOfFiles(
    [
        UrlsOfFile(FILE, Shown.CLEAR, False, {Variant.MEDIUM: _URL}),
        UrlsOfFile(_OTHER_FILE, Shown.HIDDEN, False, {}),
    ],
    "2025-10-09T09:13:07.000Z",
)

_BLURRED_URL = _URL.replace("medium", "blurred")
_MODERATOR_URLS = UrlsOfFiles(
    [UrlsOfFile(FILE, Shown.BLURRED, True, {Variant.BLURRED: _BLURRED_URL})],
    "2025-10-09T09:13:07.000Z",
)

EXAMPLES: Mapping[str, OperationExample] = {
    "createFile": OperationExample(
        {201: FileUpload(NEW, _UPLOAD)},
        NewFile(NEW.name, NEW.size, _SHA256, "image/jpeg", THREAD),
    ),
    "getFiles": OperationExample({200: FileList([READY, REFUSED], NEXT)}),
    "getFile": OperationExample({200: READY}),
    "getUpload": OperationExample({200: FileUpload(NEW, replace(_UPLOAD, offset=1_048_576))}),
    "completeUpload": OperationExample({200: CHECKING}),
    "getStorage": OperationExample({200: Storage(3_482_113, 1, 20_000_000_000, 1_000_000_000, 10)}),
    "getFileUrls": OperationExample(
        {200: _URLS}, WantedFiles([FILE, _OTHER_FILE], variants=[Variant.MEDIUM])
    ),
    "appeal": OperationExample(
        {201: _BLURRED}, ratings.NewAppeal("These are the paintings of our exhibition.")
    ),
    "setBand": OperationExample(
        {200: CASE_FILE}, ratings.NewBand(CASE, 1, "Nudity is blurred here.", "A painting.")
    ),
    "getFileUrlsAsModerator": OperationExample(
        {200: _MODERATOR_URLS}, ratings.FileOfCase(CASE, False)
    ),
    "getManifest": OperationExample({200: MANIFEST_RECORD}),
    "getFilePreferences": OperationExample({200: PREFERENCES}),
    "setFilePreferences": OperationExample({200: PREFERENCES}, PREFERENCES),
}
