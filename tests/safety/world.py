"""A small world with named people: Ana and Ben talk, Cleo looks on, Mod and Mona moderate.

Adi is an admin. What messaging will do with a decision is written down by `Notes`.
"""

import dataclasses
from dataclasses import dataclass, field

from greenroom.clock import HeldClock
from greenroom.ids import Ids, MessageId, ThreadId, UserId
from greenroom.people import People
from greenroom.people.actor import Actor, StaffRole, system, with_role
from greenroom.people.join import join
from greenroom.people.records import TABLES as PEOPLE_TABLES
from greenroom.safety import Safety
from greenroom.safety.access import find
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.events import SafetyEvent
from greenroom.safety.grant import grant
from greenroom.safety.hold import held_ops
from greenroom.safety.limits import Limits
from greenroom.safety.models import (
    Case,
    CaseId,
    Decision,
    Entry,
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

TABLES = (*SAFETY_TABLES, *PEOPLE_TABLES)
THREAD = ThreadId("thr_of_ana_and_ben")


class Broken(Exception):
    """The process is gone, as far as one can tell."""


@dataclass
class Notes:
    """Writes down what it is asked to do; `breaks` is at which of them the light goes out."""

    done: list[tuple[str, str]] = field(default_factory=list)
    breaks: str = ""
    locked: bool = False
    blocked: bool = False
    """What is released cannot enter its thread any more."""
    parties: set[UserId] = field(default_factory=set)
    """Who takes part in the thread."""

    async def check_release(self, case: Case) -> None:
        if self.locked:
            raise CannotRelease("it is locked")

    async def release(self, case: Case) -> bool:
        self._note("release", case.id)
        return not self.blocked

    async def remove(self, case: Case) -> None:
        self._note("remove", case.id)

    async def takes_part(self, thread: ThreadId, user: UserId) -> bool:
        return user in self.parties

    async def fold(self, user: UserId) -> None:
        self._note("fold", user)

    def _note(self, what: str, whom: str) -> None:
        if self.breaks == what:
            raise Broken
        self.done.append((what, whom))


@dataclass
class World:
    safety: Safety
    clock: HeldClock
    notes: Notes
    told: list[SafetyEvent]
    ana: Actor
    ben: Actor
    cleo: Actor
    mod: Actor
    mona: Actor
    adi: Actor

    @property
    def store(self) -> Store:
        return self.safety.store

    async def person(self, name: str) -> Actor:
        return Actor((await join(self.safety.people, name)).id)

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
    ) -> Entry:
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


async def furnished(store: Store, clock: HeldClock) -> World:
    ids = Ids(clock)
    people = People(store, clock, ids)
    notes, told = Notes(), list[SafetyEvent]()
    safety = Safety(store, people, clock, ids, Limits(store, clock))
    safety = dataclasses.replace(safety, enforcer=notes, tell=told.append)
    ana, ben, cleo = [Actor((await join(people, name)).id) for name in ("ana", "ben", "cleo")]
    moderator, admin = StaffRole.MODERATOR, StaffRole.ADMIN
    staff = [(name, moderator) for name in ("mod", "mona")] + [("adi", admin)]
    mod, mona, adi = [await _hired(safety, name, role) for name, role in staff]
    told.clear()
    return World(safety, clock, notes, told, ana, ben, cleo, mod, mona, adi)


async def _hired(safety: Safety, name: str, role: StaffRole) -> Actor:
    user = (await join(safety.people, name)).id
    await grant(safety, system(), user, role)
    return with_role(Actor(user), role)
