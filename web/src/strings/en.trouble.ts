/** The texts of what bookings need from staff: loaded with the components that import this file. */
import { addStrings } from ".";

export const enTrouble = {
  "trouble.disputes": "Disputes",
  "trouble.dispute": "Dispute about “{title}”",
  "trouble.price": "Price",
  "trouble.deposit": "Deposit",
  "trouble.refund": "Wants back",
  "trouble.claim": "Wants from the deposit",
  "trouble.evidence": "Evidence",
  "trouble.noAnswer": "Hasn't given an account yet.",
  "trouble.record": "All steps",
  "trouble.decide": "Decide",
  "trouble.payments": "Stuck payments",
  "trouble.payment": "Payment",
  "trouble.tries": { one: "Tried {count} time", other: "Tried {count} times" },
  "trouble.retried": "Trying the payment again",
  "trouble.deadlines": "Failed deadlines",
  "trouble.deadlinesText": "“greenroom background replay timers” runs them again once their cause is fixed.",
  "trouble.due": "Due {when}",
  "trouble.relays": "Late news",
  "trouble.since": "Since {when}",
  "trouble.failed": "This didn't load",
  "trouble.empty": "Nothing needs you",
  "trouble.emptyText": "Disputes, stuck payments and failed deadlines of bookings show up here.",
} as const;

addStrings(enTrouble);
