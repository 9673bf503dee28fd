// The client library's exports. It has no dependencies; see docs/guides/client.md.
export { createClient } from "./client";
export { samplePeople, signInAsSample } from "./demo";
export { isProblem } from "./rest";
export { isMuted } from "./inboxRules";
export type { EventOf, EventType } from "./events";
export type * from "./types";
