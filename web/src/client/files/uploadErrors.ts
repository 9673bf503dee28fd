// What an upload does after an error.
import { clientProblem, isProblem } from "../rest";
import type { Problem, ProblemDocument } from "../types";

const SERVER_FAILED = 500;
const TOO_MANY_REQUESTS = 429;

/**
 * announce   the file as a new one: the server has deleted it
 * wait       as long as it takes: the connection or the server is down or busy
 * retry      a few times: the server says what it has, and where the rest goes
 * fail       it would fail again
 */
export type Remedy = "announce" | "wait" | "retry" | "fail";

/**
 * `wasSending`: the server has just said where to send the bytes, so that the connection to it is not the reason.
 *
 * Careful: only our server knows of the file. A 404 of the bucket or of a proxy says nothing about it, and each
 * announcement takes room in the user's quota.
 */
export function remedyFor(error: unknown, wasSending: boolean): Remedy {
  if (!isProblem(error)) return "fail";
  if (error.code === "file-not-found") return "announce";
  if (isOutage(error) && (!wasSending || retryAfterMs(error) > 0)) return "wait";
  return wasSending || isFromProxy(error) ? "retry" : "fail";
}

function isOutage({ code, status }: Problem): boolean {
  return code === "unreachable" || status >= SERVER_FAILED || status === TOO_MANY_REQUESTS;
}

/** Or from the bucket: a problem of our server has a code of its own. */
function isFromProxy({ type }: Problem): boolean {
  return type === "client/no-answer" || type === "client/not-found";
}

export function retryAfterMs(error: unknown): number {
  return isProblem(error) ? Number(error.fields["retryAfterS"] ?? 0) * 1000 : 0;
}

/** What the user reads. */
export function problemOf(error: unknown): ProblemDocument {
  if (!isProblem(error)) {
    console.error(error);
    return clientProblem("no-answer", 0);
  }
  if (isFromProxy(error) && error.status < SERVER_FAILED) return clientProblem("upload-refused", error.status);
  return error.fields as unknown as ProblemDocument;
}
