"""Permissions of staff: every actor, every subject and every act, over REST.

The table is `greenroom/safety/permissions.py`, printed in docs/reference/roles.md. Each cell has
its own people.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count

import pytest
from httpx import Response

from greenroom.files import Files
from greenroom.files.items import file_item
from greenroom.files.records import FILES
from greenroom.ids import UserId
from greenroom.people import People
from greenroom.people.actor import Actor, Scope, StaffRole, system
from greenroom.people.suspend import suspend
from greenroom.safety import Safety
from greenroom.safety.grant import grant, revoke
from greenroom.safety.models import Reason, SomePerson
from greenroom.safety.permissions import JUDGING, Act, Rank, allowed
from greenroom.safety.report import report
from greenroom.store.base import Put
from tests.api.populated import SCAM
from tests.api.world import ApiWorld, ok_json, refused
from tests.files import ready_files

ROLES = {
    Rank.USER: None,
    Rank.MODERATOR: StaffRole.MODERATOR,
    Rank.ADMIN: StaffRole.ADMIN,
    Rank.SERVICE: None,
}
REFUSALS = {
    "not-allowed",
    "case-not-found",
    "own-case",
    "admins-only",
    "not-to-yourself",
    "revoke-role-first",
    "invalid-report",
    "account-suspended",
}
"""The refusals of an act that is not permitted. Any other is a bug of the test or the server."""


@dataclass(frozen=True)
class StaffActor:
    """An actor with a role, possibly one that was just revoked."""

    rank: Rank
    was: Rank | None = None
    reported: bool = False

    def __str__(self) -> str:
        return f"{self.was or self.rank}{' revoked' * bool(self.was)}{' reporter' * self.reported}"


ACTORS = (
    *(StaffActor(rank) for rank in Rank),
    *(StaffActor(Rank.USER, was=rank) for rank in (Rank.MODERATOR, Rank.ADMIN)),
    *(StaffActor(rank, reported=True) for rank in (Rank.USER, Rank.MODERATOR, Rank.ADMIN)),
)
SUBJECTS = (Rank.USER, Rank.MODERATOR, Rank.ADMIN, None)
"""None: the actor."""
NOT_REPORTED = {Act.RELEASE, Act.REMOVE, Act.BAND}
"""Acts on held messages and on ratings."""
_numbers = count(1)


class Cell:
    """New people, one of whom tries an act."""

    def __init__(self, world: ApiWorld, who: StaffActor) -> None:
        self.world = world
        self.who = who
        self.case = ""
        self.actor = self.subject = self.witness = ""

    async def seed(self, act: Act, subject: Rank | None) -> None:
        world, number = self.world, next(_numbers)
        self.actor, self.witness = f"act{number}", f"wit{number}"
        await world.join(self.actor, ROLES[self.who.was or self.who.rank])
        await world.join(self.witness)
        self.subject = self.actor
        if subject is not None:
            self.subject = f"sub{number}"
            await world.join(self.subject, ROLES[subject])
        if act in JUDGING:
            self.case = await self._opened(act)
        if self.who.reported and subject is not None and act in JUDGING:
            await self._report_as_actor(act)
        if self.who.was is not None:
            await self._revoked()
        if act is Act.REINSTATE:
            await suspend(world.contexts[People], self.id(self.subject), None, "spam")
        world.clock.advance(seconds=3)

    def id(self, name: str) -> UserId:
        return UserId(self.world.ids[name])

    async def ask(self, method: str, path: str, body: object = None) -> Response:
        if self.who.rank is Rank.SERVICE:
            headers = self.world.bearer("shop", Scope.SERVICE)
            return await self.world.client.request(method, f"/v1{path}", headers=headers, json=body)
        return await self.world.ask(self.actor, method, path, body)

    async def _opened(self, act: Act) -> str:
        """A case about the subject that the act can decide."""
        if act in (Act.RELEASE, Act.REMOVE):
            thread = await self.world.talk(self.witness, self.subject)
            body = {"body": f"{SCAM} {self.subject}", "clientMessageId": "c"}
            path = f"/threads/{thread}/messages"
            ok_json(await self.world.ask(self.subject, "POST", path, body), 202)
            [item] = (await self.world.get(self.subject, "/me/held"))["held"]
            assert item["clientMessageId"] == "c"
            return await self._case_id()
        if act is Act.BAND:
            files, owner = self.world.contexts[Files], Actor(self.id(self.subject))
            file = ready_files.picture(files, owner, band=1)
            await files.store.write(Put(FILES, file_item(file)))
            path = f"/files/{file.id}/appeals"
            ok_json(await self.world.ask(self.subject, "POST", path, {"note": "A face."}), 201)
            return await self._case_id()
        subject, safety = SomePerson(self.id(self.subject)), self.world.contexts[Safety]
        await report(safety, Actor(self.id(self.witness)), subject, Reason.SPAM)
        return await self._case_id()

    async def _case_id(self) -> str:
        admin = f"adm{self.subject}"
        await self.world.join(admin, StaffRole.ADMIN)
        cursor = ""
        while True:
            page = await self.world.get(admin, f"/moderation/queue?limit=50{cursor}")
            for case in page["cases"]:
                if case["aboutUserId"] == self.id(self.subject):
                    return str(case["caseId"])
            cursor = f"&cursor={page['next']}"

    async def _report_as_actor(self, act: Act) -> None:
        """Reports the subject of the case. A held message or a rating cannot be reported."""
        if act not in NOT_REPORTED:
            body = {"reason": "spam", "userId": self.id(self.subject)}
            ok_json(await self.world.ask(self.actor, "POST", "/reports", body), 201)

    async def _revoked(self) -> None:
        ok_json(
            await self.world.ask(self.actor, "GET", "/moderation/queue")
        )  # while the role lasted
        await revoke(self.world.contexts[Safety], system(), self.id(self.actor))


async def _report(cell: Cell) -> Response:
    body = {"reason": "spam", "userId": cell.id(cell.subject)}
    return await cell.ask("POST", "/reports", body)


async def _claim(cell: Cell) -> Response:
    return await cell.ask("POST", f"/moderation/cases/{cell.case}/claim")


def _decide(decision: str) -> Callable[[Cell], Awaitable[Response]]:
    async def act(cell: Cell) -> Response:
        """Regardless of the claim: the decision is refused on its own."""
        claimed = await _claim(cell)
        version = claimed.json()["version"] if claimed.status_code == 200 else 1
        body = {"decision": decision, "version": version, "reason": "Be kind."}
        if decision == "suspend":
            body["forGood"] = True
        if decision == "band":
            body["band"] = 0
        return await cell.ask("POST", f"/moderation/cases/{cell.case}/decide", body)

    return act


async def _reinstate(cell: Cell) -> Response:
    path = f"/moderation/people/{cell.id(cell.subject)}/reinstate"
    return await cell.ask("POST", path, {"reason": "A mistake."})


async def _grant(cell: Cell) -> Response:
    return await cell.ask("PUT", f"/staff/{cell.id(cell.subject)}", {"role": "moderator"})


async def _revoke(cell: Cell) -> Response:
    return await cell.ask("DELETE", f"/staff/{cell.id(cell.subject)}")


async def _read_log(cell: Cell) -> Response:
    return await cell.ask("GET", f"/moderation/people/{cell.id(cell.subject)}/audit-log")


TRY: dict[Act, Callable[[Cell], Awaitable[Response]]] = {
    Act.REPORT: _report,
    Act.CLAIM: _claim,
    Act.RELEASE: _decide("release"),
    Act.DISMISS: _decide("dismiss"),
    Act.REMOVE: _decide("remove"),
    Act.BAND: _decide("band"),
    Act.WARN: _decide("warn"),
    Act.SUSPEND: _decide("suspend"),
    Act.REINSTATE: _reinstate,
    Act.GRANT: _grant,
    Act.REVOKE: _revoke,
    Act.READ_LOG: _read_log,
}


def _expected(act: Act, who: StaffActor, subject: Rank | None) -> bool:
    has_reported = who.reported and act in JUDGING - NOT_REPORTED
    rank = who.rank if subject is None else subject
    is_self = subject is None and who.rank is not Rank.SERVICE
    rank = Rank.USER if rank is Rank.SERVICE else rank
    return allowed(act, who.rank, rank, is_self=is_self, has_reported=has_reported)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("act", Act)
async def test_every_cell_of_the_table_holds(sqlite_world: ApiWorld, act: Act) -> None:
    wrong, both = [], set()
    for who in ACTORS:
        for subject in SUBJECTS:
            cell = Cell(sqlite_world, who)
            await cell.seed(act, subject)
            answer = await TRY[act](cell)
            code = "" if answer.is_success else answer.json()["type"].rpartition("/")[2]
            assert code in REFUSALS | {"", "not-staff"}, answer.text
            may, expected = code in ("", "not-staff"), _expected(act, who, subject)
            both.add(expected)
            if may is not expected:
                wrong.append(f"{who} on {subject or 'self'}: {answer.status_code} {code}")
    assert wrong == []
    assert both == {True, False}


async def _queue_of(world: ApiWorld, name: str) -> set[str]:
    return {one["aboutUserId"] for one in (await world.get(name, "/moderation/queue"))["cases"]}


async def test_the_queue_shows_staff_only_cases_they_may_decide(world: ApiWorld) -> None:
    for name, role in (("mia", StaffRole.MODERATOR), ("amy", StaffRole.ADMIN)):
        await world.join(name, role)
    for by, about in (("ana", "ben"), ("ana", "mod"), ("ana", "adi"), ("mia", "cleo")):
        body = {"reason": "spam", "userId": world.ids[about]}
        ok_json(await world.ask(by, "POST", "/reports", body), 201)
    ids = world.ids
    assert await _queue_of(world, "mod") == {ids["ben"], ids["cleo"]}
    assert await _queue_of(world, "mia") == {ids["ben"]}, "she has reported Cleo herself"
    assert await _queue_of(world, "adi") == {ids["ben"], ids["cleo"], ids["mod"]}
    assert await _queue_of(world, "amy") == {ids["ben"], ids["cleo"], ids["mod"], ids["adi"]}


async def test_staff_cannot_find_out_that_they_were_reported(world: ApiWorld) -> None:
    """A case's id is derived from its subject, so a moderator can compute it."""
    body = {"reason": "spam", "userId": world.ids["mod"]}
    ok_json(await world.ask("ana", "POST", "/reports", body), 201)
    [case] = (await world.get("adi", "/moderation/queue"))["cases"]
    missing = "cas_aaaaaaaaaaaaaaaaaaaaaaaa"
    for way in ("", "/reports", "/context", "/audit-log"):
        there = await world.ask("mod", "GET", f"/moderation/cases/{case['caseId']}{way}")
        nowhere = await world.ask("mod", "GET", f"/moderation/cases/{missing}{way}")
        refused(there, 404, "case-not-found")
        assert there.content == nowhere.content


async def test_a_participant_may_not_decide_about_their_conversation(world: ApiWorld) -> None:
    thread = await world.talk("mod", "ben")
    ok_json(await world.ask("ben", "POST", "/reports", {"reason": "scam", "threadId": thread}), 201)
    [case] = (await world.get("adi", "/moderation/queue"))["cases"]
    assert (await world.get("mod", "/moderation/queue"))["cases"] == []
    claim = f"/moderation/cases/{case['caseId']}/claim"
    refused(await world.ask("mod", "POST", claim), 404, "case-not-found")
    ok_json(await world.ask("adi", "POST", claim))


async def test_the_audit_log_has_every_change_of_a_role(world: ApiWorld) -> None:
    cleo = world.ids["cleo"]
    for role in ("moderator", "moderator", "admin"):
        body = {"role": role, "note": "helps out"}
        assert ok_json(await world.ask("adi", "PUT", f"/staff/{cleo}", body))["role"] == role
    world.clock.advance(seconds=3)
    ok_json(await world.ask("cleo", "GET", "/staff"))
    ok_json(await world.ask("adi", "DELETE", f"/staff/{cleo}?note=moved+on"))
    entries = (await world.get("adi", "/moderation/audit-log"))["entries"]
    found = [(e["decision"], e["role"], e["note"]) for e in entries if e["aboutUserId"] == cleo]
    assert sorted(found) == [
        ("grant", "admin", "helps out"),
        ("grant", "moderator", "helps out"),
        ("revoke", "admin", "moved on"),
    ]
    assert all(
        e["aboutUserId"] != cleo
        for e in (await world.get("mod", "/moderation/audit-log"))["entries"]
    )
    world.clock.advance(seconds=3)
    refused(await world.ask("cleo", "GET", "/staff"), 403, "not-allowed")
    refused(await world.ask("adi", "DELETE", f"/staff/{cleo}"), 409, "not-staff")
    refused(
        await world.ask("adi", "PUT", "/staff/usr_nobody", {"role": "admin"}),
        404,
        "person-not-found",
    )


async def test_granting_the_same_role_concurrently_grants_it_once(world: ApiWorld) -> None:
    safety, user = world.contexts[Safety], UserId(world.ids["ben"])
    granted = await asyncio.gather(
        *(grant(safety, system(), user, StaffRole.MODERATOR) for _ in range(4))
    )
    assert [account.staff_role for account in granted] == [StaffRole.MODERATOR] * 4
    entries = (await world.get("adi", f"/moderation/people/{user}/audit-log"))["entries"]
    assert [entry["decision"] for entry in entries] == ["grant"]


async def test_a_second_suspension_does_not_end_the_first_early(world: ApiWorld) -> None:
    for by, until in (("ana", None), ("cleo", "2100-02-01T00:00:00Z")):
        body = {"reason": "spam", "userId": world.ids["ben"]}
        ok_json(await world.ask(by, "POST", "/reports", body), 201)
        [case] = (await world.get("mod", "/moderation/queue"))["cases"]
        place = f"/moderation/cases/{case['caseId']}"
        ok_json(await world.ask("mod", "POST", f"{place}/claim"))
        decision = {"decision": "suspend", "version": case["version"]}
        decision |= {"forGood": True} if until is None else {"until": until}
        answer = await world.ask("mod", "POST", f"{place}/decide", decision)
        if until is None:
            ok_json(answer)
        else:
            assert "already suspended" in refused(answer, 422, "invalid-decision")["detail"]
