// Which conversations can have cards. A file of its own, because the first load needs it.
import type { Thread } from "../client";

const WITH_CARDS = new Set(["inquiry", "invite", "booking", "studio"]);

export function canHaveCards(thread: Pick<Thread, "kind">): boolean {
  return WITH_CARDS.has(thread.kind);
}

/** Whether something was agreed in it. */
export function hasBooking(thread: Pick<Thread, "lbgId">): boolean {
  return Boolean(thread.lbgId);
}
