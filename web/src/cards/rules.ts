// What a card means to its reader: whom it waits for, what they can do, how it is coloured. Pure functions.
import type { CardView } from "../client";
import type { CardOption } from "./types";

export function waitsFor(card: Pick<CardView, "waitsOnUserIds">, userId: string): boolean {
  return card.waitsOnUserIds.includes(userId);
}

const OPEN = new Set(["proposed", "countered", "accepted"]);

export function isOpen(card: Pick<CardView, "state">): boolean {
  return OPEN.has(card.state);
}

/** Main answers first, and what ends it last. */
const ORDER = ["accept", "decide", "respond", "deliver", "counter", "ask_changes", "decline", "withdraw"];

export function optionsOf(card: Pick<CardView, "options">, userId: string, isStaff: boolean): CardOption[] {
  const place = ({ transition }: CardOption): number => {
    const at = ORDER.indexOf(transition);
    return at < 0 ? ORDER.length : at;
  };
  return card.options
    .filter((one) => one.userIds.includes(userId) || (one.staff && isStaff))
    .sort((a, b) => place(a) - place(b));
}

export type Tone = "green" | "amber" | "red" | "";

/** Amber waits for the reader; green has taken effect; red has failed. */
export function toneOf(card: Pick<CardView, "state" | "waitsOnUserIds">, userId: string): Tone {
  if (card.state === "applied") return "green";
  if (card.state === "failed") return "red";
  return isOpen(card) && waitsFor(card, userId) ? "amber" : "";
}

export type Button = "primary" | "plain" | "danger" | "quiet";

export function buttonOf(transition: string): Button {
  if (["accept", "decide", "deliver", "respond"].includes(transition)) return "primary";
  if (transition === "decline") return "quiet";
  return "plain";
}
