"""What `judge` adds to the rules: the age of the account, and repeats."""

from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.safety.judge import judge
from greenroom.safety.recent_activity import RecentActivity
from greenroom.safety.verdict import Allow, Hold, Nudge, PolicyHint
from tests.safety.world import SafetyWorld

GREETING = "Hello, I am looking for work. Would you hire me?"


async def test_the_same_text_to_many_is_nudged_then_held(world: SafetyWorld) -> None:
    kinds = []
    for n in range(9):
        text = GREETING.upper() if n % 2 else f"  {GREETING} !!"
        kinds.append(type(await judge(world.safety, world.ana, text)))
    assert kinds == [Allow, Allow, Allow, Nudge, Nudge, Nudge, Nudge, Hold, Hold]
    assert isinstance(await judge(world.safety, world.ben, GREETING), Allow)


async def test_repeats_are_forgotten_after_ten_minutes(world: SafetyWorld) -> None:
    for _ in range(5):
        await judge(world.safety, world.ana, GREETING)
    world.clock.advance(seconds=601)
    assert isinstance(await judge(world.safety, world.ana, GREETING), Allow)


async def test_short_texts_may_repeat_without_end(world: SafetyWorld) -> None:
    for _ in range(30):
        assert await judge(world.safety, world.ana, "ok, thank you!") == Allow()


async def test_a_link_weighs_less_once_the_account_is_a_day_old(world: SafetyWorld) -> None:
    first = await judge(world.safety, world.ana, "https://example.com/maya is my work")
    world.clock.advance(days=2)
    later = await judge(world.safety, world.ana, "https://example.com/maya is my work")
    assert later.spam_score < first.spam_score


async def test_contact_details_are_allowed_after_a_booking(world: SafetyWorld) -> None:
    text = "call me on +49 170 1234567"
    nudge = await judge(world.safety, world.ana, text)
    assert isinstance(nudge, Nudge)
    assert nudge.policy_hints == (PolicyHint.CONTACT_DETAILS,)
    assert await judge(world.safety, world.ana, text, booked=True) == Allow()


async def test_judging_reads_the_account_once_and_writes_nothing(
    world: SafetyWorld,
) -> None:
    with world.store.counting() as first:
        await judge(world.safety, world.ana, GREETING)
    with world.store.counting() as more:
        for n in range(20):
            await judge(world.safety, world.ana, f"{GREETING} {n}")
    assert 0 < first.read_units <= 1
    assert more.read_units == 0
    assert first.write_units == more.write_units == 0


async def test_a_user_without_an_account_is_judged_too(world: SafetyWorld) -> None:
    assert await judge(world.safety, Actor(UserId("usr_nobody")), GREETING) == Allow()


def test_a_bounded_number_of_people_and_texts_is_remembered() -> None:
    recent_activity = RecentActivity(most_people=4, most_texts=5)
    for n in range(50):
        recent_activity.add_text(UserId(f"usr_{n % 7}"), bytes([n]), n)
        recent_activity.set_joined(UserId(f"usr_{n}"), n, n)
    assert len(recent_activity._texts) == len(recent_activity._joined) == 4
    assert recent_activity.add_text(UserId("usr_0"), b"x", 100) == 0
    assert [recent_activity.add_text(UserId("usr_0"), b"x", 100) for _ in range(9)][-1] == 5
