"""Ids sort in the order in which they were made, lead back to their time, and do not repeat."""

from greenroom.clock import ManualClock
from greenroom.ids import LAST_MS, Ids, time_of

MS = 1_760_000_000_123


def test_a_message_leads_back_to_its_time() -> None:
    ids = Ids(ManualClock(MS))
    for ms in (0, 1, MS, LAST_MS):
        made = ids.message(ms)
        assert (len(made), time_of(made)) == (30, ms)


def test_messages_sort_by_their_time() -> None:
    ids = Ids(ManualClock(MS))
    made = [ids.message(MS + step) for step in range(0, 5000, 7)]
    assert made == sorted(made)


def test_ids_of_one_millisecond_and_of_a_clock_that_steps_back_are_in_order() -> None:
    clock = ManualClock(MS)
    ids = Ids(clock)
    made = [ids.user() for _ in range(500)]
    clock.advance(ms=-60_000)
    made += [ids.user() for _ in range(500)]
    clock.advance(ms=120_000)
    made += [ids.user() for _ in range(500)]
    assert made == sorted(set(made))
    assert time_of(made[0]) == MS
    assert time_of(made[-1]) == MS + 60_000


def test_every_letter_is_as_likely_as_another() -> None:
    """In the part that tells two messages of one moment apart."""
    ids = Ids(ManualClock(MS))
    made = {ids.message(MS) for _ in range(4000)}
    assert len(made) == 4000
    letters = "".join(one[14:] for one in made)
    counts = [letters.count(letter) for letter in sorted(set(letters))]
    assert len(counts) == 32
    assert min(counts) > 0.8 * len(letters) / 32
    assert max(counts) < 1.2 * len(letters) / 32
