// What an upload does after an error.
import { isProblem } from "../rest";
import type { ProblemDocument } from "../types";

/** The file was deleted, or its upload has expired: it is announced again. */
export function isGone(error: unknown): boolean {
  return isProblem(error) && (error.status === 404 || error.status === 410);
}

/** Worth trying again: no connection, an overloaded server, an outdated position or URL. */
export function isTemporary(error: unknown): boolean {
  if (!isProblem(error)) return false;
  if (error.code === "unreachable" || error.status >= 500 || error.status === 429) return true;
  return ["upload-conflict", "append-conflict", "upload-incomplete", "link-expired", "no-answer"].includes(error.code);
}

export function retryAfterMs(error: unknown): number {
  return isProblem(error) ? Number(error.fields["retryAfterS"] ?? 0) * 1000 : 0;
}

export function problemOf(error: unknown): ProblemDocument {
  if (isProblem(error)) return error.fields as unknown as ProblemDocument;
  console.error(error);
  return { type: "client/no-answer", title: "client/no-answer", status: 0 };
}
