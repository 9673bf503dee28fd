// The only door of the client library: a socket that comes back, an outbox that keeps what was
// written, a mirror of what is on screen. No framework in it; see docs/guides/client.md.
export { createClient } from "./client";
export { samplePeople, signInAsSample } from "./demo";
export { isProblem } from "./rest";
export { isMuted } from "./inboxRules";
export type * from "./types";
