"""The band of a picture, from what the model saw in it."""

import pytest

from greenroom.files.models import BLUR, HIDE, SHOW
from greenroom.files.policy import SafeModeRules
from greenroom.files.rules import band_of

RULES = SafeModeRules(blur_at=0.6, hide_at=0.8)


@pytest.mark.parametrize(
    ("labels", "band"),
    [
        ({"neutral": 1.0}, SHOW),
        ({"drawing": 1.0}, SHOW),
        ({"sexy": 0.59, "neutral": 0.41}, SHOW),
        ({"sexy": 0.6, "neutral": 0.4}, BLUR),
        ({"sexy": 1.0}, BLUR),
        ({"porn": 0.3, "sexy": 0.3, "neutral": 0.4}, BLUR),
        ({"porn": 0.3, "hentai": 0.29, "neutral": 0.41}, SHOW),
        ({"porn": 0.79, "neutral": 0.21}, BLUR),
        ({"porn": 0.79, "sexy": 0.21}, BLUR),
        ({"porn": 0.8, "neutral": 0.2}, HIDE),
        ({"hentai": 0.8, "neutral": 0.2}, HIDE),
        ({"porn": 0.5, "hentai": 0.5}, HIDE),
    ],
)
def test_a_band_follows_from_the_labels(labels: dict[str, float], band: int) -> None:
    assert band_of(labels, RULES) == band


def test_a_picture_without_labels_is_in_no_careful_band() -> None:
    assert band_of({}, RULES) == SHOW


def test_equal_thresholds_hide_what_is_explicit_and_blur_what_is_suggestive() -> None:
    rules = SafeModeRules(blur_at=0.5, hide_at=0.5)
    assert band_of({"porn": 0.5}, rules) == HIDE
    assert band_of({"sexy": 0.5}, rules) == BLUR
