"""What was made of items is remembered by their bytes, for a while."""

import pytest

from greenroom.store.sqlite import made
from greenroom.store.sqlite.codec import pack
from greenroom.store.sqlite.made import Made
from greenroom.store.values import Item


class Models:
    """A model that counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, item: Item) -> tuple[object, ...]:
        self.asked += 1
        return (item["sk"],)


def blobs(*numbers: int, text: str = "") -> list[bytes]:
    return [pack({"pk": "p", "sk": number, "text": text}) for number in numbers]


def test_an_item_that_was_seen_is_not_asked_about_again() -> None:
    kept, model = Made(), Models()
    for _ in range(3):
        assert kept.of(model, blobs(1, 2, 3)) == ((1,), (2,), (3,))
    assert kept.of(model, blobs(4, 2)) == ((4,), (2,))
    assert model.asked == 4


def test_another_model_is_asked_itself() -> None:
    kept, one, other = Made(), Models(), Models()
    kept.of(one, blobs(1))
    kept.of(other, blobs(1))
    assert (one.asked, other.asked) == (1, 1)


def test_what_is_not_asked_for_any_more_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "_MOST_BYTES", 10 * len(blobs(500)[0]))
    kept, model = Made(), Models()
    for number in range(1, 1000):
        kept.of(model, blobs(number, 0))
    assert model.asked == 1000, "what is asked for all the time is kept"
    some = kept._by_model[model]
    assert len(some.young) + len(some.old) <= 2 * 12, "small numbers have a byte or two less"
    kept.of(model, blobs(500))
    assert model.asked == 1001


def test_large_items_take_no_room() -> None:
    kept, model = Made(), Models()
    for _ in range(2):
        kept.of(model, blobs(1, text="x" * 5000))
    assert model.asked == 2
