// The words of a card: its badge, and until when it waits for whom.
import type { CardView } from "../client";
import { list, plainString, t, timeUntil } from "../strings";
import "../strings/en.cards";
import { isOpen, waitsFor } from "./rules";
import { momentText } from "./times";

type Name = (userId: string) => string;

/** "Waiting for you", "Booked", "Declined". */
export function badgeText(card: CardView, myId: string, name: Name): string {
  if (card.state === "applied") return plainString(`card.applied.${card.type}`);
  if (card.state === "accepted") return t("card.badge.accepted");
  if (card.state === "failed") return t("card.badge.failed");
  if (!isOpen(card)) return t(`card.state.${card.state}`);
  if (waitsFor(card, myId)) return t("card.badge.you");
  if (card.waitsOnStaff) return t("card.badge.staff");
  return t("card.badge.other", { name: list(card.waitsOnUserIds.map((one) => firstName(name(one)))) });
}

/** A badge is small. */
function firstName(name: string): string {
  return name.split(" ")[0] || name;
}

/** "Waits for your answer until Fri, 20 Nov, 14:00 (in 2 days). Without an answer, it expires." */
export function waitsText(card: CardView, myId: string, name: Name, now = Date.now()): string {
  if (!isOpen(card) || card.dueAt === null) return "";
  const due = Date.parse(card.dueAt);
  const inTime = due > now ? timeUntil(due, now) : t("card.overdue");
  const at = { when: momentText(due), in: inTime };
  return `${whoText(card, myId, name, at)} ${card.waitsOnStaff ? t("card.due.staff") : dueText(card.dueTransition)}`.trim();
}

function whoText(card: CardView, myId: string, name: Name, at: { when: string; in: string }): string {
  if (card.state === "accepted") return t("card.waits.payment", at);
  if (waitsFor(card, myId)) return t("card.waits.you", at);
  if (card.waitsOnStaff) return t("card.waits.staff", at);
  return t("card.waits.other", { ...at, name: list(card.waitsOnUserIds.map(name)) });
}

const DUE = ["expire", "accept_in_silence", "escalate", "fail"] as const;

function dueText(transition: string | null): string {
  const known = DUE.find((one) => one === transition);
  return known === undefined ? "" : t(`card.due.${known}`);
}

const DOES = ["accept", "counter", "decline", "withdraw", "ask_changes", "deliver", "respond", "decide"] as const;
export type Doing = (typeof DOES)[number];

/** A transition that this app has words for; others keep the server's title. */
export function known(transition: string): Doing | null {
  return DOES.find((one) => one === transition) ?? null;
}

const REASONS = ["declined", "insufficient_funds", "method_invalid", "hold_expired"] as const;

/** The provider's reason in words; a note of a person stays as it is. */
export function reasonText(note: string): string {
  const reason = REASONS.find((one) => one === note);
  return reason === undefined ? note : t(`card.reason.${reason}`);
}
