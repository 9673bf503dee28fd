"""The queue, claims and decisions; their enforcement, also after a crash."""

import asyncio
import dataclasses

import pytest

from greenroom.ids import UserId
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope
from greenroom.safety.audit import audit_of_case, audit_of_person
from greenroom.safety.claim import claim
from greenroom.safety.decide import MAX_NOTE, decide
from greenroom.safety.enforce import enforce_pending
from greenroom.safety.events import NoticeCreated
from greenroom.safety.models import (
    CLAIM_MS,
    AuditEntry,
    Case,
    CaseId,
    Decision,
    Reason,
    SomePerson,
    WholeThread,
    case_id,
)
from greenroom.safety.problems import (
    CannotRelease,
    CaseChanged,
    CaseClaimed,
    CaseClosed,
    CaseNotClaimed,
    CaseNotFound,
    DecisionDoesNotFit,
    InvalidDecision,
    ModeratorsOnly,
)
from greenroom.safety.queue import queue
from greenroom.safety.report import report
from greenroom.safety.reports import reports_of_case
from greenroom.safety.review import review_person
from greenroom.safety.verdict import PolicyTag
from greenroom.store.problems import InvalidCursor
from tests.safety.world import THREAD, Broken, RecordingEnforcer, SafetyWorld


async def ids_in_queue(world: SafetyWorld) -> list[CaseId]:
    return [case.id for case in (await queue(world.safety, world.mod)).cases]


async def test_the_queue_is_oldest_first_across_tags_and_pages(world: SafetyWorld) -> None:
    opened = []
    for n, reason in enumerate((*Reason, *Reason)):
        world.clock.advance(seconds=1)
        reporter = Actor(world.ana.user) if n % 2 else world.cleo
        opened.append(await world.report_message(reporter, f"msg_{n}", reason=reason))
    found, cursor = list[CaseId](), None
    for _ in range(10):
        page = await queue(world.safety, world.mod, limit=4, cursor=cursor)
        assert len(page.cases) <= 4
        found += [case.id for case in page.cases]
        cursor = page.next
        if cursor is None:
            break
    assert found == opened


async def test_the_queue_can_be_filtered_by_tag(world: SafetyWorld) -> None:
    await world.report_message(world.ana, "msg_1", reason=Reason.NSFW)
    spam = await world.report_message(world.ana, "msg_2", reason=Reason.SPAM)
    page = await queue(world.safety, world.mod, tag=PolicyTag.SPAM)
    assert [case.id for case in page.cases] == [spam]


async def test_a_made_up_cursor_is_refused(world: SafetyWorld) -> None:
    for cursor in ("%%%", "é", "AAAA"):
        with pytest.raises(InvalidCursor):
            await queue(world.safety, world.mod, cursor=cursor)


async def test_moderation_is_for_moderators(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    service = Actor(world.cleo.user, frozenset({Scope.USER, Scope.SERVICE}))
    for actor in (world.ana, world.ben, service):
        with pytest.raises(ModeratorsOnly):
            await queue(world.safety, actor)
        with pytest.raises(ModeratorsOnly):
            await claim(world.safety, actor, case)
        with pytest.raises(ModeratorsOnly):
            await decide(world.safety, actor, case, Decision.REMOVE, version=1)
        with pytest.raises(ModeratorsOnly):
            await audit_of_case(world.safety, actor, case)
        with pytest.raises(ModeratorsOnly):
            await audit_of_person(world.safety, actor, actor.user)
        with pytest.raises(ModeratorsOnly):
            await review_person(world.safety, actor, actor.user)
        with pytest.raises(ModeratorsOnly):
            await reports_of_case(world.safety, actor, case)
    admin = Actor(world.cleo.user, frozenset({Scope.ADMIN}))
    assert (await queue(world.safety, admin)).cases != ()


async def test_a_case_is_claimed_by_one_moderator_at_a_time(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    claimed = await claim(world.safety, world.mod, case)
    assert claimed.claimed_by == world.mod.user
    with pytest.raises(CaseClaimed):
        await claim(world.safety, world.mona, case)
    await claim(world.safety, world.mod, case)
    world.clock.advance(ms=CLAIM_MS)
    assert (await claim(world.safety, world.mona, case)).claimed_by == world.mona.user


async def test_of_two_simultaneous_claims_one_wins(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    tries = (claim(world.safety, one, case) for one in (world.mod, world.mona))
    answers = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["Case", "CaseClaimed"]


async def test_a_claim_ends_even_if_the_clock_jumped_back(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    await claim(world.safety, world.mod, case)
    world.clock.advance(days=-30)
    assert (await claim(world.safety, world.mona, case)).claimed_by == world.mona.user


async def test_nobody_claims_or_decides_a_case_about_themselves(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana, author=world.mod)
    for moderator in (world.mod, world.mona):
        with pytest.raises(CaseNotFound):
            await claim(world.safety, moderator, case)
        with pytest.raises(CaseNotFound):
            await decide(world.safety, moderator, case, Decision.DISMISS, version=1)
    await world.decide(case, Decision.DISMISS, by=world.adi)


async def test_a_decision_needs_a_claim_that_still_holds(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    with pytest.raises(CaseNotClaimed):
        await decide(world.safety, world.mod, case, Decision.DISMISS, version=1)
    await claim(world.safety, world.mona, case)
    with pytest.raises(CaseNotClaimed):
        await decide(world.safety, world.mod, case, Decision.DISMISS, version=1)
    world.clock.advance(ms=CLAIM_MS)
    with pytest.raises(CaseNotClaimed):
        await decide(world.safety, world.mona, case, Decision.DISMISS, version=1)


async def test_a_decision_needs_the_latest_version(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    await claim(world.safety, world.mod, case)
    await world.report_message(world.cleo)
    with pytest.raises(CaseChanged) as refusal:
        await decide(world.safety, world.mod, case, Decision.DISMISS, version=1)
    assert refusal.value.version == 2
    await decide(world.safety, world.mod, case, Decision.DISMISS, version=2)


async def test_a_decided_case_leaves_the_queue_and_is_in_the_audit_log(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    entry = await world.decide(case, Decision.WARN)
    assert await ids_in_queue(world) == []
    assert (await audit_of_case(world.safety, world.mod, case)).entries == (entry,)
    assert (await audit_of_person(world.safety, world.mod, world.ben.user)).entries == (entry,)
    found = (await review_person(world.safety, world.mod, world.ben.user)).sanctions
    assert (found.warnings, found.suspensions) == (1, 0)
    assert isinstance(world.published[-1], NoticeCreated)
    assert world.enforcer.done == [("remove", case)]


async def test_the_audit_log_is_newest_first_and_nothing_is_removed(world: SafetyWorld) -> None:
    case, entries = await world.report_message(world.ana), list[AuditEntry]()
    for reporter in (world.cleo, world.mona, await world.person("dora")):
        world.clock.advance(seconds=1)
        entries.insert(0, await world.decide(case, Decision.DISMISS))
        await world.report_message(reporter)
    page = await audit_of_case(world.safety, world.mod, case, limit=2)
    rest = await audit_of_case(world.safety, world.mod, case, cursor=page.next)
    assert [*page.entries, *rest.entries] == entries
    about_ben = await audit_of_person(world.safety, world.mod, world.ben.user)
    assert list(about_ben.entries) == entries


async def test_a_held_text_is_released_or_removed(world: SafetyWorld) -> None:
    first, second = await world.hold(world.ben, "c1"), await world.hold(world.ben, "c2", "other")
    case = await world.case(first)
    assert (case.text, case.about) == ("EARN $$$ DAILY", world.ben.user)
    await world.decide(first, Decision.RELEASE)
    await world.decide(second, Decision.REMOVE)
    assert world.enforcer.done == [("release", first), ("remove", second)]


async def test_a_text_is_held_once(world: SafetyWorld) -> None:
    await world.hold(world.ben, "c1")
    with pytest.raises(Exception, match="refused by its condition"):
        await world.hold(world.ben, "c1")
    assert len(await ids_in_queue(world)) == 1


async def test_a_decision_has_to_fit_its_case(world: SafetyWorld) -> None:
    held, sent = await world.hold(world.ben, "c1"), await world.report_message(world.ana)
    for case, decision in (
        (held, Decision.DISMISS),
        (sent, Decision.RELEASE),
        (sent, Decision.FOLDED),
    ):
        with pytest.raises(DecisionDoesNotFit):
            await world.decide(case, decision)
    thread = WholeThread(THREAD)
    await report(world.safety, world.ana, thread, Reason.OTHER)
    with pytest.raises(DecisionDoesNotFit):
        await world.decide(case_id(thread), Decision.WARN)


async def test_invalid_decisions_are_refused(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    await claim(world.safety, world.mod, case)
    now = world.clock.now_ms()
    with pytest.raises(InvalidDecision):
        await decide(
            world.safety, world.mod, case, Decision.WARN, version=1, note="x" * (MAX_NOTE + 1)
        )
    with pytest.raises(InvalidDecision):
        await decide(world.safety, world.mod, case, Decision.SUSPEND, version=1, until_ms=now)
    with pytest.raises(InvalidDecision):
        await decide(world.safety, world.mod, case, Decision.WARN, version=1, until_ms=now + 9)
    with pytest.raises(CaseNotFound):
        await claim(world.safety, world.mod, CaseId("cas_none"))


async def test_a_decision_is_made_once_and_a_repeat_gets_the_same_answer(
    world: SafetyWorld,
) -> None:
    case = await world.report_message(world.ana)
    first = await world.decide(case, Decision.REMOVE)
    world.clock.advance(seconds=1)
    again = await decide(
        world.safety, world.mod, case, Decision.REMOVE, version=1, note="as agreed"
    )
    assert again == first
    with pytest.raises(CaseClosed):
        await decide(world.safety, world.mod, case, Decision.WARN, version=1)
    with pytest.raises(CaseClosed):
        await claim(world.safety, world.mona, case)
    assert len(world.enforcer.done) == 1


async def test_a_suspension_closes_all_other_cases(world: SafetyWorld) -> None:
    ben = world.ben.user
    held = await world.hold(world.ben, "c1")
    sent = await world.report_message(world.cleo, "msg_2", text="another thing")
    other = await world.report_message(world.cleo, "msg_3", author=world.ana)
    case = await world.report_message(world.ana)
    until = world.clock.now_ms() + 86_400_000
    await world.decide(case, Decision.SUSPEND, until_ms=until)
    account = await directory.by_id(world.safety.people, ben)
    assert account.suspended_until_ms == until
    assert await ids_in_queue(world) == [other]
    assert set(world.enforcer.done) == {("remove", case), ("remove", held), ("close requests", ben)}
    for related in (held, sent):
        closed = await world.case(related)
        assert closed.decision is Decision.FOLDED
        assert (
            (await audit_of_case(world.safety, world.mod, related)).entries[0].note.endswith(case)
        )
    found = (await review_person(world.safety, world.mod, ben)).sanctions
    assert (found.suspensions, found.suspended_until_ms) == (1, until)


async def test_removing_a_text_removes_the_same_text_elsewhere_and_nothing_else(
    world: SafetyWorld,
) -> None:
    case = await world.report_message(world.ana, "msg_1", text="Buy my things!")
    same = await world.report_message(world.cleo, "msg_2", text="BUY my things")
    held = await world.hold(world.ben, "c1", "buy my things")
    other = await world.report_message(world.cleo, "msg_3", text="hello there")
    anas = await world.report_message(world.cleo, "msg_4", text="buy my things", author=world.ana)
    await world.decide(case, Decision.REMOVE)
    assert sorted(await ids_in_queue(world)) == sorted([other, anas])
    assert {whom for _, whom in world.enforcer.done} == {case, same, held}


async def test_a_claimed_case_is_closed_too_and_its_moderator_is_refused(
    world: SafetyWorld,
) -> None:
    other = await world.report_message(world.cleo, "msg_2")
    await claim(world.safety, world.mona, other)
    await world.decide(await world.report_message(world.ana), Decision.SUSPEND)
    with pytest.raises(CaseClosed):
        await decide(world.safety, world.mona, other, Decision.REMOVE, version=1)


async def test_a_person_without_an_account_can_be_suspended(world: SafetyWorld) -> None:
    person = SomePerson(UserId("usr_who_never_joined"))
    await report(world.safety, world.cleo, person, Reason.SCAM)
    await world.decide(case_id(person), Decision.SUSPEND)
    assert (await review_person(world.safety, world.mod, person.user)).sanctions.suspensions == 1
    assert await enforce_pending(world.safety) == 0


@pytest.mark.parametrize("breaks", ["remove", "close requests"])
async def test_an_interrupted_decision_is_enforced_later(world: SafetyWorld, breaks: str) -> None:
    held = await world.hold(world.ben, "c1")
    case = await world.report_message(world.ana)
    world.enforcer.breaks = breaks
    with pytest.raises(Broken):
        await world.decide(case, Decision.SUSPEND)
    assert not (await world.case(case)).is_open
    assert len((await audit_of_case(world.safety, world.mod, case)).entries) == 1
    assert await enforce_pending(world.safety) == 0
    world.enforcer.breaks = ""
    assert await enforce_pending(world.safety) >= 1
    assert {("remove", case), ("remove", held), ("close requests", world.ben.user)} <= set(
        world.enforcer.done
    )
    assert not (await world.case(held)).is_open
    assert (await directory.by_id(world.safety.people, world.ben.user)).is_suspended(
        world.clock.now_ms()
    )
    before = list(world.enforcer.done)
    assert await enforce_pending(world.safety) == 0
    assert world.enforcer.done == before
    assert len((await audit_of_case(world.safety, world.mod, case)).entries) == 1


async def test_repeating_a_decision_finishes_its_enforcement(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    world.enforcer.breaks = "remove"
    with pytest.raises(Broken):
        await world.decide(case, Decision.REMOVE)
    world.enforcer.breaks = ""
    await decide(world.safety, world.mod, case, Decision.REMOVE, version=1)
    assert world.enforcer.done == [("remove", case)]
    assert await enforce_pending(world.safety) == 0


async def test_without_an_enforcer_decisions_stay_pending(world: SafetyWorld) -> None:
    case = await world.hold(world.ben, "c1")
    alone = dataclasses.replace(world.safety, enforcer=None)
    await claim(alone, world.mod, case)
    await decide(alone, world.mod, case, Decision.RELEASE, version=1)
    assert await enforce_pending(alone) == 0
    assert world.enforcer.done == []
    assert await enforce_pending(world.safety) == 1
    assert world.enforcer.done == [("release", case)]


async def test_one_decision_that_fails_does_not_block_the_others(
    world: SafetyWorld,
) -> None:
    class Picky(RecordingEnforcer):
        async def remove(self, case: Case) -> None:
            if case.id == first:
                raise Broken
            await super().remove(case)

    first = await world.report_message(world.ana, "msg_1", text="one")
    second = await world.report_message(world.ana, "msg_2", text="two")
    alone = dataclasses.replace(world.safety, enforcer=None)
    for case in (first, second):
        await claim(alone, world.mod, case)
        await decide(alone, world.mod, case, Decision.REMOVE, version=1)
    picky = Picky()
    assert await enforce_pending(dataclasses.replace(world.safety, enforcer=picky)) == 1
    assert picky.done == [("remove", second)]
    assert await enforce_pending(world.safety) == 1


async def test_a_case_opened_after_the_decision_is_not_closed_by_a_late_retry(
    world: SafetyWorld,
) -> None:
    case = await world.report_message(world.ana)
    alone = dataclasses.replace(world.safety, enforcer=None)
    await claim(alone, world.mod, case)
    await decide(alone, world.mod, case, Decision.SUSPEND, version=1)
    world.clock.advance(days=1)
    later = await world.report_message(world.cleo, "msg_9")
    await enforce_pending(world.safety)
    assert (await world.case(later)).is_open


async def test_an_impossible_release_is_refused_before_it_is_written(
    world: SafetyWorld,
) -> None:
    case = await world.hold(world.ben, "c1")
    world.enforcer.locked = True
    with pytest.raises(CannotRelease):
        await world.decide(case, Decision.RELEASE)
    assert (await world.case(case)).is_open
    assert (await audit_of_case(world.safety, world.mod, case)).entries == ()
    await world.decide(case, Decision.REMOVE)
    assert world.enforcer.done == [("remove", case)]
