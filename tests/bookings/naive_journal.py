"""A journal that only has a list of transfers and counts anew for every question.

It shares no code with greenroom/bookings/journal.py, so that a mistake is not made twice.
"""

from collections.abc import Sequence

from greenroom.bookings.transfers import Transfer

_ROUTES = {
    "price extras overtime expense service_fee": "buyer escrow pends",
    "deposit": "buyer deposit pends",
    "earnings": "escrow seller_due",
    "platform_fee": "escrow fees",
    "refund": "escrow buyer_due",
    "fee_refund": "fees buyer_due",
    "deposit_claim": "deposit seller_due",
    "deposit_return": "deposit buyer_due",
    "reclaim": "seller_due buyer_due",
    "goodwill": "platform buyer_due",
    "compensation": "platform seller_due",
    "refund_paid": "buyer_due buyer pends",
    "payout": "seller_due seller pends",
    "fees_paid": "fees platform",
}
ROUTES = {code: way.split() for codes, way in _ROUTES.items() for code in codes.split()}
_INSIDE = ("escrow", "deposit", "seller_due", "buyer_due", "fees", "seller")
_MOVES = ("posted", "post_pending")


class NaiveJournal:
    def __init__(self) -> None:
        self.transfers: list[Transfer] = []

    def accepts(self, step: Sequence[Transfer]) -> bool:
        """Whether all are valid together; then they are kept."""
        before = self.transfers
        self.transfers = [*before, *step]
        if all(map(self._is_valid, step)) and self._is_within_limits():
            return True
        self.transfers = before
        return False

    def has(self, account: str) -> int:
        return sum(
            one.money.minor * ((one.credit == account) - (one.debit == account))
            for one in self.transfers
            if one.kind in _MOVES
        )

    def reserved(self, account: str, side: str) -> int:
        return sum(
            one.money.minor
            for one in self.transfers
            if one.kind == "pending" and getattr(one, side) == account
            if not any(other.pending_id == one.id for other in self.transfers)
        )

    def _is_within_limits(self) -> bool:
        inside = all(self.has(one) >= self.reserved(one, "debit") for one in _INSIDE)
        return inside and self.has("buyer") + self.reserved("buyer", "credit") <= 0

    def _is_valid(self, transfer: Transfer) -> bool:
        named = [one for one in self.transfers if one.id == transfer.id]
        if len(named) > 1 or transfer.money.minor < 1 or transfer.money.currency != "EUR":
            return False
        if transfer.correction_of:
            return self._is_valid_correction(transfer)
        if transfer.kind in ("post_pending", "void_pending"):
            return self._is_valid_resolution(transfer)
        debit, credit, *pends = ROUTES[transfer.code.value]
        is_routed = (transfer.debit, transfer.credit) == (debit, credit)
        return is_routed and not transfer.pending_id and (transfer.kind == "posted" or bool(pends))

    def _is_valid_resolution(self, transfer: Transfer) -> bool:
        rivals = [one for one in self.transfers if one.pending_id == transfer.pending_id]
        held = [
            one.money.minor
            for one in self.transfers
            if (one.id, one.kind) == (transfer.pending_id, "pending")
            and (one.debit, one.credit, one.code)
            == (transfer.debit, transfer.credit, transfer.code)
        ]
        if len(held) != 1 or len(rivals) != 1:
            return False
        part = transfer.money.minor
        return part <= held[0] if transfer.kind == "post_pending" else part == held[0]

    def _is_valid_correction(self, transfer: Transfer) -> bool:
        moved = [
            one.money.minor
            for one in self.transfers
            if one.id == transfer.correction_of
            and one.kind in _MOVES
            and not one.correction_of
            and (one.credit, one.debit, one.code)
            == (transfer.debit, transfer.credit, transfer.code)
        ]
        back = [one for one in self.transfers if one.correction_of == transfer.correction_of]
        is_plain = transfer.kind == "posted" and not transfer.pending_id
        return len(moved) == 1 and is_plain and sum(one.money.minor for one in back) <= moved[0]
