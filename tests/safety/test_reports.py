"""Reports: all about one subject are one case, and each reporter counts once."""

import asyncio

import pytest

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.people.actor import Actor
from greenroom.safety.claim import claim
from greenroom.safety.limits import TooMany
from greenroom.safety.models import (
    Decision,
    Reason,
    SentMessage,
    SomePerson,
    Subject,
    WholeThread,
    case_id,
)
from greenroom.safety.policy import REPORTS
from greenroom.safety.problems import InvalidReport, ModeratorsOnly
from greenroom.safety.queue import queue
from greenroom.safety.report import MAX_NOTE, report
from greenroom.safety.reports import own_reports, reports_of_case
from greenroom.safety.verdict import PolicyTag
from tests.safety.world import THREAD, SafetyWorld
from tests.world import RATES

SUBJECTS = (
    SentMessage(THREAD, MessageId("msg_1")),
    WholeThread(THREAD),
    SomePerson(UserId("usr_somebody")),
)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: type(subject).__name__)
async def test_a_report_opens_a_case_about_its_subject(
    world: SafetyWorld, subject: Subject
) -> None:
    await report(world.safety, world.ana, subject, Reason.SCAM, "look at this")
    case = await world.case(case_id(subject))
    assert case.subject == subject
    assert case.reports == 1
    assert case.policy_tags == {PolicyTag.SCAM}
    assert world.published == [], "the person is not told"
    assert (await queue(world.safety, world.mod)).cases == (case,)


async def test_a_case_keeps_the_text_as_it_was_when_first_reported(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana, text="buy my things")
    await world.report_message(world.cleo, text="(edited)")
    assert (await world.case(case)).text == "buy my things"
    assert (await world.case(case)).about == world.ben.user


async def test_reports_about_one_subject_are_one_case_with_the_worst_tag(
    world: SafetyWorld,
) -> None:
    case = await world.report_message(world.ana, reason=Reason.SPAM)
    await world.report_message(world.cleo, reason=Reason.HARASSMENT)
    found = await world.case(case)
    assert (found.reports, found.version) == (2, 2)
    assert found.reasons == {Reason.SPAM, Reason.HARASSMENT}
    harassment = await queue(world.safety, world.mod, tag=PolicyTag.HARASSMENT)
    assert [one.id for one in harassment.cases] == [case]
    assert (await queue(world.safety, world.mod, tag=PolicyTag.SPAM)).cases == ()


async def test_reporting_twice_gets_the_first_answer_and_counts_once(
    world: SafetyWorld,
) -> None:
    subject = SUBJECTS[0]
    first = await report(world.safety, world.ana, subject, Reason.SPAM)
    again = await report(world.safety, world.ana, subject, Reason.NSFW, "and this")
    assert again == first
    assert (await world.case(case_id(subject))).reports == 1


async def test_ten_simultaneous_reports_are_all_counted(world: SafetyWorld) -> None:
    reporters = [Actor(UserId(f"usr_{n}")) for n in range(10)]
    subject = SUBJECTS[0]
    await asyncio.gather(*(report(world.safety, one, subject, Reason.SPAM) for one in reporters))
    case = await world.case(case_id(subject))
    assert case.reports == 10
    assert len((await reports_of_case(world.safety, world.mod, case.id)).reports) == 10


async def test_a_closed_case_is_reopened_by_another_reporter(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    await world.decide(case, Decision.DISMISS)
    assert (await queue(world.safety, world.mod)).cases == ()
    world.clock.advance(days=1)
    await world.report_message(world.cleo)
    again = await world.case(case)
    assert again.is_open
    assert again.reports == 2
    assert again.opened_ms == world.clock.now_ms()
    assert (await queue(world.safety, world.mod)).cases == (again,)


async def test_the_same_reporter_does_not_reopen_a_closed_case(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    await world.decide(case, Decision.DISMISS)
    await world.report_message(world.ana)
    assert not (await world.case(case)).is_open


async def test_a_claim_survives_another_report(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    await claim(world.safety, world.mod, case)
    await world.report_message(world.cleo)
    assert (await world.case(case)).claimed_by == world.mod.user


async def test_a_user_lists_only_their_own_reports(world: SafetyWorld) -> None:
    await world.report_message(world.ana, "msg_1")
    await world.report_message(world.ana, "msg_2")
    await world.report_message(world.cleo, "msg_3")
    mine = (await own_reports(world.safety, world.ana)).reports
    assert [one.subject for one in mine] == [
        SentMessage(THREAD, MessageId("msg_2")),
        SentMessage(THREAD, MessageId("msg_1")),
    ]


async def test_only_moderators_see_the_reporters(world: SafetyWorld) -> None:
    case = await world.report_message(world.ana)
    with pytest.raises(ModeratorsOnly):
        await reports_of_case(world.safety, world.ben, case)


async def test_invalid_reports_are_refused(world: SafetyWorld) -> None:
    with pytest.raises(InvalidReport):
        await report(world.safety, world.ana, SomePerson(world.ana.user), Reason.SPAM)
    with pytest.raises(InvalidReport):
        await report(world.safety, world.ana, SomePerson(UserId("x" * 3000)), Reason.SPAM)
    with pytest.raises(InvalidReport):
        await report(world.safety, world.ana, SUBJECTS[1], Reason.SPAM, "x" * (MAX_NOTE + 1))


async def test_reports_are_limited(world: SafetyWorld) -> None:
    threads = [WholeThread(ThreadId(f"thr_{n}")) for n in range(RATES[REPORTS].most + 5)]
    tries = (report(world.safety, world.ana, thread, Reason.OTHER) for thread in threads)
    answers = await asyncio.gather(*tries, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    assert len(refused) >= 5
    assert {type(one) for one in refused} == {TooMany}
