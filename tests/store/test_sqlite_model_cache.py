"""The cache of decoded models."""

import pytest

from greenroom.store.sqlite import model_cache
from greenroom.store.sqlite.codec import pack
from greenroom.store.sqlite.model_cache import ModelCache
from greenroom.store.values import Item


class Models:
    """A model function that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, item: Item) -> tuple[object, ...]:
        self.calls += 1
        return (item["sk"],)


def blobs(*numbers: int, text: str = "") -> list[bytes]:
    return [pack({"pk": "p", "sk": number, "text": text}) for number in numbers]


def test_an_item_is_decoded_once() -> None:
    cache, model = ModelCache(), Models()
    for _ in range(3):
        assert cache.decode(model, blobs(1, 2, 3)) == ((1,), (2,), (3,))
    assert cache.decode(model, blobs(4, 2)) == ((4,), (2,))
    assert model.calls == 4


def test_each_model_function_has_its_own_cache() -> None:
    cache, one, other = ModelCache(), Models(), Models()
    cache.decode(one, blobs(1))
    cache.decode(other, blobs(1))
    assert (one.calls, other.calls) == (1, 1)


def test_entries_that_are_not_used_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "_MOST_BYTES", 20 * len(blobs(500)[0]))
    cache, model = ModelCache(), Models()
    for number in range(1, 1000):
        cache.decode(model, blobs(number, 0))
    assert model.calls == 1000, "an entry in use stays"
    assert len(cache._by_function[model]) <= 2 * 12, "small numbers have a byte or two less"
    cache.decode(model, blobs(500))
    assert model.calls == 1001


def test_large_items_are_not_cached() -> None:
    cache, model = ModelCache(), Models()
    for _ in range(2):
        cache.decode(model, blobs(1, text="x" * 5000))
    assert model.calls == 2
