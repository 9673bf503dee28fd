"""What `judge` adds to the rules: how old the account is, and what its owner has said before."""

from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.safety.judge import judge
from greenroom.safety.memory import Memory
from greenroom.safety.verdict import Allow, Hold, Nudge, PolicyHint
from tests.safety.world import World

GREETING = "Hello, I am looking for work. Would you hire me?"


async def test_the_same_text_to_many_is_nudged_then_held(world: World) -> None:
    kinds = []
    for n in range(9):
        text = GREETING.upper() if n % 2 else f"  {GREETING} !!"
        kinds.append(type(await judge(world.safety, world.ana, text)))
    assert kinds == [Allow, Allow, Allow, Nudge, Nudge, Nudge, Nudge, Hold, Hold]
    assert isinstance(await judge(world.safety, world.ben, GREETING), Allow)


async def test_what_was_said_is_forgotten_after_ten_minutes(world: World) -> None:
    for _ in range(5):
        await judge(world.safety, world.ana, GREETING)
    world.clock.advance(seconds=601)
    assert isinstance(await judge(world.safety, world.ana, GREETING), Allow)


async def test_short_words_may_be_said_as_often_as_one_likes(world: World) -> None:
    for _ in range(30):
        assert await judge(world.safety, world.ana, "ok, thank you!") == Allow()


async def test_a_link_weighs_less_once_the_account_is_a_day_old(world: World) -> None:
    first = await judge(world.safety, world.ana, "https://example.com/maya is my work")
    world.clock.advance(days=2)
    later = await judge(world.safety, world.ana, "https://example.com/maya is my work")
    assert later.spam_score < first.spam_score


async def test_contact_details_are_fine_between_those_who_have_booked(world: World) -> None:
    text = "call me on +49 170 1234567"
    nudge = await judge(world.safety, world.ana, text)
    assert isinstance(nudge, Nudge)
    assert nudge.policy_hints == (PolicyHint.CONTACT_DETAILS,)
    assert await judge(world.safety, world.ana, text, booked=True) == Allow()


async def test_judging_reads_the_account_once_in_a_while_and_writes_nothing(world: World) -> None:
    with world.store.counting() as first:
        await judge(world.safety, world.ana, GREETING)
    with world.store.counting() as more:
        for n in range(20):
            await judge(world.safety, world.ana, f"{GREETING} {n}")
    assert 0 < first.read_units <= 1
    assert more.read_units == 0
    assert first.write_units == more.write_units == 0


async def test_whoever_has_no_account_yet_is_judged_all_the_same(world: World) -> None:
    assert await judge(world.safety, Actor(UserId("usr_nobody")), GREETING) == Allow()


def test_only_so_many_people_and_texts_are_remembered() -> None:
    memory = Memory(most_people=3, most_texts=5)
    for n in range(50):
        memory.said(UserId(f"usr_{n % 7}"), bytes([n]), n)
        memory.keep_joined(UserId(f"usr_{n}"), n, n)
    assert len(memory._texts) == len(memory._joined) == 3
    assert memory.said(UserId("usr_0"), b"x", 100) == 0
    assert [memory.said(UserId("usr_0"), b"x", 100) for _ in range(9)][-1] == 5
