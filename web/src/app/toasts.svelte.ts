// Toasts: short messages that disappear, such as "Archived · Undo", and the texts of errors.
import { isProblem, type ProblemDocument } from "../client";
import { dateTime, plainString, problemText, t, type PlainKey } from "../strings";

export interface Toast {
  id: number;
  text: string;
  act?: { name: string; run: () => void };
}

const TOAST_MS = 6000;

export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #last = 0;

  show(text: string, act?: { name: string; run: () => void }): void {
    const id = ++this.#last;
    this.list = [...this.list.slice(-2), act === undefined ? { id, text } : { id, text, act }];
    setTimeout(() => this.hide(id), act === undefined ? TOAST_MS : TOAST_MS * 2);
  }

  hide(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** Runs the action and shows a toast if it fails. Returns whether it succeeded. */
  async attempt(action: () => Promise<unknown>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.show(errorText(error));
      return false;
    }
  }
}

/** An error whose message is a text for the user. */
export class UserError extends Error {}

export function errorText(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!isProblem(error)) {
    console.error(error);
    return t("app.wrong");
  }
  return problemMessage(error);
}

/** The texts of problems that the client itself detects. */
const OWN: Readonly<Record<string, PlainKey>> = {
  "client/unreachable": "client.unreachable",
  "client/not-found": "client.not-found",
  "client/no-answer": "client.no-answer",
  "client/no-token": "status.refused",
  "client/unreadable": "client.unreadable",
  "client/upload-refused": "client.upload-refused",
};

const SERVER_FAILED = 500;

/** The text for the user: ours if we have one for this code, else the server's. */
export function problemMessage(problem: ProblemDocument | null | undefined): string {
  if (!problem) return t("app.wrongText");
  const own = OWN[problem.type];
  if (own) return plainString(own);
  const code = problem.type.slice(problem.type.lastIndexOf("/") + 1);
  const given = problem as unknown as Record<string, unknown>;
  const fields = "fields" in given ? (given["fields"] as typeof given) : given;
  if (code === "account-suspended") return suspended(fields);
  const text = problemText(code, fields);
  if (text !== null) return text;
  if (problem.status >= SERVER_FAILED) return t("client.no-answer");
  return problem.detail || problem.title || t("app.wrongText");
}

function suspended(fields: Readonly<Record<string, unknown>>): string {
  const { until, reason, contact } = fields;
  return [
    typeof until === "string"
      ? t("notice.suspendedUntil", { when: dateTime(until) })
      : t("notice.suspendedForGood"),
    typeof reason === "string" && reason !== "" ? t("notice.reason", { reason }) : "",
    typeof contact === "string" && contact !== ""
      ? t("notice.appealTo", { contact })
      : t("notice.appeal"),
  ]
    .filter(Boolean)
    .join(" ");
}
