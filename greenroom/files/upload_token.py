"""Signs the URL of an upload, so that a long upload does not depend on the life of a token.

It is valid for this file, in the name of its owner, until the file expires.
"""

from greenroom.files.context import Files
from greenroom.files.create_file import expires_ms
from greenroom.files.models import File
from greenroom.files.problems import LinkExpired
from greenroom.ids import FileId, UserId
from greenroom.people.actor import Actor
from greenroom.store.problems import InvalidCursor

MAX_UPLOAD_TOKEN = 256


def upload_token(files: Files, file: File) -> str:
    text = f"{expires_ms(files, file)} {file.owner}"
    return files.cursors.seal_text(_scope(file.id), text)


def uploader(files: Files, file_id: FileId, token: str) -> Actor:
    """The owner of the file. Raises `LinkExpired`."""
    try:
        text = files.cursors.unseal_text(_scope(file_id), token[:MAX_UPLOAD_TOKEN])
    except InvalidCursor:
        raise LinkExpired from None
    until_ms, _, owner = text.partition(" ")
    if files.clock.now_ms() >= int(until_ms):
        raise LinkExpired
    return Actor(UserId(owner))


def _scope(file_id: FileId) -> bytes:
    return f"upload {file_id}".encode()
