"""The shared world with safety's verbs: Ana and Ben talk, Cleo watches, Mod and Mona moderate.

Adi is an admin. `RecordingEnforcer` stands in for what messaging does with a decision.
"""

import dataclasses
from dataclasses import dataclass, field

from greenroom.clock import ManualClock
from greenroom.ids import FileId, MessageId, ThreadId, UserId
from greenroom.people.actor import Actor, StaffRole, with_role
from greenroom.people.records import TABLES as PEOPLE_TABLES
from greenroom.safety.access import find
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.events import SafetyEvent
from greenroom.safety.hold import held_ops
from greenroom.safety.models import (
    AuditEntry,
    Case,
    CaseId,
    Decision,
    HeldMessage,
    Reason,
    SentMessage,
    case_id,
)
from greenroom.safety.problems import CannotRelease
from greenroom.safety.records import TABLES as SAFETY_TABLES
from greenroom.safety.report import report
from greenroom.safety.verdict import Hold, PolicyTag
from greenroom.store.base import Store
from greenroom.store.ephemeral import EPHEMERAL
from tests.world import World

TABLES = (*SAFETY_TABLES, *PEOPLE_TABLES, EPHEMERAL)
THREAD = ThreadId("thr_of_ana_and_ben")


class Broken(Exception):
    """Stands for a crash of the process."""


@dataclass
class RecordingEnforcer:
    """Records what it is asked to do, and crashes at the step that `breaks` names."""

    done: list[tuple[str, str]] = field(default_factory=list)
    breaks: str = ""
    locked: bool = False
    blocked: bool = False
    """A released message cannot enter its thread any more."""
    parties: set[UserId] = field(default_factory=set)
    """Who is in the thread."""

    async def check_release(self, case: Case) -> None:
        if self.locked:
            raise CannotRelease("it is locked")

    async def release(self, case: Case) -> bool:
        self._note("release", case.id)
        return not self.blocked

    async def remove(self, case: Case) -> None:
        self._note("remove", case.id)

    async def set_band(self, file: FileId, band: int, by: UserId, at_ms: int) -> None:
        self._note(f"band {band}", file)

    async def takes_part(self, thread: ThreadId, user: UserId) -> bool:
        return user in self.parties

    async def close_requests(self, user: UserId) -> None:
        self._note("close requests", user)

    def _note(self, what: str, whom: str) -> None:
        if self.breaks == what:
            raise Broken
        self.done.append((what, whom))


@dataclass(eq=False)
class SafetyWorld(World):
    enforcer: RecordingEnforcer = field(default_factory=RecordingEnforcer)
    published: list[SafetyEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.safety = dataclasses.replace(
            self.safety, enforcer=self.enforcer, publish=self.published.append
        )

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
        return with_role(self.actors["mod"], StaffRole.MODERATOR)

    @property
    def mona(self) -> Actor:
        return with_role(self.actors["mona"], StaffRole.MODERATOR)

    @property
    def adi(self) -> Actor:
        return with_role(self.actors["adi"], StaffRole.ADMIN)

    async def report_message(
        self,
        by: Actor,
        message: str = "msg_1",
        *,
        author: Actor | None = None,
        reason: Reason = Reason.SPAM,
        text: str = "buy my things",
    ) -> CaseId:
        subject = SentMessage(THREAD, MessageId(message))
        about = (author or self.ben).user
        await report(self.safety, by, subject, reason, about=about, text=text)
        return case_id(subject)

    async def hold(self, author: Actor, client_id: str, text: str = "EARN $$$ DAILY") -> CaseId:
        verdict = Hold(reason="score", policy_tags=(PolicyTag.SPAM,))
        ops = held_ops(
            self.safety,
            HeldMessage(THREAD, author.user, client_id),
            text,
            verdict,
        )
        await self.store.write(*ops)
        return case_id(HeldMessage(THREAD, author.user, client_id))

    async def case(self, case: CaseId) -> Case:
        found = await find(self.safety, case)
        assert found is not None
        return found

    async def decide(
        self,
        case: CaseId,
        decision: Decision,
        *,
        by: Actor | None = None,
        until_ms: int | None = None,
    ) -> AuditEntry:
        claimed = await claim(self.safety, by or self.mod, case)
        return await decide(
            self.safety,
            by or self.mod,
            case,
            decision,
            version=claimed.version,
            reason="be kind",
            note="as agreed",
            until_ms=until_ms,
        )


async def safety_world(store: Store, clock: ManualClock) -> SafetyWorld:
    world = SafetyWorld.over(store, clock)
    for name in ("ana", "ben", "cleo"):
        await world.person(name)
    for name in ("mod", "mona"):
        await world.person(name, role=StaffRole.MODERATOR)
    await world.person("adi", role=StaffRole.ADMIN)
    world.published.clear()
    return world
