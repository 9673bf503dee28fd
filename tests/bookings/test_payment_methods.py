"""Payment methods: tokens of a provider, and never the number of a card."""

import pytest

from greenroom.bookings.payments.methods import payment_method
from greenroom.bookings.problems import InvalidPaymentMethod


@pytest.mark.parametrize(
    "token", ["sandbox:ok", "pm_1MqLiJLkdIwHu7ixUEgbFdYl", "tok_visa", "8315028112345678", "a.b-c"]
)
def test_tokens_are_payment_methods(token: str) -> None:
    assert payment_method(token) == token


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111111",
        "4111-1111-1111-1111",
        "sandbox:5555555555554444",
        "card_378282246310005",
        "4111.1111.1111.1111",
    ],
)
def test_numbers_of_cards_are_refused(text: str) -> None:
    with pytest.raises(InvalidPaymentMethod, match="not a card number") as refusal:
        payment_method(text)
    assert text not in str(refusal.value)


@pytest.mark.parametrize(
    "text", ["", " ", "a b", "4111 1111 1111 1111", "x" * 201, "é", "٤١١١", "a\n"]
)
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(InvalidPaymentMethod):
        payment_method(text)
