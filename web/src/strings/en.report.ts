/** The texts of reports: loaded with the components that import this file. */
import { addStrings } from ".";

export const enReport = {
  "report.person": "Report {name}",
  "report.text": "A moderator will review your report. We won't tell anyone that you reported it.",
  "report.reason": "What's wrong?",
  "report.note": "Anything else we should know?",
  "report.send": "Send report",
  "reason.harassment": "Harassment",
  "reason.doxxing": "Shares private details",
  "reason.nsfw": "Sexual or disturbing content",
  "reason.scam": "Scam or fraud",
  "reason.spam": "Spam",
  "reason.off_platform": "Asks to talk or pay elsewhere",
  "reason.other": "Something else",
} as const;

addStrings(enReport);
