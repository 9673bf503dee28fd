// When to send a message later: the suggested times, and the value of a datetime-local field. Pure functions.
//
// Careful: times are built from local dates, so that nine o'clock stays nine o'clock when the clocks change.

const MORNING_HOUR = 9;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MONDAY = 1;

export interface SuggestedTime {
  name: "hour" | "tomorrow" | "monday";
  at: Date;
}

/** The next Monday is left out if it is tomorrow. */
export function suggestedTimes(now: Date): SuggestedTime[] {
  const tomorrow = tomorrowMorning(now);
  const monday = nextMonday(now);
  return [
    { name: "hour", at: inOneHour(now) },
    { name: "tomorrow", at: tomorrow },
    ...(monday.getTime() === tomorrow.getTime() ? [] : [{ name: "monday" as const, at: monday }]),
  ];
}

/** To the full minute, not before one hour has passed. */
export function inOneHour(now: Date): Date {
  return new Date(Math.ceil((now.getTime() + HOUR_MS) / MINUTE_MS) * MINUTE_MS);
}

export function tomorrowMorning(now: Date): Date {
  return morningIn(now, 1);
}

/** On a Monday: that of the next week. */
export function nextMonday(now: Date): Date {
  return morningIn(now, (MONDAY - now.getDay() + 7) % 7 || 7);
}

function morningIn(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR);
}

/** The value of a datetime-local field: "2026-03-29T09:00". */
export function toField(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const year = String(at.getFullYear()).padStart(4, "0");
  const day = `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The time in a datetime-local field; null if it is empty or not complete. */
export function fromField(value: string): Date | null {
  const at = new Date(value);
  return value === "" || Number.isNaN(at.getTime()) ? null : at;
}

/** The first full minute that a field accepts. */
export function earliest(now: Date): Date {
  return new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS);
}
