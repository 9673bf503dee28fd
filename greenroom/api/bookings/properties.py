"""Descriptions and lengths of the properties of bookings."""

from collections.abc import Mapping

from greenroom.api.background.rest import MAX_NAME, MAX_TIMER_ID
from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.api.params import ID
from greenroom.bookings.cards.payloads import (
    Cancel,
    Complete,
    DepositClaim,
    Dispute,
    Expense,
    Extras,
    Offer,
    Overtime,
    Proofs,
    Reschedule,
    Safety,
)
from greenroom.errors import MAX_DETAIL

_ID = "The {}'s id."
_MOST_NOTE = 2000
_MOST_TITLE = 120
_MOST_SHORT = 80

_TYPES = (
    Offer,
    Reschedule,
    Extras,
    Overtime,
    Proofs,
    Expense,
    Cancel,
    DepositClaim,
    Complete,
    Dispute,
    Safety,
)

PROPERTIES: Mapping[str, Property] = {
    **{f"{one.__name__}.type": described("The card's type.") for one in _TYPES},
    # cards
    "NewCardBody.content": described(
        "What the card says: `type`, and the fields of that type. They are those of "
        "`CardView.content`."
    ),
    "NewCardBody.legId": id_property(
        "The leg that the card is about, where the booking has several. An offer has none.", ID
    ),
    "paymentMethod": Property(
        "The buyer's means of payment: a token that the payment provider made for it. A card "
        "number is refused.",
        max_length=200,
        min_length=1,
    ),
    "transition": described("What happens, such as `accept`, `counter` or `withdraw`."),
    "NewStep.version": described("The version of the card that you have seen."),
    "NewStep.input": described(
        "What goes with the transition; `options` of the card say what it needs: nothing, a "
        "`note`, new content of the card's type, or the facts and the decision of a dispute."
    ),
    "card": described("The card."),
    "cards": described("The cards, the newest first."),
    "replayed": described(
        "Whether this repeats an earlier request with the same `Idempotency-Key`: the card is then "
        "as that request left it."
    ),
    "CardResult.threadId": id_property(
        "The card's conversation. A card about one leg of several is in that leg's own."
    ),
    "CardWithSteps.threadId": id_property("The card's conversation."),
    "steps": described("All that led to the card's state, the oldest first."),
    "CardStep.version": described("The version that the step made."),
    "CardStep.before": described("The state before it; null for the first step."),
    "CardStep.after": described("The state after it."),
    "CardStep.userId": id_property("Who made it; `usr_system` for a deadline or a payment."),
    "CardStep.side": described("What they are to the booking."),
    "CardStep.transition": text_property("What happened, such as `accept`.", _MOST_SHORT),
    "CardStep.at": time_property("When it was made."),
    "CardStep.note": text_property("What they wrote. Empty for nothing.", _MOST_NOTE),
    "CardStep.content": described("The card's new content, if the step changed it."),
    "cardId": id_property(_ID.format("card")),
    "CardView.type": described("What the card proposes."),
    "CardView.title": text_property("What its type is called.", _MOST_TITLE),
    "CardView.state": described(
        "`proposed` or `countered` while it waits for an answer, `accepted` while a payment is "
        "under way; then `applied`, `declined`, `withdrawn`, `expired` or `failed`."
    ),
    "CardView.version": described("Counts its steps. A transition names the version it acts on."),
    "CardView.legId": id_property("The leg that it is about; null for an offer."),
    "proposerUserId": id_property("Who proposed what it says now."),
    "proposerSide": described("What they are to the booking."),
    "waitsOnUserIds": id_property("Whose answer it needs."),
    "waitsOnStaff": described("Whether it needs a decision of the marketplace's staff."),
    "CardView.content": described("What it says, by its type."),
    "CardView.note": text_property(
        "What the last one to act wrote, or why it failed. Empty for nothing.", _MOST_NOTE
    ),
    "CardView.dueAt": time_property("When something happens by itself; null for never."),
    "dueTransition": text_property("What happens then, such as `expire`.", _MOST_SHORT),
    "options": described("What can be done with it now, and by whom."),
    "CardOption.title": text_property("What it is called on a button.", _MOST_TITLE),
    "CardOption.userIds": id_property("Who can do it."),
    "CardOption.staff": described("Whether the marketplace's staff can do it."),
    "CardOption.input": described("What goes with it."),
    "CardOption.transition": text_property("Its name.", _MOST_SHORT),
    "CardView.createdAt": time_property("When it was proposed."),
    "CardView.changedAt": time_property("When it last changed."),
    # contents
    "Offer.legs": described("One job for each provider."),
    "LegTerms.provider": id_property("Who provides it: somebody in the conversation."),
    "LegTerms.title": described("What the job is called."),
    "service": text_property("What the provider does, such as `photographer`.", _MOST_SHORT),
    "place": text_property("Where it takes place.", 200),
    "LegTerms.city": Property("The city. Refunds may depend on it.", max_length=_MOST_SHORT),
    "category": text_property("Your own category. Refunds may depend on it.", _MOST_SHORT),
    "startsAt": time_property("When it begins. Send it with an offset from UTC."),
    "endsAt": time_property("When it ends. Send it with an offset from UTC."),
    "timeZone": text_property("The job's zone in the IANA database, such as `Europe/Berlin`.", 40),
    "price": described("What it costs."),
    "deposit": described("What is held as a deposit; null for nothing."),
    "Extras.items": described("What is added."),
    "Extra.title": described("What it is."),
    "minutes": described("By how many minutes the job is longer."),
    "Proofs.title": described("What is shown."),
    "Proofs.files": id_property(
        "Files that were sent in the conversation, and manifests of deliverables."
    ),
    "Proofs.round": described("Which round it is. The server sets it."),
    "Expense.title": described("What was bought."),
    "Expense.receipt": id_property("A file with the receipt, sent in the conversation."),
    "Cancel.reason": described("Why."),
    "Cancel.refund": described(
        "What the buyer gets back, where the two agree on it; without it, the refund "
        "policy decides."
    ),
    "DepositClaim.amount": described("How much of the deposit the provider claims."),
    "DepositClaim.reason": described("Why."),
    "evidence": id_property("Files that were sent in the conversation."),
    "Dispute.reason": described("What happened, as its opener sees it."),
    "Dispute.refund": described("What the opener asks to be paid back."),
    "Dispute.claim": described("What the opener asks for from the deposit."),
    "Dispute.answer": described("What happened, as the other side sees it."),
    "answerEvidence": id_property("The other side's files, sent in the conversation."),
    "Safety.measures": Property("What both agree on for a safe job.", max_length=300, min_length=1),
    # money and bookings
    "minor": described("Minor units of the currency: cents of EUR, whole yen of JPY."),
    "currency": text_property("ISO 4217 code in capital letters.", 3),
    "toPay": described(
        "What the buyer would be charged: at once, or, where the card is `proposed` or "
        "`countered` by the buyer, when the other side accepts it."
    ),
    "toReturn": described("What the buyer would get back."),
    "total": described("All that the buyer would be charged; null for nothing."),
    "totalReturned": described("All that the buyer would get back; null for nothing."),
    "deposits": described(
        "What would become of deposits: `hold`, `claim`, `capture` or `release`. A hold begins at "
        "the `dueAt` of the leg's deposit; a claim releases the rest."
    ),
    "DepositMove.title": text_property("What it is, in words.", _MOST_TITLE),
    "DepositMove.legId": id_property("The leg whose deposit it is."),
    "DryRunResult.legs": described("What the booking would become, as far as you may see it."),
    "DryRunResult.card": described("What the card would become."),
    "tellsUserIds": id_property("Who would be told."),
    "booking": described("The booking; null where nothing was ever proposed."),
    "Booking.lbgId": id_property("The booking's id: that of its group of legs."),
    "Booking.threadId": id_property("The conversation in which it was agreed."),
    "buyerUserId": id_property("Who buys."),
    "Booking.side": described("What you are to it; null if you take no part in it."),
    "Booking.currency": text_property("The currency of all its money.", 3),
    "Booking.legs": described("The legs that concern you: one job of one provider each."),
    "receipts": described("The entries of its journal that concern you, the oldest first."),
    "totals": described("The sums of the receipts; null if you take no part in it."),
    "payments": described("What is being paid or sent back now."),
    "BookingLeg.legId": id_property(_ID.format("leg")),
    "BookingLeg.threadId": id_property("Its own conversation; null while that is being opened."),
    "providerUserId": id_property("Who provides it."),
    "BookingLeg.title": text_property("What the job is called.", _MOST_TITLE),
    "BookingLeg.city": text_property("The city.", _MOST_SHORT),
    "charges": described("What was agreed later, and paid."),
    "LegCharge.kind": described("The type of the card that agreed on it."),
    "LegCharge.title": text_property("What it is.", _MOST_TITLE),
    "BookingLeg.measures": text_property("What both agreed on for a safe job.", 300),
    "isPaidOut": described("Whether the provider has been paid."),
    "money": described("The amount."),
    "LegDeposit.state": described("Where the deposit stands."),
    "LegDeposit.dueAt": time_property("When it is held, renewed or released; null for never."),
    "operation": described("What the payment provider does."),
    "BookingPayment.code": described("What it is for."),
    "BookingPayment.title": text_property("What it is for, in words.", _MOST_TITLE),
    "BookingPayment.legId": id_property("The leg that it is for."),
    "BookingPayment.state": described("Where it stands."),
    "transferId": id_property("The entry's id."),
    "Receipt.at": time_property("When it was booked."),
    "Receipt.code": described("What it is for."),
    "Receipt.title": text_property("What it is for, in words.", _MOST_TITLE),
    "Receipt.legId": id_property("The leg that it is for."),
    "Receipt.cardId": id_property("The card that moved the money; null if it was due by itself."),
    "Receipt.isOpen": described("Whether it is reserved, and neither taken nor released yet."),
    "BookingTotals.paid": described("What the buyer has paid."),
    "BookingTotals.held": described("What is held as a deposit."),
    "BookingTotals.refunded": described("What the buyer got back."),
    "BookingTotals.paidOut": described("What the provider was paid; null for the buyer."),
    # for staff
    "disputes": described("Disputes that wait for a decision."),
    "OpenDispute.lbgId": id_property("The booking's id: that of its group of legs."),
    "OpenDispute.threadId": id_property("The conversation with the dispute."),
    "leg": described("The leg that it is about."),
    "OpenDispute.card": described("The dispute: `content` has what both sides say and show."),
    "BookingTrouble.payments": described("Payments that were tried too often."),
    "OperatorPayment.key": id_property("The payment's key, with which it is tried again."),
    "OperatorPayment.lbgId": id_property("The booking's id: that of its group of legs."),
    "OperatorPayment.threadId": id_property("The conversation in which it was agreed."),
    "payment": described("The payment."),
    "OperatorPayment.tries": described("How often it was tried."),
    "OperatorPayment.problem": text_property("What went wrong last.", 500),
    "askedAt": time_property("When the booking asked for it."),
    "deadlines": described(
        "Deadlines that failed too often. `greenroom background` and "
        "`POST /v1/background/timers/replay` run them again."
    ),
    "FailedDeadline.kind": text_property("The timer's kind.", MAX_NAME),
    "FailedDeadline.timerId": text_property("The timer's id.", MAX_TIMER_ID),
    "FailedDeadline.threadId": id_property("The conversation, if the timer names it."),
    "FailedDeadline.dueAt": time_property("When it was due."),
    "FailedDeadline.tries": described("How often it was tried."),
    "FailedDeadline.error": text_property("What went wrong last.", MAX_DETAIL),
    "relays": described("News that have not reached their conversation for a minute."),
    "WaitingRelay.lbgId": id_property("The booking's id: that of its group of legs."),
    "WaitingRelay.threadId": id_property("The conversation that waits for them."),
    "WaitingRelay.since": time_property("When the oldest was decided."),
    "WaitingRelay.setAside": described("Whether one of them cannot be relayed."),
    "Message.card": described("Of a message of kind `card`: its card, as it is now."),
}

PARAMETERS: Mapping[str, str] = {
    "cardId": "The card's id.",
    "paymentKey": "The payment's key.",
    "dryRun": "Whether to show what would happen, and write nothing.",
}
