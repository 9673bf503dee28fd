// Times of a job: shown in its own time zone, and in the reader's where they differ. Pure functions.
import { locale } from "../strings";

const DAY_MS = 86_400_000;

export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const MOMENT = {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
} as const;

/** "Thu, 10 Dec 2026, 16:30 – 20:30" in a time zone. An end on another day shows that day. */
export function spanText(from: string, to: string, zone: string): string {
  const format = new Intl.DateTimeFormat(locale(), { ...MOMENT, timeZone: knownZone(zone) });
  return format.formatRange(new Date(from), new Date(to));
}

/** "Thu, 10 Dec 2026, 16:30" */
export function momentText(at: string | number, zone?: string): string {
  const options = zone === undefined ? MOMENT : { ...MOMENT, timeZone: knownZone(zone) };
  return new Intl.DateTimeFormat(locale(), options).format(new Date(at));
}

/** "Lisbon" of "Europe/Lisbon". */
export function zoneName(zone: string): string {
  return (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}

/** Whether clocks in both zones show the same at this time. */
export function sameClock(at: string | number, zone: string, other: string): boolean {
  const when = new Date(at);
  return offsetMs(when, zone) === offsetMs(when, other);
}

/** How far a zone is ahead of UTC. */
export function offsetMs(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: knownZone(zone),
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(at.getTime() / 1000) * 1000;
}

/** The value of a datetime-local field for a time, in a zone: "2026-12-10T16:30". */
export function toZonedField(at: string | number, zone: string): string {
  const when = new Date(at);
  return new Date(when.getTime() + offsetMs(when, zone)).toISOString().slice(0, 16);
}

/** The time that a datetime-local field means in a zone; null if it is empty or not complete. One that the
 * clocks leave out is moved forward. */
export function fromZonedField(value: string, zone: string): Date | null {
  const wall = Date.parse(`${value}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) || Number.isNaN(wall)) return null;
  const before = offsetMs(new Date(wall - DAY_MS), zone);
  const after = offsetMs(new Date(wall + DAY_MS), zone);
  for (const offset of [before, after]) {
    const at = new Date(wall - offset);
    if (offsetMs(at, zone) === offset) return at;
  }
  return new Date(wall - before);
}

/** The time zones to choose from, with the one that is chosen now. */
export function zones(chosen: string): string[] {
  const known = Intl.supportedValuesOf("timeZone");
  return [...new Set([ownZone(), chosen, "UTC", ...known])];
}

/** A zone that this browser does not know is shown as UTC. */
function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    return "UTC";
  }
}
