"""The events of files, which are published to their owner after the commit.

Others learn of a file through the message, profile or thread that shows it.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.files.models import File, SafeMode
from greenroom.ids import UserId


class FileReady(Struct, frozen=True):
    file: File


class FileRefused(Struct, frozen=True):
    """It ended badly: `file.state` says how."""

    file: File


class FileBanded(Struct, frozen=True):
    """A moderator set its band."""

    file: File


class FilePreferencesChanged(Struct, frozen=True):
    """The user has chosen how sensitive pictures are shown to them."""

    user: UserId
    safe_mode: SafeMode


FileEvent: TypeAlias = FileReady | FileRefused | FileBanded | FilePreferencesChanged

Publish: TypeAlias = Callable[[FileEvent], None]
"""Neither blocks nor fails."""


def discard(_: FileEvent) -> None:
    """Where there are no subscribers."""
