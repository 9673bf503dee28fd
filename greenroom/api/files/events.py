"""Publishes the events of files to their owner."""

from typing import TypeAlias

from greenroom.api.files import frames
from greenroom.api.files.shapes import FilePreferences, file_shape
from greenroom.api.ws.encode import encode
from greenroom.files import events
from greenroom.files.events import FileEvent, FilePreferencesChanged
from greenroom.ids import UserId
from greenroom.realtime.bus import Bus, BusMessage, user_topic

_Frame: TypeAlias = (
    frames.FileReady | frames.FileRefused | frames.FileBanded | frames.FilePreferencesChanged
)


class FileEvents:
    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def publish(self, event: FileEvent) -> None:
        frame = rendered(event)
        message = BusMessage(str(frame.__struct_config__.tag), encode(frame))
        self._bus.publish((user_topic(_owner(event)),), message)


def _owner(event: FileEvent) -> UserId:
    return event.user if isinstance(event, FilePreferencesChanged) else event.file.owner


def rendered(event: FileEvent) -> _Frame:
    if isinstance(event, FilePreferencesChanged):
        return frames.FilePreferencesChanged(FilePreferences(event.safe_mode))
    shape = file_shape(event.file)
    match event:
        case events.FileReady():
            return frames.FileReady(shape)
        case events.FileRefused():
            return frames.FileRefused(shape)
        case events.FileBanded():
            return frames.FileBanded(shape)
