// The suggested times to send a message later, also across changes of the clocks.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { earliest, fromField, inOneHour, suggestedTimes, toField } from "../src/scheduled/sendTimes";

const zone = process.env["TZ"];
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

/** The suggestions as local times, by name. */
function suggested(now: Date): Record<string, string> {
  return Object.fromEntries(suggestedTimes(now).map(({ name, at }) => [name, toField(at)]));
}

test("on a Wednesday: in one hour, tomorrow and Monday at nine", () => {
  assert.deepEqual(suggested(new Date(2026, 10, 18, 15, 20)), {
    hour: "2026-11-18T16:20",
    tomorrow: "2026-11-19T09:00",
    monday: "2026-11-23T09:00",
  });
});

test("Monday is left out on a Sunday, and is that of the next week on a Monday", () => {
  assert.deepEqual(Object.keys(suggested(new Date(2026, 10, 22, 23, 59))), ["hour", "tomorrow"]);
  assert.equal(suggested(new Date(2026, 10, 23, 0, 0))["monday"], "2026-11-30T09:00");
});

test("before nine, tomorrow is still tomorrow; months and years end", () => {
  assert.equal(suggested(new Date(2026, 11, 31, 3, 0))["tomorrow"], "2027-01-01T09:00");
  assert.equal(suggested(new Date(2028, 1, 28, 12, 0))["tomorrow"], "2028-02-29T09:00");
});

test("nine o'clock stays nine o'clock when the clocks change", () => {
  process.env["TZ"] = "Europe/Lisbon";
  const spring = suggestedTimes(new Date("2026-03-28T12:00:00Z"));
  assert.equal(spring[1]?.at.toISOString(), "2026-03-29T08:00:00.000Z", "summer time begins");
  const autumn = suggestedTimes(new Date("2026-10-24T12:00:00Z"));
  assert.equal(autumn[1]?.at.toISOString(), "2026-10-25T09:00:00.000Z", "summer time ends");
});

test("one hour is an hour, also when the clocks change", () => {
  process.env["TZ"] = "Europe/Lisbon";
  const now = new Date("2026-03-29T00:30:00Z"); // at one the clocks go to two
  assert.equal(inOneHour(now).getTime() - now.getTime(), 3_600_000);
  assert.equal(toField(inOneHour(now)), "2026-03-29T02:30");
  assert.equal(inOneHour(new Date("2026-11-18T15:20:01Z")).toISOString(), "2026-11-18T16:21:00.000Z");
});

test("a field gives back the time that it shows", () => {
  for (const name of ["Europe/Lisbon", "Asia/Kolkata", "America/St_Johns", "Pacific/Auckland"]) {
    process.env["TZ"] = name;
    const at = new Date("2026-07-01T10:05:00Z");
    assert.equal(fromField(toField(at))?.getTime(), at.getTime(), name);
  }
  assert.equal(fromField(""), null);
  assert.equal(fromField("2026-13-40T99:00"), null);
});

test("a time that the clocks leave out is moved forward", () => {
  process.env["TZ"] = "Europe/Lisbon";
  assert.equal(fromField("2026-03-29T01:30")?.toISOString(), "2026-03-29T01:30:00.000Z");
});

test("the earliest time is in the next minute", () => {
  assert.equal(earliest(new Date("2026-11-18T15:20:59.999Z")).toISOString(), "2026-11-18T15:21:00.000Z");
  assert.equal(earliest(new Date("2026-11-18T15:20:00Z")).toISOString(), "2026-11-18T15:21:00.000Z");
});
