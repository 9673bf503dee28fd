"""The shared world with files: Ana and Ben see the board `walls`, Cleo does not. Mod and Mona
moderate, Adi is an admin. Events of files and of moderation are recorded."""

import dataclasses
from dataclasses import dataclass, field

from greenroom.clock import ManualClock
from greenroom.files.access import load
from greenroom.files.events import FileEvent
from greenroom.files.models import File
from greenroom.ids import FileId, ThreadId
from greenroom.messaging.models import Message, NewAttachment
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.report import report_message
from greenroom.messaging.send import send
from greenroom.people.actor import Actor, StaffRole, with_role
from greenroom.safety.claim import claim
from greenroom.safety.events import SafetyEvent
from greenroom.safety.models import CaseId, Reason, SentMessage, case_id
from greenroom.store.base import Store
from tests.files.boards import Boards
from tests.files.ready_files import picture, stored
from tests.messaging.world import MessagingWorld
from tests.world import TABLES as TABLES

BOARD = "walls"
_STAFF = {"mod": StaffRole.MODERATOR, "mona": StaffRole.MODERATOR, "adi": StaffRole.ADMIN}


@dataclass(eq=False)
class FilesWorld(MessagingWorld):
    boards: Boards = field(default_factory=Boards)
    file_events: list[FileEvent] = field(default_factory=list)
    safety_events: list[SafetyEvent] = field(default_factory=list)

    @property
    def ana(self) -> Actor:
        return self.actors["ana"]

    @property
    def ben(self) -> Actor:
        return self.actors["ben"]

    @property
    def cleo(self) -> Actor:
        return self.actors["cleo"]

    @property
    def mod(self) -> Actor:
        return self.actors["mod"]

    @property
    def adi(self) -> Actor:
        return self.actors["adi"]

    async def file(self, file_id: FileId) -> File:
        found = await load(self.files, file_id)
        assert found is not None
        return found

    async def send_picture(
        self, name: str, thread: ThreadId, caption: str = "", **fields: object
    ) -> tuple[File, Message]:
        """A message with one picture, which is ready."""
        owner = self.actors[name]
        file = picture(self.files, owner, thread=thread, **fields)
        await stored(self.files, file)
        outgoing = Outgoing(f"p-{file.id[-8:]}", caption, attachments=(NewAttachment(file.id, ""),))
        sent = await send(self.messaging, owner, thread, outgoing)
        assert isinstance(sent, Sent)
        return await self.file(file.id), sent.message

    async def reported(self, reporter: str, message: Message) -> CaseId:
        await report_message(
            self.messaging, self.actors[reporter], message.thread, message.id, Reason.NSFW
        )
        return case_id(SentMessage(message.thread, message.id))

    async def claimed(self, moderator: Actor, case: CaseId) -> CaseId:
        await claim(self.safety, moderator, case)
        return case


async def files_world(store: Store, clock: ManualClock) -> FilesWorld:
    world = FilesWorld.over(store, clock)
    safety = dataclasses.replace(world.safety, publish=world.safety_events.append)
    known = {**world.files.audiences, "board": world.boards}
    world.contexts.add(safety)
    world.contexts.add(
        dataclasses.replace(
            world.files, audiences=known, safety=safety, publish=world.file_events.append
        )
    )
    for name in ("ana", "ben", "cleo"):
        await world.person(name)
    for name, role in _STAFF.items():
        world.actors[name] = with_role(await world.person(name, role=role), role)
    world.boards.show(BOARD, world.ana)
    world.boards.show(BOARD, world.ben)
    return world
