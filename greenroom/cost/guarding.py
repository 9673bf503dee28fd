"""What it costs to keep people safe, and to find them."""

import asyncio
from functools import partial

from greenroom.cost.pattern import Act, Pattern
from greenroom.cost.stage import TEXT, Stage
from greenroom.ids import NoticeId
from greenroom.messaging.models import Frame
from greenroom.messaging.preview import preview
from greenroom.messaging.rename_person import MOST_THREADS, rename_and_announce
from greenroom.messaging.surroundings import surroundings
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope, StaffRole, system
from greenroom.people.rename import NewNames
from greenroom.people.suspend import suspend
from greenroom.safety import blocks
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.grant import grant
from greenroom.safety.limits import Limit
from greenroom.safety.log import log
from greenroom.safety.models import CaseId, Decision, Reason, SentMessage, case_id
from greenroom.safety.notices import acknowledge, notices
from greenroom.safety.queue import queue
from greenroom.safety.reinstate import reinstate
from greenroom.safety.report import report
from greenroom.safety.suspended import suspended
from greenroom.safety.verdict import PolicyTag

_IN_A_MINUTE = 40


async def _blocks_check(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    return partial(blocks.apart, stage.messaging.safety, ana.user, ben.user)


async def _rate_lease(stage: Stage) -> Act:
    """A minute in which somebody sends 40 messages, which few ever do."""
    ana = await stage.person("ana")
    limits = stage.messaging.safety.limits

    async def act() -> None:
        for _ in range(_IN_A_MINUTE):
            await limits.spend(ana.user, Limit.MESSAGES, Limit.BURST)
            stage.clock.advance(ms=60_000 // _IN_A_MINUTE)

    return act


async def _reported(stage: Stage, reporter: Actor, frame: Frame, reason: Reason) -> CaseId:
    subject = SentMessage(frame.thread, frame.id)
    await report(
        stage.messaging.safety,
        reporter,
        subject,
        reason,
        "It is not the first time.",
        about=frame.author,
        text=frame.body,
    )
    return case_id(subject)


async def _sent(stage: Stage) -> tuple[Actor, Frame]:
    ana, ben = await stage.pair()
    thread = await stage.talk(ana, ben)
    return ben, await stage.say(ana, thread.id)


async def _report(stage: Stage) -> Act:
    ben, frame = await _sent(stage)
    return partial(_reported, stage, ben, frame, Reason.SPAM)


async def _moderator(stage: Stage) -> Actor:
    """With a stored role: the list of staff is never empty."""
    mod = await stage.person("mod", Scope.MODERATOR)
    await grant(stage.messaging.safety, system(), mod.user, StaffRole.MODERATOR)
    return mod


async def _queue_page(stage: Stage) -> Act:
    """Of a tag that no other pattern reports for: the queue is everybody's."""
    mod, ana = await _moderator(stage), await stage.person("ana")
    for guest in await stage.people(30):
        thread = await stage.talk(ana, guest)
        stage.clock.advance(seconds=1000)
        await _reported(stage, guest, await stage.say(ana, thread.id, TEXT), Reason.NSFW)
    return partial(queue, stage.messaging.safety, mod, tag=PolicyTag.NSFW)


async def _claim(stage: Stage) -> Act:
    mod = await stage.person("mod", Scope.MODERATOR)
    ben, frame = await _sent(stage)
    case = await _reported(stage, ben, frame, Reason.SPAM)
    return partial(claim, stage.messaging.safety, mod, case)


async def _decide(stage: Stage, decision: Decision) -> Act:
    mod = await stage.person("mod", Scope.MODERATOR)
    ben, frame = await _sent(stage)
    case = await _reported(stage, ben, frame, Reason.SPAM)
    await claim(stage.messaging.safety, mod, case)
    return partial(decide, stage.messaging.safety, mod, case, decision, version=1)


async def _context(stage: Stage) -> Act:
    mod = await stage.person("mod", Scope.MODERATOR)
    ben, frame = await _sent(stage)
    for _ in range(8):
        await stage.say(ben, frame.thread)
    case = await _reported(stage, ben, frame, Reason.SPAM)
    return partial(surroundings, stage.messaging, mod, case)


async def _log_page(stage: Stage) -> Act:
    """In a month of its own: the log is everybody's."""
    stage.clock.advance(days=40 * 365)
    mod, ana = await _moderator(stage), await stage.person("ana")
    for guest in await stage.people(25):
        thread = await stage.talk(ana, guest)
        frame = await stage.say(ana, thread.id)
        case = await _reported(stage, guest, frame, Reason.SPAM)
        await claim(stage.messaging.safety, mod, case)
        await decide(stage.messaging.safety, mod, case, Decision.DISMISS, version=1)
        stage.clock.advance(seconds=1000)
    return partial(log, stage.messaging.safety, mod, limit=20)


async def _suspended(stage: Stage) -> tuple[Actor, Actor]:
    mod, ana = await stage.person("mod", Scope.MODERATOR), await stage.person("ana")
    await suspend(stage.messaging.people, ana.user, None, "Payments outside are not allowed.")
    return mod, ana


async def _reinstate(stage: Stage) -> Act:
    mod, ana = await _suspended(stage)
    return partial(reinstate, stage.messaging.safety, mod, ana.user, reason="We were wrong.")


async def _suspended_page(stage: Stage) -> Act:
    """20 of them, in a time of their own: the list is everybody's."""
    stage.clock.advance(days=80 * 365)
    mod = await _moderator(stage)
    for guest in await stage.people(20):
        thread = await stage.talk(mod, guest)
        frame = await stage.say(guest, thread.id)
        ana = await stage.person("ana")
        case = await _reported(stage, ana, frame, Reason.SPAM)
        await claim(stage.messaging.safety, mod, case)
        until_ms = stage.clock.now_ms() + 10**9
        await decide(
            stage.messaging.safety, mod, case, Decision.SUSPEND, version=1, until_ms=until_ms
        )
        stage.clock.advance(seconds=1000)
    return partial(suspended, stage.messaging.safety, mod, limit=20)


async def _grant(stage: Stage) -> Act:
    ana = await stage.person("ana")
    role = StaffRole.MODERATOR
    return partial(grant, stage.messaging.safety, system(), ana.user, role, "joined the team")


async def _notices(stage: Stage) -> Act:
    """Nothing to tell, as nearly always."""
    ana = await stage.person("ana")
    return partial(notices, stage.messaging.safety, ana)


async def _warned(stage: Stage) -> tuple[Actor, NoticeId]:
    act = await _decide(stage, Decision.WARN)
    await act()
    ana = await stage.person("ana")
    return ana, (await notices(stage.messaging.safety, ana)).notices[0].id


async def _acknowledge(stage: Stage) -> Act:
    ana, notice = await _warned(stage)
    return partial(acknowledge, stage.messaging.safety, ana, notice)


async def _preview(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    thread = await stage.talk(ana, ben)
    return partial(preview, stage.messaging, ana, TEXT, thread_id=thread.id)


async def _by_id(stage: Stage) -> Act:
    ana = await stage.person("ana")
    return partial(directory.by_id, stage.messaging.people, ana.user)


async def _by_ids(stage: Stage) -> Act:
    people = await stage.people(20)
    return partial(directory.by_ids, stage.messaging.people, [one.user for one in people])


async def _by_username(stage: Stage) -> Act:
    await stage.person("ana")
    return partial(directory.by_username, stage.messaging.people, f"ana.{stage.name}")


async def _by_name(stage: Stage) -> Act:
    """A beginning that nobody else's name has."""
    await asyncio.gather(*(stage.person(f"xaver{n:02d}") for n in range(20)))
    return partial(directory.by_name, stage.messaging.people, "xav", limit=10)


async def _rename_me(stage: Stage, conversations: int) -> Act:
    ana = await stage.person("ana")
    for guest in await stage.people(conversations):
        await stage.talk(guest, ana)

    async def act() -> None:
        names = NewNames(display_name="Ana B. Example")
        await rename_and_announce(stage.messaging, ana, names)

    return act


PATTERNS = (
    Pattern("blocks_check", "whether a block keeps two people apart", _blocks_check),
    Pattern(
        "rate_lease",
        f"the rate limit, for each message of {_IN_A_MINUTE} in a minute",
        _rate_lease,
        times=_IN_A_MINUTE,
    ),
    Pattern("report", "report a message", _report),
    Pattern("queue_page", "20 cases of one tag in the moderators' queue", _queue_page),
    Pattern("case_context", "what was said around a message that was reported", _context),
    Pattern("claim", "claim a case", _claim),
    Pattern("decide_dismiss", "dismiss a case", partial(_decide, decision=Decision.DISMISS)),
    Pattern("decide_remove", "take a message away", partial(_decide, decision=Decision.REMOVE)),
    Pattern("decide_warn", "warn somebody", partial(_decide, decision=Decision.WARN)),
    Pattern("decide_suspend", "suspend somebody", partial(_decide, decision=Decision.SUSPEND)),
    Pattern("reinstate", "lift a suspension", _reinstate),
    Pattern("suspended_page", "20 people who are suspended", _suspended_page),
    Pattern("grant_role", "grant a staff role", _grant),
    Pattern("notices", "what moderation tells a user: nothing", _notices),
    Pattern("acknowledge", "acknowledge a notice", _acknowledge),
    Pattern("log_page", "the last 20 decisions, of everybody", _log_page),
    Pattern("preview", "what would be said of a text, before it is sent", _preview),
    Pattern("person_by_id", "a person by id", _by_id),
    Pattern("people_by_ids", "20 people by id", _by_ids),
    Pattern("person_by_username", "a person by username", _by_username),
    Pattern("people_by_name", "10 people by the beginning of a name", _by_name),
    Pattern(
        "rename_me",
        f"change one's name and tell the people of {MOST_THREADS} conversations",
        partial(_rename_me, conversations=MOST_THREADS),
    ),
    Pattern(
        "rename_me_busy",
        "the same, of somebody with 200 conversations",
        partial(_rename_me, conversations=200),
    ),
)
