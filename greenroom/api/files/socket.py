"""Registers the socket events of files, with examples."""

from msgspec.structs import replace

from greenroom.api.files import frames
from greenroom.api.files.examples import PREFERENCES, READY, REFUSED
from greenroom.api.registry import Example, SocketEvent

EVENTS = (
    SocketEvent(frame=frames.FileReady, examples=(Example("a picture", frames.FileReady(READY)),)),
    SocketEvent(
        frame=frames.FileRefused,
        examples=(Example("a wrong checksum", frames.FileRefused(REFUSED)),),
    ),
    SocketEvent(
        frame=frames.FileBanded,
        examples=(Example("blurred", frames.FileBanded(replace(READY, band=1, version=4))),),
    ),
    SocketEvent(
        frame=frames.FilePreferencesChanged,
        examples=(Example("the default again", frames.FilePreferencesChanged(PREFERENCES)),),
    ),
)
