// The session of this tab, in sessionStorage: it survives a reload, ends with the tab, and two
// windows can have two users.
//
// Careful: a sample person's token is renewed by signing in again. A pasted token cannot be renewed;
// when it expires, so does the session.
import { signInAsSample } from "../client";

export type Session =
  | { kind: "sample"; username: string; token: string; expiresAt: string }
  | { kind: "token"; token: string };

const STORAGE_KEY = "greenroom.session";
const EARLY_MS = 90_000;

export function savedSession(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as Session | null;
  } catch {
    return null;
  }
}

export function saveSession(session: Session | null): void {
  if (session === null) sessionStorage.removeItem(STORAGE_KEY);
  else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));
}

export async function sampleSession(username: string): Promise<Session> {
  const { token, expiresAt } = await signInAsSample(username);
  return { kind: "sample", username, token, expiresAt };
}

/** The client's token callback. */
export function tokenOf(session: Session): () => Promise<string> {
  let now = session;
  return async () => {
    if (now.kind === "sample" && Date.parse(now.expiresAt) - Date.now() < EARLY_MS) {
      now = await sampleSession(now.username);
      saveSession(now);
    }
    return now.token;
  };
}
