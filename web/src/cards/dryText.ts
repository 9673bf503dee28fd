// What a dry run shows, in sentences: what it costs or returns, what the booking becomes, who is told. Pure.
import type { BookingLeg, DryRun } from "../client";
import { list, t } from "../strings";
import "../strings/en.cards";
import { moneyText } from "./money";
import { isOpen } from "./rules";
import { momentText, spanText, zoneName } from "./times";

export interface DryAround {
  myId: string;
  buyerId: string | null;
  name: (userId: string) => string;
  /** The booking's legs as they are now. */
  legs: readonly BookingLeg[];
}

export interface DryLine {
  is: "money" | "booking" | "people" | "undo";
  text: string;
}

export function dryLines(dry: DryRun, around: DryAround): DryLine[] {
  const lines = [
    ...moneyLines(dry, around).map((text) => ({ is: "money" as const, text })),
    ...legLines(dry, around.legs).map((text) => ({ is: "booking" as const, text })),
    ...peopleLines(dry, around).map((text) => ({ is: "people" as const, text })),
  ];
  const canWithdraw = isOpen(dry.card) && dry.card.state !== "accepted" && dry.card.proposerUserId === around.myId;
  return [...lines, { is: "undo", text: t(canWithdraw ? "dry.canWithdraw" : "dry.noUndo") }];
}

function moneyLines(dry: DryRun, { myId, buyerId, name }: DryAround): string[] {
  const isBuyer = buyerId === myId;
  const other = buyerId === null ? t("app.someone") : name(buyerId);
  const lines: string[] = [];
  if (dry.total) {
    const amount = moneyText(dry.total);
    lines.push(isBuyer ? t("dry.pays", { amount }) : t("dry.otherPays", { amount, name: other }));
  }
  if (dry.totalReturned) {
    const amount = moneyText(dry.totalReturned);
    lines.push(isBuyer ? t("dry.returns", { amount }) : t("dry.otherReturns", { amount, name: other }));
  }
  if (lines.length > 0) return lines;
  const isProposal = dry.card.state === "proposed" || dry.card.state === "countered";
  return [t(isProposal && hasPrice(dry) ? "dry.ifAccepted" : "dry.nothing")];
}

const PRICED = new Set(["offer", "extras", "overtime", "expense"]);

function hasPrice({ card }: DryRun): boolean {
  return PRICED.has(card.type);
}

function legLines(dry: DryRun, before: readonly BookingLeg[]): string[] {
  return dry.legs.flatMap((leg) => {
    const known = before.find((one) => one.legId === leg.legId);
    const zone = zoneName(leg.timeZone);
    const when = t("card.inZone", { when: spanText(leg.startsAt, leg.endsAt, leg.timeZone), zone });
    if (known === undefined) return [t("dry.booked", { title: leg.title, when })];
    const lines: string[] = [];
    if (known.startsAt !== leg.startsAt || known.endsAt !== leg.endsAt) lines.push(t("dry.moved", { when }));
    if (known.status !== leg.status) lines.push(t(`dry.status.${leg.status}`));
    return lines;
  });
}

function peopleLines({ card, tellsUserIds }: DryRun, { myId, name }: DryAround): string[] {
  const others = tellsUserIds.filter((one) => one !== myId).map(name);
  const waits = card.waitsOnUserIds.filter((one) => one !== myId).map(name);
  const lines: string[] = [];
  if (isOpen(card) && waits.length > 0 && card.dueAt !== null) {
    lines.push(t("dry.waitsFor", { names: list(waits), when: momentText(card.dueAt) }));
  }
  if (others.length > 0) lines.push(t("dry.tells", { names: list(others) }));
  return lines;
}
