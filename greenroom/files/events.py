"""The events of files, which are published to the owner after the commit.

Others learn of a file through the message, profile or thread that shows it.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.files.models import File


class FileReady(Struct, frozen=True):
    file: File


class FileRefused(Struct, frozen=True):
    """It ended badly: `file.state` says how."""

    file: File


class FileBanded(Struct, frozen=True):
    """A moderator set its band."""

    file: File


FileEvent: TypeAlias = FileReady | FileRefused | FileBanded

Publish: TypeAlias = Callable[[FileEvent], None]
"""Neither blocks nor fails."""


def discard(_: FileEvent) -> None:
    """Where there are no subscribers."""
