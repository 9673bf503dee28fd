// What a dry run shows, in sentences: what it costs or returns, what the booking becomes, who is told. Pure.
import type { BookingLeg, CardContent, DryRun } from "../client";
import { list, t } from "../strings";
import "../strings/en.cards";
import { moneyText, type Money } from "./money";
import { isOpen } from "./rules";
import { momentText, ownZone, sameClock, spanText, zoneName } from "./times";

export interface DryAround {
  myId: string;
  buyerId: string | null;
  name: (userId: string) => string;
  /** The booking's legs as they are now. */
  legs: readonly BookingLeg[];
  /** What the step takes from the deposit, and what it sends back. */
  claim?: Money | null;
  refund?: Money | null;
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

function moneyLines(dry: DryRun, { myId, buyerId, name, claim, refund }: DryAround): string[] {
  const isBuyer = buyerId === myId;
  const other = buyerId === null ? t("app.someone") : name(buyerId);
  const isProposal = isUnanswered(dry);
  const lines: string[] = [];
  if (dry.total) {
    const amount = moneyText(dry.total);
    if (isProposal) lines.push(t("dry.paysLater", { amount }));
    else lines.push(isBuyer ? t("dry.pays", { amount }) : t("dry.otherPays", { amount, name: other }));
  }
  if (dry.totalReturned) {
    const amount = moneyText(dry.totalReturned);
    lines.push(isBuyer ? t("dry.returns", { amount }) : t("dry.otherReturns", { amount, name: other }));
  }
  const provider = dry.legs.find((one) => one.legId === dry.card.legId)?.providerUserId;
  if (claim) {
    lines.push(t("dry.fromDeposit", { amount: moneyText(claim), name: provider ? name(provider) : t("app.someone") }));
  }
  if (refund && !dry.totalReturned) lines.push(t("dry.refund", { amount: moneyText(refund), name: isBuyer ? t("app.youInside") : other }));
  if (lines.length > 0) return lines;
  return [t(isProposal && hasPrice(dry) ? "dry.ifAccepted" : "dry.nothing")];
}

const PRICED = new Set(["offer", "extras", "overtime", "expense"]);

/** Whether it would wait for an answer: what it costs is paid when that is yes. */
export function isUnanswered({ card }: DryRun): boolean {
  return card.state === "proposed" || card.state === "countered";
}

/** Whether accepting it costs the buyer something. */
export function hasPrice({ card }: DryRun): boolean {
  return PRICED.has(card.type);
}

function legLines(dry: DryRun, before: readonly BookingLeg[]): string[] {
  return dry.legs.flatMap((leg) => {
    const known = before.find((one) => one.legId === leg.legId);
    const when = whenText(leg);
    if (known === undefined) return [t("dry.booked", { title: leg.title, when }), ...newDeposit(leg)];
    const lines: string[] = [];
    if (known.startsAt !== leg.startsAt || known.endsAt !== leg.endsAt) lines.push(t("dry.moved", { when }));
    if (known.status !== leg.status) lines.push(t(`dry.status.${leg.status}`));
    if (leg.deposit && known.deposit?.state !== leg.deposit.state && leg.deposit.state !== "claimed") {
      lines.push(t(`booking.deposit.${leg.deposit.state}`, { amount: moneyText(leg.deposit.money) }));
    }
    return lines;
  });
}

function whenText({ startsAt, endsAt, timeZone }: DryRun["legs"][number]): string {
  const when = spanText(startsAt, endsAt, timeZone);
  const isMine = [startsAt, endsAt].every((one) => sameClock(one, timeZone, ownZone()));
  return isMine ? when : t("card.inZone", { when, zone: zoneName(timeZone) });
}

function newDeposit({ deposit }: DryRun["legs"][number]): string[] {
  return deposit ? [t("dry.deposit", { amount: moneyText(deposit.money) })] : [];
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

/** What accepting a claim, agreeing to a dispute or deciding it takes and sends back. */
export function amountsOf(
  transition: string,
  content: CardContent | null,
  given: Record<string, unknown> | null,
): { claim: Money | null; refund: Money | null } {
  if (transition === "decide") {
    return { claim: (given?.["claim"] as Money | undefined) ?? null, refund: (given?.["refund"] as Money | undefined) ?? null };
  }
  if (transition !== "accept" || content === null) return { claim: null, refund: null };
  if (content.type === "deposit_claim") return { claim: content.amount, refund: null };
  if (content.type === "dispute") return { claim: content.claim ?? null, refund: content.refund ?? null };
  return { claim: null, refund: null };
}
