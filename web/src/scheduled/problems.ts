// Why a scheduled message was not sent, in words.
import type { ScheduledMessage } from "../client";
import { problemText, t } from "../strings";

/** Texts for these codes speak of the moment; the problem was at the time of sending. */
const AT_ITS_TIME = {
  "account-suspended": "later.wasSuspended",
  "message-not-found": "later.replyGone",
} as const;

export function failureText({ problem }: ScheduledMessage): string {
  if (problem === null) return t("app.wrong");
  const code = problem.type.slice(problem.type.lastIndexOf("/") + 1);
  if (code in AT_ITS_TIME) return t(AT_ITS_TIME[code as keyof typeof AT_ITS_TIME]);
  return problemText(code, {}) ?? (problem.detail || t("app.wrong"));
}
