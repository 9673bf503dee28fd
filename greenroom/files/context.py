"""What the files context works with. Use cases are functions that take it first.

A file is used by another context: a message, a profile. That context registers an `Audience`, which
says who may see the file; app.py fills it in, so that files need not know messaging.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from greenroom.blobs.base import Blobs
from greenroom.clock import Clock
from greenroom.files import public_fetch
from greenroom.files.events import Publish, discard
from greenroom.files.models import File, Viewer
from greenroom.files.pipeline import Pipeline
from greenroom.files.policy import FileRules, SafeModeRules
from greenroom.files.public_fetch import Reached
from greenroom.files.rater import Rater
from greenroom.files.scanner import Scanner
from greenroom.ids import FileId, Ids, ThreadId
from greenroom.people import People
from greenroom.people.actor import Actor
from greenroom.safety import Safety
from greenroom.store.base import Store
from greenroom.store.cursors import CursorCodec


class Audience(Protocol):
    """Who may see the files of one kind of use."""

    async def viewers(self, actor: Actor, files: Sequence[File]) -> Mapping[FileId, Viewer]:
        """Only of the files that the actor may see. All have a use of this kind. Many are often of
        one conversation: its member is read once."""

    async def show_band(self, file: File) -> None:
        """Called after a moderator has set the file's band: what shows the file must tell it.
        Idempotent."""


class Threads(Protocol):
    """What files need to know of conversations."""

    async def check_may_attach(self, actor: Actor, thread: ThreadId) -> None:
        """Raises the refusal that sending a file there would get."""


@dataclass(frozen=True)
class Files:
    store: Store
    blobs: Blobs
    people: People
    safety: Safety
    clock: Clock
    ids: Ids
    cursors: CursorCodec
    pipeline: Pipeline
    policy: FileRules = field(default_factory=FileRules)
    safe_mode: SafeModeRules = field(default_factory=SafeModeRules)
    scanner: Scanner | None = None
    """None where no virus scanner is configured."""
    rater: Rater | None = None
    """None where the model is not installed."""
    threads: Threads | None = None
    """Filled in by messaging."""
    audiences: Mapping[str, Audience] = field(default_factory=dict)
    """By the kind of use. Each context adds its own."""
    publish: Publish = discard
    ask_url: Callable[[str], Awaitable[Reached]] = public_fetch.ask
    """Whether the URL of a manifest answers. Called only where the policy says so."""

    async def close(self) -> None:
        """Ends the processes that work for it."""
        await self.pipeline.close()
        if self.rater is not None:
            await self.rater.close()
