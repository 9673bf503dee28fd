// What a screen calls.
import type { Client, ClientOptions } from "./types";

export function createClient(_: ClientOptions): Client {
  throw new Error("not yet");
}
