// Cards without a browser: amounts, times across zones, forms, what each side can propose, what a dry run says.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setLanguage } from "../src/strings";
import { en } from "../src/strings/en";
import { enCards } from "../src/strings/en.cards";
import type { BookingLeg, CardView, DryRun } from "../src/client";
import { dryLines } from "../src/cards/dryText";
import { emptyForm, formOf, FORMS, readForm, type FormKind } from "../src/cards/forms";
import { nextLeg, priceOf, shownReceipts, statusOf } from "../src/cards/glance";
import { moneyField, moneyText, readMoney } from "../src/cards/money";
import { partiesOf, proposable, sideOf } from "../src/cards/parties";
import { optionsOf, toneOf } from "../src/cards/rules";
import { fromZonedField, sameClock, toZonedField } from "../src/cards/times";
import { badgeText, waitsText } from "../src/cards/words";

const LISBON = "Europe/Lisbon";
const NOW = Date.parse("2026-11-20T12:00:00Z");
const name = (userId: string): string => ({ usr_ana: "Ana", usr_ben: "Ben" })[userId] ?? "Someone";

beforeEach(() => setLanguage("en", { ...en, ...enCards } as never));

test("amounts are read as people type them, in any locale", () => {
  const read = (typed: string, currency = "EUR"): number | null => readMoney(typed, currency)?.minor ?? null;
  for (const typed of ["1200.50", "1,200.50", "1.200,50", "1 200,5", "1'200.50", " 1200,5 "]) assert.equal(read(typed), 120050, typed);
  for (const typed of ["400", "400.0", "400,00"]) assert.equal(read(typed), 40000, typed);
  assert.equal(read("1,200"), 120000, "three digits are thousands, where a cent has two");
  assert.equal(read("1,200", "JPY"), 1200);
  assert.equal(read("12.5", "JPY"), null, "there is no half yen");
  assert.deepEqual(["1.234", "1,234", "0,123"].map((typed) => read(typed, "KWD")), [1234, null, 123]);
  assert.equal(read("1.25", "KWD"), 1250);
  for (const typed of ["", "-5", "1e3", "12.345.6", "1,2,3", "€5", "NaN", "12.5.", "9".repeat(20)]) assert.equal(read(typed), null, typed);
});

test("an amount in a field is read back as the same amount", () => {
  for (const currency of ["EUR", "JPY", "KWD"]) {
    for (const minor of [0, 1, 5, 10, 99, 100, 1005, 123456, 10 ** 12]) {
      assert.deepEqual(readMoney(moneyField({ minor, currency }), currency), { minor, currency }, `${minor} ${currency}`);
    }
  }
});

test("amounts are shown with the decimals of their currency, not with the browser's", () => {
  assert.match(moneyText({ minor: 1234, currency: "JPY" }), /1,234$/);
  assert.match(moneyText({ minor: 1234, currency: "IQD" }), /1\.234$/);
  assert.equal(moneyText({ minor: 40000, currency: "EUR" }, { short: true }), "€400");
  assert.equal(moneyText({ minor: 40050, currency: "EUR" }, { short: true }), "€400.50");
});

test("a field means a time in the job's zone, also when the clocks change", () => {
  assert.equal(fromZonedField("2026-12-10T16:30", LISBON)?.toISOString(), "2026-12-10T16:30:00.000Z");
  assert.equal(fromZonedField("2026-07-10T16:30", LISBON)?.toISOString(), "2026-07-10T15:30:00.000Z");
  assert.equal(fromZonedField("2026-03-29T01:30", LISBON)?.toISOString(), "2026-03-29T01:30:00.000Z", "left out: moved on");
  assert.equal(fromZonedField("2026-10-25T01:30", LISBON)?.toISOString(), "2026-10-25T00:30:00.000Z", "twice: the first");
  for (const zone of ["Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham", "UTC"]) {
    assert.equal(fromZonedField(toZonedField("2026-07-01T10:05:00Z", zone), zone)?.toISOString(), "2026-07-01T10:05:00.000Z", zone);
  }
  for (const value of ["", "2026-13-40T99:00", "tomorrow"]) assert.equal(fromZonedField(value, LISBON), null, value);
  assert.equal(sameClock("2026-07-01T10:05:00Z", LISBON, "Europe/London"), true);
  assert.equal(sameClock("2026-07-01T10:05:00Z", LISBON, "Europe/Berlin"), false);
});

const LEG = { title: "Portraits", provider: "usr_ben", startsAt: "2026-12-10T16:30", endsAt: "2026-12-10T20:30", price: "400" };

test("a form becomes content, with all amounts in one currency and times in UTC", () => {
  const values = { ...emptyForm("offer", "EUR", LISBON), rows: [{ ...LEG, deposit: "150", city: "" }] };
  assert.deepEqual(readForm("offer", values, NOW).content, {
    type: "offer",
    legs: [
      {
        title: "Portraits",
        provider: "usr_ben",
        startsAt: "2026-12-10T16:30:00.000Z",
        endsAt: "2026-12-10T20:30:00.000Z",
        price: { minor: 40000, currency: "EUR" },
        deposit: { minor: 15000, currency: "EUR" },
        timeZone: LISBON,
      },
    ],
  });
});

test("what is wrong is said beside its field", () => {
  const faults = (rows: Record<string, string>[]): object =>
    readForm("offer", { ...emptyForm("offer", "EUR", LISBON), rows }, NOW).faults ?? {};
  assert.deepEqual(faults([{ ...LEG, title: " ", price: "a lot" }]), { "0.title": "missing", "0.price": "money" });
  assert.deepEqual(faults([LEG, { ...LEG, endsAt: "2026-12-10T16:30" }]), { "1.endsAt": "order" });
  assert.deepEqual(faults([{ ...LEG, startsAt: "2026-11-20T11:00" }]), { "0.startsAt": "past" });
  assert.deepEqual(faults([{ ...LEG, title: "x".repeat(121) }]), { "0.title": "long" });
  const minutes = (typed: string): unknown =>
    readForm("overtime", { ...emptyForm("overtime", "EUR"), fields: { minutes: typed, price: "1" } }).faults?.["minutes"];
  assert.deepEqual(["0", "1441", "1.5", "30"].map(minutes), ["number", "number", "number", undefined]);
});

test("files are counted, not the letters of their ids", () => {
  const expense = (receipt: string): unknown =>
    readForm("expense", { ...emptyForm("expense", "EUR"), fields: { title: "Taxi", price: "25", receipt } });
  assert.deepEqual(expense("fil_1"), {
    content: { type: "expense", title: "Taxi", price: { minor: 2500, currency: "EUR" }, receipt: "fil_1" },
    faults: null,
  });
  assert.deepEqual(expense("fil_1 fil_2"), { content: null, faults: { receipt: "long" } });
});

test("no form can be sent empty, except where nothing is required", () => {
  const kinds = Object.keys(FORMS) as FormKind[];
  const free = kinds.filter((kind) => readForm(kind, emptyForm(kind, "EUR", LISBON), NOW).faults === null);
  assert.deepEqual(free, ["complete", "note"]);
});

test("a card that is countered unchanged says the same, without the other's note", () => {
  const content = {
    type: "offer" as const,
    note: "Mine",
    legs: [
      {
        title: "Portraits", provider: "usr_ben", service: "photographer", category: "editorial", place: "", city: "Lisbon",
        startsAt: "2026-12-10T16:30:00.000Z", endsAt: "2026-12-10T20:30:00.000Z", timeZone: "Asia/Tokyo",
        price: { minor: 40050, currency: "JPY" }, deposit: null,
      },
    ],
  };
  const read = readForm("offer", formOf(content, "EUR", LISBON), NOW).content as unknown as typeof content;
  const { place: _, deposit: __, ...said } = content.legs[0]!;
  assert.deepEqual(read, { type: "offer", legs: [said] });
});

const people = (...given: [string, string][]) => ({
  openedByUserId: "usr_ana",
  participants: given.map(([userId, role]) => ({ userId, role })) as never,
});

test("sides follow roles; where nobody has one, the opener buys", () => {
  const byRole = partiesOf(people(["usr_ana", "buyer"], ["usr_ben", "seller"], ["usr_ada", "support"]));
  assert.deepEqual(byRole, { buyer: "usr_ana", sellers: ["usr_ben"] });
  const members = partiesOf(people(["usr_ana", "member"], ["usr_ben", "member"]));
  assert.deepEqual(members, { buyer: "usr_ana", sellers: ["usr_ben"] });
  assert.deepEqual(["usr_ana", "usr_ben", "usr_ada"].map((one) => sideOf(byRole, one)), ["buyer", "seller", null]);
});

test("before a booking only an offer can be proposed; later what the side and the leg allow", () => {
  const leg = { status: "confirmed", startsAt: "2026-12-01T09:00:00Z", deposit: { state: "scheduled" } };
  assert.deepEqual(proposable("buyer", [], NOW), ["offer"]);
  assert.deepEqual(proposable(null, [leg], NOW), []);
  assert.ok(!proposable("buyer", [leg], NOW).includes("expense"));
  assert.ok(proposable("seller", [leg], NOW).includes("expense"));
  assert.ok(!proposable("seller", [leg], NOW).includes("complete"), "it has not begun");
  assert.ok(!proposable("seller", [leg], NOW).includes("deposit_claim"), "nothing is held");
  const done = { status: "completed", startsAt: "2026-11-01T09:00:00Z", deposit: { state: "held" } };
  assert.deepEqual(proposable("seller", [done], NOW), ["offer", "deposit_claim", "dispute"]);
});

const CARD = {
  cardId: "crd_1", type: "offer", title: "Offer", state: "proposed", version: 1, legId: null, proposerUserId: "usr_ben",
  proposerSide: "seller", waitsOnUserIds: ["usr_ana"], waitsOnStaff: false, note: "",
  content: { type: "offer", legs: [], note: "" }, dueAt: "2026-11-22T12:00:00Z", dueTransition: "expire",
  options: [
    { transition: "decline", title: "Decline", userIds: ["usr_ana"], staff: false, input: "note" },
    { transition: "accept", title: "Accept", userIds: ["usr_ana"], staff: false, input: "nothing" },
    { transition: "withdraw", title: "Withdraw", userIds: ["usr_ben"], staff: false, input: "nothing" },
    { transition: "decide", title: "Decide", userIds: [], staff: true, input: "ruling" },
  ],
  createdAt: "2026-11-20T10:00:00Z", changedAt: "2026-11-20T10:00:00Z",
} as unknown as CardView;

test("each side sees its own answers, the main one first", () => {
  const of = (who: string, isStaff = false): string[] => optionsOf(CARD, who, isStaff).map((one) => one.transition);
  assert.deepEqual(of("usr_ana"), ["accept", "decline"]);
  assert.deepEqual(of("usr_ben"), ["withdraw"]);
  assert.deepEqual(of("usr_ada", true), ["decide"]);
  assert.deepEqual(of("usr_eve"), []);
});

test("a card says whom it waits for, and what happens without an answer", () => {
  assert.equal(badgeText(CARD, "usr_ana", name), "Waiting for you");
  assert.equal(badgeText(CARD, "usr_ben", name), "Waiting for Ana");
  assert.equal(badgeText({ ...CARD, state: "applied" }, "usr_ben", name), "Booked");
  assert.match(waitsText(CARD, "usr_ana", name, NOW), /^Waits for your answer until .* \(in 2 days\)\. Without an answer, it expires\.$/);
  assert.match(waitsText(CARD, "usr_ana", name, NOW + 9e9), /overdue/);
  assert.equal(waitsText({ ...CARD, state: "declined" }, "usr_ana", name, NOW), "");
  assert.deepEqual([toneOf(CARD, "usr_ana"), toneOf(CARD, "usr_ben"), toneOf({ ...CARD, state: "failed" }, "usr_ana")], ["amber", "", "red"]);
});

const BOOKED = {
  legId: "leg_1", threadId: null, providerUserId: "usr_ben", status: "confirmed", title: "Portraits", service: "", place: "",
  city: "", category: "", startsAt: "2026-12-10T16:30:00Z", endsAt: "2026-12-10T20:30:00Z", timeZone: "UTC",
  price: { minor: 40000, currency: "EUR" }, charges: [], deposit: null, measures: [], isPaidOut: false, version: 1,
} as unknown as BookingLeg;

test("a dry run says what it costs, what is booked, who is told, and whether it can be undone", () => {
  const dry = {
    card: { ...CARD, state: "accepted", waitsOnUserIds: [] },
    toPay: [], toReturn: [], total: { minor: 42000, currency: "EUR" }, totalReturned: null,
    legs: [{ ...BOOKED, deposit: { money: { minor: 15000, currency: "EUR" }, state: "scheduled" } }],
    tellsUserIds: ["usr_ana", "usr_ben"],
  } as unknown as DryRun;
  const of = (myId: string): string[] => dryLines(dry, { myId, buyerId: "usr_ana", name, legs: [] }).map((one) => one.text);
  const [pays, booked, deposit, tells, undo] = of("usr_ana");
  assert.equal(pays, "You pay €420.00 now.");
  assert.match(booked ?? "", /^It's booked: Portraits, /);
  assert.match(deposit ?? "", /^A deposit of €150.00 is held /);
  assert.deepEqual([tells, undo], ["We tell Ben.", "You can't undo this."]);
  assert.equal(of("usr_ben")[0], "Ana pays €420.00 now.");
  const proposed = dryLines({ ...dry, card: CARD, total: null, legs: [] }, { myId: "usr_ben", buyerId: "usr_ana", name, legs: [] });
  assert.equal(proposed[0]?.text, "Nothing is paid until it's accepted.");
  const asked = dryLines({ ...dry, card: CARD, legs: [] }, { myId: "usr_ana", buyerId: "usr_ana", name, legs: [] });
  assert.equal(asked[0]?.text, "You pay €420.00 when it's accepted.");
  assert.equal(proposed.at(-1)?.text, "You can withdraw it until it's answered.");
});

test("a glance shows the next job, the worst status, and the price without what was canceled", () => {
  const past = { ...BOOKED, legId: "leg_0", startsAt: "2026-11-01T09:00:00Z", endsAt: "2026-11-01T12:00:00Z", status: "completed" as const };
  const gone = { ...BOOKED, legId: "leg_2", startsAt: "2026-11-25T09:00:00Z", status: "cancelled" as const };
  const legs = [gone, BOOKED, past];
  assert.equal(nextLeg(legs, NOW)?.legId, "leg_1");
  assert.equal(nextLeg([past], NOW)?.legId, "leg_0");
  assert.equal(statusOf([past, { ...BOOKED, status: "disputed" }]), "disputed");
  assert.deepEqual(priceOf({ legs }), { minor: 80000, currency: "EUR" });
  assert.equal(priceOf({ legs: [gone] }), null);
});

test("a reservation is not listed beside what became of it", () => {
  const line = (transferId: string, isOpen: boolean, minor = 100) =>
    ({ transferId, code: "price", legId: "leg_1", cardId: "crd_1", money: { minor, currency: "EUR" }, isOpen }) as never;
  const shown = (...lines: never[]): string[] => shownReceipts(lines).map((one) => one.transferId);
  assert.deepEqual(shown(line("reserved", false), line("paid", false)), ["paid"]);
  assert.deepEqual(shown(line("reserved", true), line("other", false)), ["reserved", "other"]);
  assert.deepEqual(shown(line("a", false, 1), line("b", false, 2)), ["a", "b"]);
});
