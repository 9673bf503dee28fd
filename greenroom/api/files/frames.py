"""The socket events of files. They go to the owner: others learn of a file from its message."""

from greenroom.api.files.shapes import File, FilePreferences
from greenroom.api.ws.frames import Frame


class FileReady(Frame, tag="file.ready"):
    """One of your files has passed its check and can be downloaded."""

    file: File
    """The file, as it is now."""


class FileRefused(Frame, tag="file.refused"):
    """One of your files ended badly: `state` and `problem` say how. Its bytes are removed."""

    file: File
    """The file, as it is now."""


class FileBanded(Frame, tag="file.banded"):
    """A moderator has decided how carefully one of your files is shown."""

    file: File
    """The file, as it is now."""


class FilePreferencesChanged(Frame, tag="file_preferences.changed"):
    """You have chosen how sensitive pictures are shown to you, on this device or another. Ask for
    the URLs of the pictures on screen again."""

    preferences: FilePreferences
    """Your preferences, as they are now."""
