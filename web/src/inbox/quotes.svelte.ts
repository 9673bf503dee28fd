// Quoted messages: taken from the loaded ones, or loaded once.
import { SvelteMap } from "svelte/reactivity";
import type { Client, Message } from "../client";

export class Quotes {
  readonly #client: Client;
  readonly #threadId: string;
  readonly #found = new SvelteMap<string, Message | null>();
  readonly #asked = new Set<string>();

  constructor(client: Client, threadId: string) {
    this.#client = client;
    this.#threadId = threadId;
  }

  /** Undefined while it loads, null if it is not available. */
  get(messageId: string): Message | null | undefined {
    return this.#found.get(messageId);
  }

  want(messages: readonly Message[]): void {
    let here: Map<string, Message> | null = null;
    for (const { replyToMessageId: id } of messages) {
      if (!id) continue;
      here ??= new Map(messages.map((one) => [one.messageId, one]));
      const seen = here.get(id);
      if (seen) {
        if (this.#found.get(id) !== seen) this.#found.set(id, seen);
      } else if (!this.#asked.has(id)) {
        this.#asked.add(id);
        this.#client.message(this.#threadId, id).then(
          (message) => this.#found.set(id, message),
          () => this.#found.set(id, null),
        );
      }
    }
  }
}
