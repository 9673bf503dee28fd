// Who buys and who sells in a conversation, and which cards that side can propose now. Pure functions.
//
// Careful: the server decides. This only leaves out what it would refuse.
import type { Thread } from "../client";
import type { CardType } from "./types";

export interface Parties {
  buyer: string | null;
  sellers: readonly string[];
}

export function partiesOf(thread: Pick<Thread, "participants" | "openedByUserId">): Parties {
  const of = (...roles: string[]): string[] =>
    thread.participants.filter((one) => roles.includes(one.role)).map((one) => one.userId);
  const members = of("member");
  const isOpener = members.includes(thread.openedByUserId);
  const buyer = of("buyer")[0] ?? (isOpener ? thread.openedByUserId : members.length === 1 ? members[0] : null);
  const sellers = of("seller", "host");
  const found = sellers.length > 0 ? sellers : members;
  return { buyer: buyer ?? null, sellers: found.filter((one) => one !== buyer) };
}

export type Side = "buyer" | "seller" | null;

export function sideOf(parties: Parties, userId: string): Side {
  if (userId === parties.buyer) return "buyer";
  return parties.sellers.includes(userId) ? "seller" : null;
}

/** In the order of the menu. */
const PROPOSABLE: readonly { type: CardType; by: readonly Side[]; leg: readonly string[] | null }[] = [
  { type: "offer", by: ["buyer", "seller"], leg: null },
  { type: "reschedule", by: ["buyer", "seller"], leg: ["confirmed"] },
  { type: "extras", by: ["buyer", "seller"], leg: ["confirmed"] },
  { type: "overtime", by: ["buyer", "seller"], leg: ["confirmed"] },
  { type: "expense", by: ["seller"], leg: ["confirmed"] },
  { type: "proofs", by: ["seller"], leg: ["confirmed"] },
  { type: "safety", by: ["buyer", "seller"], leg: ["confirmed"] },
  { type: "complete", by: ["buyer", "seller"], leg: ["confirmed"] },
  { type: "deposit_claim", by: ["seller"], leg: ["confirmed", "completed"] },
  { type: "cancel", by: ["buyer", "seller"], leg: ["confirmed"] },
  { type: "dispute", by: ["buyer", "seller"], leg: ["confirmed", "completed"] },
];

export interface LegFacts {
  status: string;
  startsAt: string;
  deposit?: { state: string } | null;
}

/** The types that make sense now: before a booking an offer, later what its legs allow. */
export function proposable(side: Side, legs: readonly LegFacts[], now = Date.now()): CardType[] {
  return PROPOSABLE.filter(({ type, by, leg }) => {
    if (!by.includes(side)) return false;
    if (leg === null) return true;
    return legs.some((one) => leg.includes(one.status) && fits(type, one, now));
  }).map((one) => one.type);
}

/** The legs that a card of this type can be about now. */
export function proposableLegs<T extends LegFacts>(type: CardType, legs: readonly T[], now = Date.now()): T[] {
  const allowed = PROPOSABLE.find((one) => one.type === type)?.leg ?? [];
  return legs.filter((one) => allowed.includes(one.status) && fits(type, one, now));
}

function fits(type: CardType, leg: LegFacts, now: number): boolean {
  if (type === "complete") return Date.parse(leg.startsAt) <= now;
  if (type === "deposit_claim") return ["held", "captured"].includes(leg.deposit?.state ?? "");
  return true;
}
