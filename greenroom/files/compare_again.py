"""Compares a file that is ready with the pictures that moderators have removed since its upload:
its check has compared it with those before."""

from msgspec.structs import replace

from greenroom.files.context import Files
from greenroom.files.models import File


async def compared_again(files: Files, file: File) -> File:
    """Costs nothing if it has no picture, or if such pictures are not held. Nothing is written:
    the caller stores `resembles` with the next change of the file."""
    if not files.safe_mode.hold_resembling or file.resembles is not None or not file.hashes:
        return file
    hashes = (*file.hashes, *file.mirrored_hashes)
    found = await files.pipeline.removed.resembling(hashes, since_ms=file.created_ms)
    return replace(file, resembles=found)
