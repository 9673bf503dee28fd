// A booking in one line: the leg that comes next, and what it costs altogether. Pure.
import type { Booking, BookingLeg } from "../client";
import { sumOf, type Money } from "./money";

/** The first leg that is not over; or else the last one. */
export function nextLeg(legs: readonly BookingLeg[], now = Date.now()): BookingLeg | null {
  const sorted = [...legs].sort((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt));
  const going = sorted.filter((one) => one.status !== "cancelled");
  return going.find((one) => Date.parse(one.endsAt) > now) ?? going.at(-1) ?? sorted.at(-1) ?? null;
}

/** The worst that is true of any leg. */
const RANK = ["disputed", "confirmed", "completed", "cancelled"] as const;

export function statusOf(legs: readonly BookingLeg[]): BookingLeg["status"] | null {
  return RANK.find((one) => legs.some((leg) => leg.status === one)) ?? null;
}

/** Prices and all that was agreed later, without canceled legs. */
export function priceOf({ legs }: Pick<Booking, "legs">): Money | null {
  const going = legs.filter((one) => one.status !== "cancelled");
  return sumOf(going.flatMap((leg) => [leg.price, ...leg.charges.map((one) => one.price)]));
}

/** Without reservations that were taken or released since: the line that follows says so. */
export function shownReceipts(receipts: Booking["receipts"]): Booking["receipts"] {
  return receipts.filter((one, at) => {
    const next = receipts[at + 1];
    const isResolved =
      next !== undefined &&
      !one.isOpen &&
      next.code === one.code &&
      next.legId === one.legId &&
      next.cardId === one.cardId &&
      next.money.minor === one.money.minor;
    return !isResolved;
  });
}
