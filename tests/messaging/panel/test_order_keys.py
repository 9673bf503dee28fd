"""The keys that order the objects of a tab."""

from hypothesis import given, strategies as st

from greenroom.messaging.panel.order_keys import MAX_KEY, between, spread


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=200))
def test_inserts_at_any_place_give_keys_in_that_order(places: list[int]) -> None:
    keys: list[str] = []
    for place in places:
        at = place % (len(keys) + 1)
        low = keys[at - 1] if at else None
        high = keys[at] if at < len(keys) else None
        keys.insert(at, between(low, high))
    assert keys == sorted(set(keys))
    assert all(key and not key.endswith("0") for key in keys)


def test_hundreds_of_objects_at_the_end_or_the_beginning_have_short_keys() -> None:
    last, first = between(None, None), between(None, None)
    for _ in range(400):
        last, first = between(last, None), between(None, first)
        assert max(len(last), len(first)) <= 3


def test_a_key_between_the_same_neighbours_grows_by_a_digit_in_several_inserts() -> None:
    low, high = between(None, None), between(between(None, None), None)
    inserts = 0
    while len(high) <= MAX_KEY:
        high = between(low, high)
        inserts += 1
    assert inserts > 40


@given(st.integers(0, 300))
def test_spread_keys_are_short_and_in_order(count: int) -> None:
    keys = spread(count)
    assert keys == sorted(set(keys))
    assert len(keys) == count
    assert all(0 < len(key) <= 3 and not key.endswith("0") for key in keys)
