"""The smallest context that uses files: boards, which some people may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from greenroom.files.models import File, Viewer
from greenroom.ids import FileId, UserId
from greenroom.people.actor import Actor


@dataclass
class Boards:
    seen_by: dict[str, dict[UserId, Viewer]] = field(default_factory=dict)
    """By board: its viewers."""
    asked: int = 0
    """How often somebody asked who may see files."""
    bands_shown: list[tuple[FileId, int]] = field(default_factory=list)

    def show(self, board: str, actor: Actor, viewer: Viewer | None = None) -> None:
        self.seen_by.setdefault(board, {})[actor.user] = viewer or Viewer()

    async def viewers(self, actor: Actor, files: Sequence[File]) -> Mapping[FileId, Viewer]:
        self.asked += 1
        found = {}
        for file in files:
            assert file.use is not None
            viewer = self.seen_by.get(file.use.target, {}).get(actor.user)
            if viewer is not None:
                found[file.id] = viewer
        return found

    async def show_band(self, file: File) -> None:
        self.bands_shown.append((file.id, file.band))
