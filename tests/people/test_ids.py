"""Ids sort by creation, contain their time, and do not repeat."""

from greenroom.clock import ManualClock
from greenroom.ids import LAST_MS, Ids, time_of

MS = 1_760_000_000_123


def test_a_message_id_contains_its_time() -> None:
    ids = Ids(ManualClock(MS))
    for ms in (0, 1, MS, LAST_MS):
        made = ids.message(ms)
        assert (len(made), time_of(made)) == (30, ms)


def test_message_ids_sort_by_time() -> None:
    ids = Ids(ManualClock(MS))
    made = [ids.message(MS + step) for step in range(0, 5000, 7)]
    assert made == sorted(made)


def test_ids_stay_in_order_within_a_millisecond_and_when_the_clock_steps_back() -> None:
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


def test_every_letter_is_equally_likely() -> None:
    """In the random part of a message id."""
    ids = Ids(ManualClock(MS))
    made = {ids.message(MS) for _ in range(4000)}
    assert len(made) == 4000
    letters = "".join(one[14:] for one in made)
    counts = [letters.count(letter) for letter in sorted(set(letters))]
    assert len(counts) == 32
    assert min(counts) > 0.8 * len(letters) / 32
    assert max(counts) < 1.2 * len(letters) / 32
