"""Descriptions and lengths of the properties of files."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.errors import MAX_CODE, MAX_DETAIL
from greenroom.files.appeal import MAX_NOTE
from greenroom.files.names import MAX_NAME
from greenroom.files.new_manifest import MAX_URL as MANIFEST_URL
from greenroom.messaging.text import MAX_TEXT
from greenroom.safety import decide

MAX_URL = 4096
_TYPE = 255

PROPERTIES: Mapping[str, Property] = {
    "fileId": id_property("The file's id."),
    "WantedFiles.fileIds": id_property("The files."),
    "WantedFiles.reveal": id_property(
        "Those of them that you want to see clearly, although they are blurred."
    ),
    "WantedFiles.variants": described("Only these versions of each file; all if left out."),
    "WantedFiles.download": described("Have the browser save the files instead of showing them."),
    "UrlsOfFiles.files": described("The files that exist and that you may see."),
    "UrlsOfFile.shown": described(
        "How the file is shown to you: `clear`, `blurred` until you ask for it, or `hidden`."
    ),
    "UrlsOfFile.canReveal": described("Whether `reveal` gives you the clear versions."),
    "UrlsOfFile.urls": text_property("The URLs that you may use now, by variant.", MAX_URL),
    "UrlsOfFiles.expiresAt": time_property("Until when the URLs work."),
    "safeMode": described(
        "`show` shows sensitive pictures and blurs explicit ones; `blur` blurs sensitive pictures "
        "until you ask for them and hides explicit ones; `hide` hides both."
    ),
    "file": described("The file."),
    "files": described("The files on this page."),
    "File.name": text_property("As it is shown: one line, without folders.", MAX_NAME),
    "NewFile.name": described("Its name on the user's device. Folders are removed."),
    "File.size": described("Its size in bytes."),
    "NewFile.size": described("Its size in bytes. Exactly as many have to be sent."),
    "FileVariant.size": described("Its size in bytes."),
    "UploadPart.size": described("Its size in bytes."),
    "sha256": text_property("The SHA-256 of its bytes, as 64 hexadecimal digits.", 64),
    "File.threadId": id_property("The conversation for which it was uploaded, if any."),
    "keepOriginal": described(
        "Whether others may download a picture or a video as it was uploaded, with its metadata, "
        "which may say where it was taken."
    ),
    "File.state": described("How far it has come."),
    "File.problem": described("Why it ended badly; null unless it did."),
    "FileProblem.type": text_property(
        "The problem type, as in an error response.", len("/problems/") + MAX_CODE
    ),
    "FileProblem.detail": text_property("The reason, for a person to read.", MAX_DETAIL),
    "scan": described("What the virus scanner said."),
    "File.type": text_property("The media type, found from the content.", _TYPE),
    "NewFile.type": described("The media type, as the client thinks. It is not believed."),
    "FileVariant.type": text_property("The media type.", _TYPE),
    "media": described("What it shows."),
    "width": described("Its width in pixels; 0 if it has none."),
    "height": described("Its height in pixels; 0 if it has none."),
    "thumbhash": text_property(
        "A ThumbHash in Base64: a blurred picture to show until the real one is there.", 64
    ),
    "durationMs": described("The duration of a video or a sound, in milliseconds; otherwise 0."),
    "waveform": text_property("Of a sound: 64 loudness values of a byte each, in Base64.", 128),
    "pages": described("The number of pages of a PDF; otherwise 0."),
    "File.band": described("How carefully it is shown: 0 show, 1 blur, 2 hide."),
    "rated": described("Whether the model or a moderator has decided the band."),
    "labels": described("What the model saw, with its confidence from 0 to 1."),
    "manifestId": id_property("The id of the record."),
    "ManifestRecord.number": described("Its place in the conversation's chain, from 1."),
    "ManifestRecord.name": text_property(
        "The name of the deliverable; null where it is withheld.", MAX_NAME
    ),
    "ManifestRecord.size": described("Its size in bytes."),
    "ManifestRecord.createdAt": time_property("When it was recorded."),
    "sealed": text_property(
        "The SHA-256 of what only members see: the salt, the conversation, the person and the URL.",
        64,
    ),
    "previous": text_property(
        "The hash of the record before it in the conversation; empty for the first.", 64
    ),
    "hash": text_property("The SHA-256 of all other public fields of the record.", 64),
    "withheld": described(
        "Whether a moderator has removed the record: its name and URL are not shown, and `hash` "
        "cannot be computed again."
    ),
    "Manifest.threadId": id_property("The conversation."),
    "Manifest.number": described("Its place in the conversation's chain, from 1."),
    "Manifest.name": text_property(
        "The name of the deliverable; null where it is withheld.", MAX_NAME
    ),
    "Manifest.size": described("Its size in bytes."),
    "Manifest.url": text_property("Where the deliverable is kept.", MANIFEST_URL),
    "Manifest.recordedByUserId": id_property("Who recorded it."),
    "Manifest.createdAt": time_property("When it was recorded."),
    "Manifest.salt": text_property("Random, so that `sealed` cannot be guessed.", 32),
    "manifests": described("The records, in the order of the chain."),
    "RecordedManifest.manifest": described("The record."),
    "RecordedManifest.message": described("The message that shows it."),
    "urlCheck": described("What the URL answered; null where the server does not ask."),
    "UrlCheck.reachable": described("Whether the URL answered with 200."),
    "UrlCheck.size": described("The size that it stated, in bytes; null if it stated none."),
    "NewManifest.name": described("The name of the deliverable."),
    "NewManifest.size": described("Its size in bytes."),
    "NewManifest.url": described("Where it is kept: http or https, without a password."),
    "NewManifest.caption": text_property("A text for the message.", MAX_TEXT),
    "NewManifest.clientMessageId": described(
        "An id that the client chooses. The same id is the same record."
    ),
    "canAppeal": described("Whether you can appeal against its band."),
    "NewAppeal.note": text_property("What the moderator should know.", MAX_NOTE),
    "NewBand.caseId": id_property("The case that the file belongs to."),
    "NewBand.band": described("0 shows it, 1 blurs it, 2 hides it."),
    "NewBand.reason": text_property("The reason that the owner sees.", decide.MAX_REASON),
    "NewBand.note": text_property("A note for staff.", decide.MAX_NOTE),
    "FileOfCase.caseId": id_property("The case that the file belongs to."),
    "FileOfCase.reveal": described("To see it without the blur."),
    "variants": described("The versions that the server made."),
    "variant": described("Which version it is."),
    "use": described("What the file is used for; null if nothing uses it."),
    "FileUse.kind": text_property("What kind of use.", 32),
    "FileUse.threadId": id_property("The conversation that shows it."),
    "FileUse.userId": id_property("The person that it shows."),
    "FileUse.messageId": id_property("The message that it is attached to."),
    "File.createdAt": time_property("When it was announced."),
    "changedAt": time_property("When it last changed."),
    "File.version": described("Counts its changes."),
    "upload": described("Where to send its bytes; null once all have arrived."),
    "protocol": described("How to send the bytes."),
    "Upload.url": text_property("Where to send the bytes. Relative to this server.", MAX_URL),
    "Upload.offset": described("How many bytes have arrived."),
    "partSize": described("The size of each part but the last."),
    "uploadedParts": described("The parts that have arrived."),
    "parts": described("The parts that are missing, at most 100."),
    "Upload.expiresAt": time_property("When the upload expires."),
    "UploadPart.number": described("Its number, from 1."),
    "UploadPart.offset": described("Where it begins in the file."),
    "UploadPart.method": text_property("The method of the request.", 8),
    "UploadPart.url": text_property("Where to send it.", MAX_URL),
    "UploadPart.headers": text_property("Headers to send with it.", MAX_URL),
    "Storage.bytes": described("How many bytes the caller's files have."),
    "Storage.files": described("How many files the caller has."),
    "quotaBytes": described("How many bytes they may have."),
    "maxFileBytes": described("How many bytes one file may have."),
    "filesPerMessage": described("How many files a message may have."),
    "FileChanges.changed": described("Files that are new or have changed."),
    "FileChanges.deleted": id_property("Files that were deleted."),
    "FileChanges.preferences": described(
        "How sensitive pictures are shown to you; null if that has not changed."
    ),
}

PARAMETERS: Mapping[str, str] = {"manifestId": "The id of the record.", "fileId": "The file's id."}
