"""Says what a contract prints: its parties, jobs, prices and terms, and who signed it. Pure."""

from msgspec.structs import replace

from greenroom.bookings.pdf.amounts import totals, written
from greenroom.bookings.pdf.canonical import Json, content_hash, sha256_hex
from greenroom.bookings.pdf.documents import Contract, RefundStep, Signature
from greenroom.bookings.pdf.moments import day, exact, period


def contract_hash(contract: Contract) -> str:
    """Of what is agreed: the same before and after it is signed."""
    return content_hash(replace(contract, signatures=(), verify_url=""))


def contract_page(contract: Contract, marketplace: str) -> dict[str, Json]:
    return {
        "kind": "Contract",
        "marketplace": marketplace,
        "title": contract.title,
        "id": contract.document_id,
        "version": str(contract.version),
        "issued": day(contract.issued_ms),
        "hash": contract_hash(contract),
        "parties": [
            {"role": one.role, "name": one.name, "user": one.user_id} for one in contract.parties
        ],
        "services": _services(contract),
        "extras": [
            {"text": one.text, "amount": written(one.amount, contract.locale)}
            for one in contract.extras
        ],
        "totals": _totals(contract),
        "deposit": None if contract.deposit is None else written(contract.deposit, contract.locale),
        "cancellation": [refund(step) for step in _earliest_first(contract.cancellation)],
        "terms": contract.terms,
        "signatures": [_signature(one) for one in contract.signatures],
        "verify_url": contract.verify_url,
    }


def refund(step: RefundStep) -> dict[str, Json]:
    return {"when": _when(step.days_before), "refund": f"{step.percent}%"}


def _when(days: int) -> str:
    if days < 0:
        return "Later, or after the start"
    if days == 0:
        return "Until the start"
    return f"At least {days} {'day' if days == 1 else 'days'} before the start"


def _earliest_first(steps: tuple[RefundStep, ...]) -> list[RefundStep]:
    return sorted(steps, key=lambda step: -step.days_before)


def _services(contract: Contract) -> list[Json]:
    return [
        {
            "what": one.what,
            "provider": one.provider,
            "where": one.where,
            "when": period(one.starts_ms, one.ends_ms, one.zone),
            "price": written(one.price, contract.locale),
        }
        for one in contract.services
    ]


def _totals(contract: Contract) -> list[Json]:
    prices = [one.price for one in contract.services]
    sums = totals([*prices, *(one.amount for one in contract.extras)])
    return [written(one, contract.locale) for one in sums]


def _signature(one: Signature) -> dict[str, Json]:
    return {
        "name": one.name,
        "user": one.user_id,
        "when": exact(one.signed_ms),
        "ip": one.ip,
        "agent": one.user_agent,
        "consent": one.consent,
        "consent_hash": sha256_hex(one.consent),
    }
