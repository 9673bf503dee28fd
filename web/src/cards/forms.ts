// The forms of cards, as data: which fields a type has, how they are filled from a card and read back. Pure.
import type { CardContent } from "../client";
import { moneyField, readMoney, type Money } from "./money";
import { fromZonedField, ownZone, toZonedField } from "./times";
import type { CardType } from "./types";

/** `hidden` is kept from the card that is countered. */
export type FieldKind = "text" | "long" | "money" | "time" | "minutes" | "person" | "files" | "hidden";

export interface FieldSpec {
  name: string;
  kind: FieldKind;
  isRequired?: boolean;
  most?: number;
}

/** A type's fields; `group` repeats. */
export interface FormSpec {
  group?: { name: "legs" | "items" | "measures"; most: number; fields: readonly FieldSpec[] };
  fields: readonly FieldSpec[];
}

/** A card type, or what a transition needs: a reason, an account, a decision. */
export type FormKind = CardType | "note" | "reason" | "answer" | "ruling";

const NOTE: FieldSpec = { name: "note", kind: "long", most: 2000 };
const REASON: FieldSpec = { name: "reason", kind: "long", most: 2000, isRequired: true };
const TITLE: FieldSpec = { name: "title", kind: "text", most: 120, isRequired: true };
const PRICE: FieldSpec = { name: "price", kind: "money", isRequired: true };
const EVIDENCE: FieldSpec = { name: "evidence", kind: "files", most: 10 };
const SPAN: readonly FieldSpec[] = [
  { name: "startsAt", kind: "time", isRequired: true },
  { name: "endsAt", kind: "time", isRequired: true },
];

export const FORMS: Readonly<Record<FormKind, FormSpec>> = {
  offer: {
    group: {
      name: "legs",
      most: 10,
      fields: [
        TITLE,
        { name: "provider", kind: "person", isRequired: true },
        ...SPAN,
        { name: "place", kind: "text", most: 200 },
        { name: "city", kind: "text", most: 80 },
        PRICE,
        { name: "deposit", kind: "money" },
        { name: "service", kind: "hidden" },
        { name: "category", kind: "hidden" },
      ],
    },
    fields: [NOTE],
  },
  reschedule: { fields: [...SPAN, NOTE] },
  extras: { group: { name: "items", most: 20, fields: [TITLE, PRICE] }, fields: [NOTE] },
  overtime: { fields: [{ name: "minutes", kind: "minutes", isRequired: true }, PRICE, NOTE] },
  proofs: { fields: [TITLE, { name: "files", kind: "files", most: 50 }, NOTE] },
  expense: { fields: [TITLE, PRICE, { name: "receipt", kind: "files", most: 1 }, NOTE] },
  cancel: { fields: [REASON, { name: "refund", kind: "money" }] },
  deposit_claim: { fields: [{ name: "amount", kind: "money", isRequired: true }, REASON, EVIDENCE] },
  complete: { fields: [NOTE] },
  dispute: { fields: [REASON, { name: "refund", kind: "money" }, { name: "claim", kind: "money" }, EVIDENCE] },
  safety: {
    group: { name: "measures", most: 10, fields: [{ name: "measure", kind: "text", most: 300, isRequired: true }] },
    fields: [NOTE],
  },
  note: { fields: [NOTE] },
  reason: { fields: [{ ...NOTE, isRequired: true }] },
  answer: { fields: [{ name: "answer", kind: "long", most: 2000, isRequired: true }, EVIDENCE] },
  ruling: { fields: [{ name: "refund", kind: "money" }, { name: "claim", kind: "money" }, { ...NOTE, isRequired: true }] },
};

/** What is typed into one set of fields. Files are ids that are joined with a space. */
export type Typed = Record<string, string>;

export interface FormValues {
  currency: string;
  zone: string;
  fields: Typed;
  rows: Typed[];
}

export function emptyForm(kind: FormKind, currency: string, zone = ownZone()): FormValues {
  const { group } = FORMS[kind];
  return { currency, zone, fields: {}, rows: group ? [{}] : [] };
}

/** The form of a card, to counter it. Its note was another person's, and is left out. */
export function formOf(content: CardContent, currency: string, zone: string): FormValues {
  const { group, fields } = FORMS[content.type];
  const given = content as unknown as Record<string, unknown>;
  const rows = group ? (given[group.name] as unknown[]).map(asRecord) : [];
  const ownZoneOf = (rows[0]?.["timeZone"] as string | undefined) ?? zone;
  const money = [...rows, given].map((one) => one["price"] ?? one["amount"]).find(Boolean) as Money | undefined;
  return {
    currency: money?.currency ?? currency,
    zone: ownZoneOf,
    fields: typedOf(fields, given, ownZoneOf),
    rows: rows.map((row) => typedOf(group?.fields ?? [], row, ownZoneOf)),
  };
}

function asRecord(row: unknown): Record<string, unknown> {
  return typeof row === "string" ? { measure: row } : (row as Record<string, unknown>);
}

function typedOf(fields: readonly FieldSpec[], given: Record<string, unknown>, zone: string): Typed {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const value = given[name];
      if (value === null || value === undefined || name === "note") return [];
      if (kind === "money") return [[name, moneyField(value as Money)]];
      if (kind === "time") return [[name, toZonedField(value as string, zone)]];
      if (kind === "files") return [[name, [value].flat().join(" ")]];
      return [[name, String(value)]];
    }),
  );
}

export type Fault = "missing" | "money" | "time" | "order" | "past" | "number" | "long";
/** By the name of the field, or by `row.name`. */
export type Faults = Record<string, Fault>;
export type Read = { content: Record<string, unknown>; faults: null } | { content: null; faults: Faults };

/** The content that the form says, or what is wrong with it. */
export function readForm(kind: FormKind, values: FormValues, now = Date.now()): Read {
  const { group, fields } = FORMS[kind];
  const faults: Faults = {};
  const content: Record<string, unknown> = isType(kind) ? { type: kind } : {};
  Object.assign(content, readFields(fields, values.fields, values, "", faults, now));
  if (group) {
    const rows = values.rows.map((row, at) => readFields(group.fields, row, values, `${at}.`, faults, now));
    content[group.name] =
      group.name === "measures" ? rows.map((row) => row["measure"])
      : group.name === "legs" ? rows.map((row) => ({ ...row, timeZone: values.zone }))
      : rows;
  }
  return Object.keys(faults).length > 0 ? { content: null, faults } : { content, faults: null };
}

function isType(kind: FormKind): kind is CardType {
  return !["note", "reason", "answer", "ruling"].includes(kind);
}

function readFields(
  fields: readonly FieldSpec[],
  typed: Typed,
  values: FormValues,
  prefix: string,
  faults: Faults,
  now: number,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const text = (typed[field.name] ?? "").trim();
    const value = text === "" ? null : readField(field, text, values);
    if (text === "") {
      if (field.isRequired) faults[prefix + field.name] = "missing";
    } else if (value === null) {
      faults[prefix + field.name] = FAULT_OF[field.kind];
    } else if (isTooLong(field, text)) {
      faults[prefix + field.name] = "long";
    } else {
      found[field.name] = value;
    }
  }
  checkSpan(found, prefix, faults, now);
  return found;
}

/** `most` counts letters, or files. */
function isTooLong({ kind, most = Infinity }: FieldSpec, text: string): boolean {
  return kind === "files" ? text.split(" ").length > most : [...text].length > most;
}

const FAULT_OF: Record<FieldKind, Fault> = {
  hidden: "missing",
  text: "missing",
  long: "missing",
  person: "missing",
  files: "missing",
  money: "money",
  time: "time",
  minutes: "number",
};

function readField({ kind, name }: FieldSpec, text: string, { currency, zone }: FormValues): unknown {
  switch (kind) {
    case "money":
      return readMoney(text, currency);
    case "time":
      return fromZonedField(text, zone)?.toISOString() ?? null;
    case "minutes":
      return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1440 ? Number(text) : null;
    case "files":
      return name === "receipt" ? text : text.split(" ");
    default:
      return text;
  }
}

const PAST_MS = 5 * 60_000;

function checkSpan(found: Record<string, unknown>, prefix: string, faults: Faults, now: number): void {
  const [from, to] = [found["startsAt"], found["endsAt"]] as (string | undefined)[];
  if (from !== undefined && Date.parse(from) < now - PAST_MS) faults[`${prefix}startsAt`] = "past";
  if (from !== undefined && to !== undefined && to <= from) faults[`${prefix}endsAt`] = "order";
}
