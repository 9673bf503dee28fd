"""The refusals of files."""

from greenroom.errors import Clause, Problem


class FileNotFound(Problem):
    """There is no such file."""


class InvalidFile(Problem):
    """The {name} is not valid: {reason}."""

    field: str
    """Its name in the API."""
    name: Clause
    reason: Clause


class FileTooLarge(Problem):
    """A file can have at most {most_bytes} bytes."""

    most_bytes: int


class QuotaExceeded(Problem):
    """There is not enough room for this file: {used_bytes} of {quota_bytes} bytes are used. Delete
    files that you no longer need."""

    used_bytes: int
    quota_bytes: int


class FileInUse(Problem):
    """The file belongs to a message or profile. Delete that instead."""


class FileNotReady(Problem):
    """The file is {state}. Only a file that is ready can be used here."""

    state: str


class UploadFinished(Problem):
    """This file is already uploaded."""


class UploadConflict(Problem):
    """Continue the upload at byte {offset}."""

    offset: int


class UploadIncomplete(Problem):
    """The upload is not complete: {missing_bytes} bytes are missing."""

    missing_bytes: int


class SizeExceeded(Problem):
    """The file was announced with {announced_bytes} bytes, and more were sent."""

    announced_bytes: int


class ChunkDamaged(Problem):
    """The bytes that arrived do not have the checksum that was sent with them. Send them again."""


class UploadCutOff(Problem):
    """The connection was closed before the end of the request."""


class TooManyUploads(Problem):
    """You are sending {most} files at the same time. Wait until one has arrived."""

    most: int


class UploadInParts(Problem):
    """This server takes files in parts, and not by tus. Announce the file with POST /v1/files."""


class AlreadyAppealed(Problem):
    """You have appealed against this rating before."""


class NothingToAppeal(Problem):
    """This file is neither blurred nor hidden, so there is nothing to review."""


class ManifestNotFound(Problem):
    """There is no such manifest."""


class LinkExpired(Problem):
    """This link has expired or was changed. Ask for a new one."""
