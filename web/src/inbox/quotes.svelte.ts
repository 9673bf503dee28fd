// The messages that others answer: taken from the window where they are in it, else asked for once.
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

  /** Undefined while it is on its way, null where it is not to be had. */
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
