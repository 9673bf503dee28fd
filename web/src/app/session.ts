// Who is signed in, in this tab: two windows can be two people. Kept in sessionStorage, which a
// reload keeps and closing the tab throws away.
//
// What one would get wrong: the token of a sample person is renewed by signing in again; a token
// that somebody has pasted cannot be, and when it ends the session does.
import { signInAsSample } from "../client";

export type Session =
  | { kind: "sample"; username: string; token: string; expiresAt: string }
  | { kind: "token"; token: string };

const PLACE = "greenroom.session";
const EARLY_MS = 90_000;

export function savedSession(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? "null") as Session | null;
  } catch {
    return null;
  }
}

export function saveSession(session: Session | null): void {
  if (session === null) sessionStorage.removeItem(PLACE);
  else sessionStorage.setItem(PLACE, JSON.stringify(session));
}

export async function sampleSession(username: string): Promise<Session> {
  const { token, expiresAt } = await signInAsSample(username);
  return { kind: "sample", username, token, expiresAt };
}

/** The token callback of the client. */
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
