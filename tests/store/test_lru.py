"""Tests of the LRU cache."""

from hypothesis import given, strategies as st

from greenroom.lru import LruCache


def test_an_entry_is_found_until_it_is_discarded() -> None:
    cache: LruCache[str, int] = LruCache(10)
    cache.put("a", 1)
    assert (cache.get("a"), cache.peek("a"), "a" in cache, len(cache)) == (1, 1, True, 1)
    assert cache.discard("a") == 1
    assert (cache.get("a"), cache.peek("a"), "a" in cache, len(cache)) == (None, None, False, 0)
    assert cache.discard("a") is None


def test_a_new_value_replaces_the_old_one_in_both_generations() -> None:
    cache: LruCache[str, int] = LruCache(4)
    for key in ("a", "b", "c"):
        cache.put(key, 1)
    cache.put("a", 2)
    assert cache.get("a") == 2
    assert cache.discard("a") == 2
    assert "a" not in cache


def test_clear_removes_everything() -> None:
    cache: LruCache[str, int] = LruCache(20, weight=len)
    cache.put("a", 1)
    cache.clear()
    assert len(cache) == 0
    cache.put("b" * 10, 1)
    cache.put("c", 1)
    assert cache.get("b" * 10) == 1


def test_using_an_entry_keeps_it() -> None:
    cache: LruCache[int, int] = LruCache(6)
    for number in range(100):
        cache.put(number, number)
        assert cache.get(0) == 0
    assert cache.get(50) is None


def test_peeking_does_not_keep_an_entry() -> None:
    cache: LruCache[int, int] = LruCache(6)
    for number in range(100):
        cache.put(number, number)
        cache.peek(0)
    assert cache.peek(0) is None


def test_young_entries_are_found_at_once() -> None:
    cache: LruCache[int, int] = LruCache(4)
    for number in (1, 2, 3):
        cache.put(number, number)
    assert cache.get_young([1, 2, 3, 4]) == (None, None, 3, None)
    assert cache.get(1) == 1
    assert cache.get_young([1, 2, 3, 4]) == (1, None, 3, None)


def test_the_total_weight_is_bounded() -> None:
    cache: LruCache[bytes, int] = LruCache(200, weight=len)
    for number in range(1, 1000):
        cache.put(b"x" * (number % 40 + 1) + bytes([number % 256]), number)
        held = cache._young.keys() | cache._old.keys()
        assert sum(map(len, held)) <= 200


def test_putting_and_discarding_one_entry_again_and_again_drops_no_other() -> None:
    cache: LruCache[bytes, int] = LruCache(40, weight=len)
    cache.put(b"other", 1)
    for number in range(1, 100):
        cache.put(b"one", number)
        cache.put(b"one", number + 1)
        assert cache.discard(b"one") == number + 1
    assert cache.peek(b"other") == 1


@given(
    st.integers(2, 11),
    st.lists(st.tuples(st.sampled_from(["get", "put", "discard"]), st.integers(0, 12))),
)
def test_the_most_recently_used_entries_are_always_kept(
    capacity: int, calls: list[tuple[str, int]]
) -> None:
    cache: LruCache[int, int] = LruCache(capacity)
    used: dict[int, int] = {}
    for number, (call, key) in enumerate(calls, start=1):
        if call == "put":
            cache.put(key, number)
            used.pop(key, None)
            used[key] = number
        elif call == "discard":
            cache.discard(key)
            used.pop(key, None)
        elif (found := cache.get(key)) is not None:
            assert found == used.pop(key)
            used[key] = found
        assert len(cache) <= capacity
        assert all(cache.peek(recent) == used[recent] for recent in list(used)[-(capacity // 2) :])
