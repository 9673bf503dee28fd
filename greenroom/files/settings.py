"""The settings of files."""

import os
from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.settings import SettingsGroup


class FileSettings(SettingsGroup, frozen=True):
    group: ClassVar = "files"
    workers: Annotated[
        int,
        Meta(
            ge=0,
            le=256,
            description="Pictures and documents that are decoded at once; half as many videos and "
            "sounds. `0` means one for each core.",
        ),
    ] = 0
    memory_mb: Annotated[
        int,
        Meta(
            ge=256,
            le=100_000,
            description="Memory that decoding one file may take, in MB. A picture that takes more "
            "is refused.",
        ),
    ] = 2000
    rate_pictures: Annotated[
        bool,
        Meta(
            description="Whether the model rates pictures for safe mode, where it is installed. A "
            "picture that was not rated is blurred for strangers."
        ),
    ] = True

    @property
    def decoders(self) -> int:
        return self.workers or os.cpu_count() or 1

    @property
    def memory_bytes(self) -> int:
        return self.memory_mb * 1_000_000
