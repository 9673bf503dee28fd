// What a card says, as pairs of a label and a value. Pure.
import type { CardContent } from "../client";
import { list, number, t } from "../strings";
import "../strings/en.cards";
import { moneyText, sumOf, type Money } from "./money";
import { ownZone, sameClock, spanText, zoneName } from "./times";
import type { LegTerms } from "./types";

export interface Fact {
  label: string;
  value: string;
  /** Said below it, such as the same time on the reader's clock. */
  also?: string;
  isMain?: boolean;
  /** A line with its own amount. */
  isItem?: boolean;
  /** Files of the conversation. */
  files?: readonly string[];
}

export interface Around {
  /** The time zone of the card's leg; of offers each leg has its own. */
  zone: string;
  name: (userId: string) => string;
}

/** The line below the type: what it is about. */
export function titleOf(content: CardContent): string {
  switch (content.type) {
    case "offer":
      return list(content.legs.map((leg) => leg.title));
    case "extras":
      return list(content.items.map((one) => one.title));
    case "overtime":
      return t("card.minutes", { count: content.minutes });
    case "proofs":
      return t("card.round", { title: content.title, round: number(content.round ?? 1) });
    case "expense":
      return content.title;
    default:
      return "";
  }
}

export function factsOf(content: CardContent, around: Around): Fact[] {
  switch (content.type) {
    case "offer":
      return content.legs.flatMap((leg) => legFacts(leg, content.legs.length > 1, around)).concat(offerTotal(content.legs));
    case "reschedule":
      return [when(content.startsAt, content.endsAt, around.zone)];
    case "extras":
      return [
        ...(content.items.length > 1 ? content.items.map((one) => ({ label: one.title, value: moneyText(one.price), isItem: true })) : []),
        ...amount(t("card.fact.total"), sumOf(content.items.map((one) => one.price))),
      ];
    case "overtime":
    case "expense":
      return [
        ...amount(t("card.fact.price"), content.price),
        ...("receipt" in content && content.receipt ? files(t("card.fact.receipt"), [content.receipt]) : []),
      ];
    case "proofs":
      return files(t("card.fact.files"), content.files ?? []);
    case "cancel":
      return [
        { label: t("card.fact.reason"), value: content.reason },
        ...(content.refund ? amount(t("card.fact.refund"), content.refund) : []),
      ];
    case "deposit_claim":
      return [
        ...amount(t("card.fact.claim"), content.amount),
        { label: t("card.fact.reason"), value: content.reason },
        ...files(t("card.fact.evidence"), content.evidence ?? []),
      ];
    case "dispute":
      return disputeFacts(content);
    case "safety":
      return [{ label: t("card.fact.measures"), value: content.measures.map((one) => `• ${one}`).join("\n") }];
    case "complete":
      return [];
  }
}

function legFacts(leg: LegTerms, isOneOfSeveral: boolean, around: Around): Fact[] {
  const place = [leg.place, leg.city].filter(Boolean).join(", ");
  return [
    ...(isOneOfSeveral ? [{ label: leg.title, value: around.name(leg.provider), isMain: true }] : []),
    when(leg.startsAt, leg.endsAt, leg.timeZone ?? "UTC"),
    ...(place ? [{ label: t("card.fact.where"), value: place }] : []),
    ...(leg.service ? [{ label: t("card.fact.service"), value: leg.service }] : []),
    ...(isOneOfSeveral ? amount(t("card.fact.price"), leg.price) : []),
    ...(leg.deposit ? amount(t("card.fact.deposit"), leg.deposit) : []),
  ];
}

function offerTotal(legs: readonly LegTerms[]): Fact[] {
  const label = legs.length > 1 ? t("card.fact.total") : t("card.fact.price");
  return amount(label, sumOf(legs.map((leg) => leg.price))).map((one) => ({ ...one, isMain: true }));
}

function disputeFacts(content: Extract<CardContent, { type: "dispute" }>): Fact[] {
  return [
    { label: t("card.fact.reason"), value: content.reason },
    ...(content.refund ? amount(t("card.fact.wantsRefund"), content.refund) : []),
    ...(content.claim ? amount(t("card.fact.wantsClaim"), content.claim) : []),
    ...files(t("card.fact.evidence"), content.evidence ?? []),
    ...(content.answer ? [{ label: t("card.fact.answer"), value: content.answer }] : []),
    ...files(t("card.fact.answerEvidence"), content.answerEvidence ?? []),
  ];
}

function amount(label: string, money: Money | null): Fact[] {
  return money === null ? [] : [{ label, value: moneyText(money) }];
}

function files(label: string, ids: readonly string[]): Fact[] {
  return ids.length === 0 ? [] : [{ label, value: t("card.files", { count: ids.length }), files: ids }];
}

/** In the job's time zone; also in the reader's, if clocks there show another time. */
export function when(from: string, to: string, zone: string): Fact {
  const label = t("card.fact.when");
  const mine = ownZone();
  if (sameClock(from, zone, mine) && sameClock(to, zone, mine)) return { label, value: spanText(from, to, zone) };
  return {
    label,
    value: t("card.inZone", { when: spanText(from, to, zone), zone: zoneName(zone) }),
    also: t("card.yourTime", { when: spanText(from, to, mine) }),
  };
}
