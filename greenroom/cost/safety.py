"""Cost patterns: moderation, blocks, rate limits, and finding people."""

import asyncio
from functools import partial

from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.ids import NoticeId
from greenroom.messaging.case_context import case_context
from greenroom.messaging.models import Message
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.preview import preview
from greenroom.messaging.rename_person import MOST_THREADS, rename_and_announce
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope, StaffRole, system
from greenroom.people.rename import NewNames
from greenroom.people.suspend import suspend
from greenroom.safety import blocks
from greenroom.safety.audit import audit_log
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.grant import grant
from greenroom.safety.models import CaseId, Decision, Reason, SentMessage, case_id
from greenroom.safety.notices import acknowledge, notices
from greenroom.safety.queue import queue
from greenroom.safety.reinstate import reinstate
from greenroom.safety.report import report
from greenroom.safety.suspended_users import suspended
from greenroom.safety.verdict import PolicyTag

_IN_A_MINUTE = 40


async def _blocks_check(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    return partial(blocks.is_blocked_pair, fixture.messaging.safety, ana.user, ben.user)


async def _rate_lease(fixture: Fixture) -> Act:
    """A minute in which a user sends 40 messages, which is rare."""
    ana = await fixture.person("ana")
    limits = fixture.messaging.safety.limits

    async def act() -> None:
        for _ in range(_IN_A_MINUTE):
            await limits.spend(ana.user, MESSAGES, BURST)
            fixture.clock.advance(ms=60_000 // _IN_A_MINUTE)

    return act


async def _reported(fixture: Fixture, reporter: Actor, message: Message, reason: Reason) -> CaseId:
    subject = SentMessage(message.thread, message.id)
    await report(
        fixture.messaging.safety,
        reporter,
        subject,
        reason,
        "It is not the first time.",
        about=message.author,
        text=message.body,
    )
    return case_id(subject)


async def _sent(fixture: Fixture) -> tuple[Actor, Message]:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    return ben, await fixture.say(ana, thread.id)


async def _report(fixture: Fixture) -> Act:
    ben, message = await _sent(fixture)
    return partial(_reported, fixture, ben, message, Reason.SPAM)


async def _moderator(fixture: Fixture) -> Actor:
    """With a stored role, so that the list of staff is not empty."""
    mod = await fixture.person("mod", Scope.MODERATOR)
    await grant(fixture.messaging.safety, system(), mod.user, StaffRole.MODERATOR)
    return mod


async def _queue_page(fixture: Fixture) -> Act:
    """With a tag that no other pattern uses, because all patterns share the queue."""
    mod, ana = await _moderator(fixture), await fixture.person("ana")
    for guest in await fixture.people(30):
        thread = await fixture.talk(ana, guest)
        fixture.clock.advance(seconds=1000)
        await _reported(fixture, guest, await fixture.say(ana, thread.id, TEXT), Reason.DOXXING)
    return partial(queue, fixture.messaging.safety, mod, tag=PolicyTag.DOXXING)


async def _claim(fixture: Fixture) -> Act:
    mod = await fixture.person("mod", Scope.MODERATOR)
    ben, message = await _sent(fixture)
    case = await _reported(fixture, ben, message, Reason.SPAM)
    return partial(claim, fixture.messaging.safety, mod, case)


async def _decide(fixture: Fixture, decision: Decision) -> Act:
    mod = await fixture.person("mod", Scope.MODERATOR)
    ben, message = await _sent(fixture)
    case = await _reported(fixture, ben, message, Reason.SPAM)
    await claim(fixture.messaging.safety, mod, case)
    return partial(decide, fixture.messaging.safety, mod, case, decision, version=1)


async def _context(fixture: Fixture) -> Act:
    mod = await fixture.person("mod", Scope.MODERATOR)
    ben, message = await _sent(fixture)
    for _ in range(8):
        await fixture.say(ben, message.thread)
    case = await _reported(fixture, ben, message, Reason.SPAM)
    return partial(case_context, fixture.messaging, mod, case)


async def _log_page(fixture: Fixture) -> Act:
    """In a month of its own, because all patterns share the audit log."""
    fixture.clock.advance(days=40 * 365)
    mod, ana = await _moderator(fixture), await fixture.person("ana")
    for guest in await fixture.people(25):
        thread = await fixture.talk(ana, guest)
        message = await fixture.say(ana, thread.id)
        case = await _reported(fixture, guest, message, Reason.SPAM)
        await claim(fixture.messaging.safety, mod, case)
        await decide(fixture.messaging.safety, mod, case, Decision.DISMISS, version=1)
        fixture.clock.advance(seconds=1000)
    return partial(audit_log, fixture.messaging.safety, mod, limit=20)


async def _suspended(fixture: Fixture) -> tuple[Actor, Actor]:
    mod, ana = await fixture.person("mod", Scope.MODERATOR), await fixture.person("ana")
    await suspend(fixture.messaging.people, ana.user, None, "Payments outside are not allowed.")
    return mod, ana


async def _reinstate(fixture: Fixture) -> Act:
    mod, ana = await _suspended(fixture)
    return partial(reinstate, fixture.messaging.safety, mod, ana.user, reason="We were wrong.")


async def _suspended_page(fixture: Fixture) -> Act:
    """20 people, at a time of their own, because all patterns share the list."""
    fixture.clock.advance(days=80 * 365)
    mod = await _moderator(fixture)
    for guest in await fixture.people(20):
        thread = await fixture.talk(mod, guest)
        message = await fixture.say(guest, thread.id)
        ana = await fixture.person("ana")
        case = await _reported(fixture, ana, message, Reason.SPAM)
        await claim(fixture.messaging.safety, mod, case)
        until_ms = fixture.clock.now_ms() + 10**9
        await decide(
            fixture.messaging.safety, mod, case, Decision.SUSPEND, version=1, until_ms=until_ms
        )
        fixture.clock.advance(seconds=1000)
    return partial(suspended, fixture.messaging.safety, mod, limit=20)


async def _grant(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    role = StaffRole.MODERATOR
    return partial(grant, fixture.messaging.safety, system(), ana.user, role, "joined the team")


async def _notices(fixture: Fixture) -> Act:
    """No notices: the usual case."""
    ana = await fixture.person("ana")
    return partial(notices, fixture.messaging.safety, ana)


async def _warned(fixture: Fixture) -> tuple[Actor, NoticeId]:
    act = await _decide(fixture, Decision.WARN)
    await act()
    ana = await fixture.person("ana")
    return ana, (await notices(fixture.messaging.safety, ana)).notices[0].id


async def _acknowledge(fixture: Fixture) -> Act:
    ana, notice = await _warned(fixture)
    return partial(acknowledge, fixture.messaging.safety, ana, notice)


async def _preview(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    return partial(preview, fixture.messaging, ana, TEXT, thread_id=thread.id)


async def _by_id(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    return partial(directory.by_id, fixture.messaging.people, ana.user)


async def _by_ids(fixture: Fixture) -> Act:
    people = await fixture.people(20)
    return partial(directory.by_ids, fixture.messaging.people, [one.user for one in people])


async def _by_username(fixture: Fixture) -> Act:
    await fixture.person("ana")
    return partial(directory.by_username, fixture.messaging.people, f"ana.{fixture.name}")


async def _by_name(fixture: Fixture) -> Act:
    """With a prefix that no other name has."""
    await asyncio.gather(*(fixture.person(f"xaver{n:02d}") for n in range(20)))
    return partial(directory.by_name, fixture.messaging.people, "xav", limit=10)


async def _rename_me(fixture: Fixture, conversations: int) -> Act:
    ana = await fixture.person("ana")
    for guest in await fixture.people(conversations):
        await fixture.talk(guest, ana)

    async def act() -> None:
        names = NewNames(display_name="Ana B. Example")
        await rename_and_announce(fixture.messaging, ana, names)

    return act


TITLE = "Safety and people"
PATTERNS = (
    Pattern("blocks_check", "check whether two people block each other", _blocks_check),
    Pattern(
        "rate_lease",
        f"the rate limit, for each message of {_IN_A_MINUTE} in a minute",
        _rate_lease,
        times=_IN_A_MINUTE,
    ),
    Pattern("report", "report a message", _report),
    Pattern("queue_page", "20 cases of one tag in the moderators' queue", _queue_page),
    Pattern("case_context", "the messages around a reported one", _context),
    Pattern("claim", "claim a case", _claim),
    Pattern("decide_dismiss", "dismiss a case", partial(_decide, decision=Decision.DISMISS)),
    Pattern("decide_remove", "remove a message", partial(_decide, decision=Decision.REMOVE)),
    Pattern("decide_warn", "warn somebody", partial(_decide, decision=Decision.WARN)),
    Pattern("decide_suspend", "suspend somebody", partial(_decide, decision=Decision.SUSPEND)),
    Pattern("reinstate", "lift a suspension", _reinstate),
    Pattern("suspended_page", "20 people who are suspended", _suspended_page),
    Pattern("grant_role", "grant a staff role", _grant),
    Pattern("notices", "the notices of a user who has none", _notices),
    Pattern("acknowledge", "acknowledge a notice", _acknowledge),
    Pattern("log_page", "the last 20 decisions of all moderators", _log_page),
    Pattern("preview", "preview a text before it is sent", _preview),
    Pattern("person_by_id", "a person by id", _by_id),
    Pattern("people_by_ids", "20 people by id", _by_ids),
    Pattern("person_by_username", "a person by username", _by_username),
    Pattern("people_by_name", "10 people by a name prefix", _by_name),
    Pattern(
        "rename_me",
        f"change your name and announce it in {MOST_THREADS} threads",
        partial(_rename_me, conversations=MOST_THREADS),
    ),
    Pattern(
        "rename_me_busy",
        "the same, for a user with 200 threads",
        partial(_rename_me, conversations=200),
    ),
)
