/**
 * Texts in the user's language (`t`), and formats for times, numbers and lists.
 *
 * Careful: language and locale differ. Texts, plurals and lists are in a language that we ship; dates,
 * times, weekdays and numbers follow the browser's locale.
 */
import { en } from "./en";
import type { enCards } from "./en.cards";
import type { enDetails } from "./en.details";
import type { enDocuments } from "./en.documents";
import type { enFiles } from "./en.files";
import type { enManage } from "./en.manage";
import type { enModeration } from "./en.moderation";
import type { enNewConversation } from "./en.newConversation";
import type { enProject } from "./en.project";
import type { enPerson } from "./en.person";
import type { enReport } from "./en.report";
import type { enSettings } from "./en.settings";
import type { enShortcuts } from "./en.shortcuts";
import type { enTrouble } from "./en.trouble";

type Parameters<S> = S extends `${string}{${infer P}}${infer Rest}` ? P | Parameters<Rest> : never;
type English = typeof en &
  typeof enCards &
  typeof enDetails &
  typeof enDocuments &
  typeof enReport &
  typeof enFiles &
  typeof enManage &
  typeof enModeration &
  typeof enNewConversation &
  typeof enPerson &
  typeof enProject &
  typeof enSettings &
  typeof enShortcuts &
  typeof enTrouble;
type Translation<T> = T extends string ? string : { readonly [K in keyof T]: string };
/** What a language must have. */
export type Strings = { readonly [K in keyof English]: Translation<English[K]> };
export type Key = keyof English;
type Text<K extends Key> = English[K] extends string ? English[K] : English[K][keyof English[K]];
type Needs<K extends Key> = Parameters<Text<K>> | (English[K] extends string ? never : "count");
type Args<K extends Key> = [Needs<K>] extends [never]
  ? []
  : [{ readonly [P in Needs<K>]: string | number }];

/** Careful: a component must import the file that has its texts; tests/web/test_strings.py checks it. */
let strings = en as Partial<Strings> as Strings;
let language = "en";

/** Adds the English texts of a feature that is loaded later. A translation has them already. */
export function addStrings(texts: Partial<Strings>): void {
  strings = { ...texts, ...strings };
}

/** Call before anything is rendered. */
export function setLanguage(tag: string, translation: Strings): void {
  language = tag;
  strings = translation;
}

/** The browser's locale. Tags that Intl does not know are skipped. */
export function locale(): string {
  const wanted = typeof navigator === "undefined" ? [] : navigator.languages;
  return Intl.DateTimeFormat.supportedLocalesOf([...wanted].filter(isTag))[0] ?? language;
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

export function t<K extends Key>(key: K, ...args: Args<K>): string {
  return fill(key, (args[0] ?? {}) as Record<string, string | number>);
}

/** The keys of texts without parameters. */
export type PlainKey = { [K in Key]: [Needs<K>] extends [never] ? K : never }[Key];

/** Like `t`, for a key in a variable that needs no parameters. */
export function plainString(key: PlainKey): string {
  return fill(key, {});
}

/** For composed keys: `tx('kind', 'direct')`. An unknown name is returned as it is. */
export function tx(prefix: string, name: string): string {
  const key = `${prefix}.${name}`;
  return key in strings ? fill(key as Key, {}) : name;
}

/** The text for a problem code; null if we have none. */
export function problemText(code: string, fields: Readonly<Record<string, unknown>>): string | null {
  const key = `problem.${code}`;
  if (!(key in strings)) return null;
  const wait = inTime(Number(fields["retryAfterS"] ?? 0), Math.ceil);
  const again = fields["againAt"];
  const when = typeof again === "string" ? dateTime(again) : "";
  return fill(key as Key, { wait, when, most: Number(fields["most"] ?? 0) });
}

const UNITS = [
  { unit: "second", size: 1, below: 100 },
  { unit: "minute", size: 60, below: 5400 },
  { unit: "hour", size: 3600, below: 2 * 86_400 },
  { unit: "day", size: 86_400, below: Infinity },
] as const;

/** "in 40 seconds", "in 5 minutes", "in 2 hours", "in 5 days" */
function inTime(seconds: number, round: (value: number) => number): string {
  const { unit, size } = UNITS.find(({ below }) => seconds < below) ?? UNITS[0];
  const relative = format("in", () => new Intl.RelativeTimeFormat(language, { numeric: "always" }));
  return relative.format(Math.max(1, round(seconds / size)), unit);
}

/** How long until a time: "in 23 hours". */
export function timeUntil(at: number, now = Date.now()): string {
  return inTime((at - now) / 1000, Math.round);
}

/** The text of a system message for a row of the list; unknown events get a general text. */
export function eventInRow(event: string, name: string): string {
  const key = `row.event.${event}`;
  return key in strings ? fill(key as Key, { name }) : t("event.other");
}

function fill(key: Key, parameters: Record<string, string | number>): string {
  const found: string | { readonly one: string; readonly other: string } = strings[key];
  const text = typeof found === "string" ? found : found[plural(Number(parameters["count"]))];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

function plural(count: number): "one" | "other" {
  return format("plural", () => new Intl.PluralRules(language)).select(count) === "one"
    ? "one"
    : "other";
}

export function number(value: number): string {
  return format("number", () => new Intl.NumberFormat(locale())).format(value);
}

/** At most two digits: a badge is small. */
export function badgeCount(value: number): string {
  return value > 99 ? "99+" : number(value);
}

export function list(names: readonly string[]): string {
  return format("list", () => new Intl.ListFormat(language, { type: "conjunction" })).format(names);
}

/** 14:05 */
export function clock(at: string | number): string {
  return format("clock", () => new Intl.DateTimeFormat(locale(), { timeStyle: "short" })).format(
    new Date(at),
  );
}

/** 14 May 2026, 14:05 */
export function dateTime(at: string | number): string {
  const options = { dateStyle: "medium", timeStyle: "short" } as const;
  return format("moment", () => new Intl.DateTimeFormat(locale(), options)).format(new Date(at));
}

/** The heading above a day's messages: Today, Yesterday, Monday, 14 May, 14 May 2025. */
export function dayLabel(at: string | number, now = Date.now()): string {
  const days = daysBetween(at, now);
  if (days === 0) return t("log.today");
  if (days === 1) return t("log.yesterday");
  if (days > 1 && days < 7) return weekday(at);
  return date(at, now);
}

/** The day of a time to come: Today, Tomorrow, Mon 23 Nov. */
export function futureDay(at: string | number, now = Date.now()): string {
  const days = -daysBetween(at, now);
  if (days === 0) return t("later.today");
  if (days === 1) return t("later.tomorrow");
  return weekdayAndDate(at, now);
}

/** Mon 23 Nov, Fri 8 Jan 2027 */
function weekdayAndDate(at: string | number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  const options = { weekday: "short", day: "numeric", month: "short" } as const;
  return format(`weekdayAndDate ${isThisYear}`, () =>
    new Intl.DateTimeFormat(locale(), isThisYear ? options : { ...options, year: "numeric" }),
  ).format(new Date(at));
}

/** Monday */
export function weekday(at: string | number): string {
  return format("weekday", () => new Intl.DateTimeFormat(locale(), { weekday: "long" })).format(
    new Date(at),
  );
}

/** For lists: 14:05 today, Mon this week, 14 May, 14 May 2025. */
export function shortDate(at: string | number, now = Date.now()): string {
  const days = daysBetween(at, now);
  if (days <= 0) return clock(at);
  if (days < 7) {
    return format("short", () => new Intl.DateTimeFormat(locale(), { weekday: "short" })).format(
      new Date(at),
    );
  }
  return date(at, now);
}

export function date(at: string | number, now = Date.now()): string {
  const when = new Date(at);
  if (when.getFullYear() === new Date(now).getFullYear()) {
    return format(
      "date",
      () => new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short" }),
    ).format(when);
  }
  return format("year", () => new Intl.DateTimeFormat(locale(), { dateStyle: "medium" })).format(
    when,
  );
}

/** Identifies a day in the user's time zone. */
export function dayKey(at: string | number): string {
  const when = new Date(at);
  return `${when.getFullYear()}-${when.getMonth()}-${when.getDate()}`;
}

function daysBetween(at: string | number, now: number): number {
  const midnight = (ms: string | number): number => new Date(ms).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(at)) / 86_400_000);
}

function navigatorTag(): string {
  return typeof navigator === "undefined" ? "" : navigator.language;
}

const formats = new Map<string, unknown>();

/** Cached: formatters are slow to create, and a list needs hundreds. */
function format<T>(name: string, make: () => T): T {
  const key = `${language} ${navigatorTag()} ${name}`;
  if (!formats.has(key)) formats.set(key, make());
  return formats.get(key) as T;
}
