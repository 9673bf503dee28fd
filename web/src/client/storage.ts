// What the browser keeps of the outbox, for each user and each message a key of its own: written
// before it is sent, and taken away once it is answered. A worker has no such storage, so that
// every tab keeps the same.
//
// What one would get wrong: a tab that goes between the answer and the taking away leaves the key.
// The message is then sent once more under the same name, and the server knows it.
import type { QueuedMessage } from "./protocol";

export type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export class OutboxStorage {
  #written = new Map<string, string>();

  constructor(
    private readonly storage: Storage | null,
    private readonly prefix: string,
  ) {}

  load(): QueuedMessage[] {
    const found: QueuedMessage[] = [];
    for (const key of this.#keys()) {
      try {
        const text = this.storage?.getItem(key) ?? "";
        found.push(JSON.parse(text) as QueuedMessage);
        this.#written.set(key, text);
      } catch {
        this.storage?.removeItem(key);
      }
    }
    return found.sort((a, b) => (a.writtenAt < b.writtenAt ? -1 : 1));
  }

  put(queued: QueuedMessage): void {
    const key = this.prefix + queued.clientMessageId;
    const text = JSON.stringify(queued);
    if (this.#written.get(key) === text) return;
    this.#written.set(key, text);
    try {
      this.storage?.setItem(key, text);
    } catch {
      // Full, or forbidden: it is sent all the same, and only a reload would lose it.
    }
  }

  /** These and no others. */
  putAll(all: readonly QueuedMessage[]): void {
    const wanted = new Set(all.map((queued) => this.prefix + queued.clientMessageId));
    for (const key of [...this.#written.keys()]) if (!wanted.has(key)) this.#remove(key);
    for (const queued of all) this.put(queued);
  }

  clear(): void {
    for (const key of this.#keys()) this.#remove(key);
  }

  #remove(key: string): void {
    this.#written.delete(key);
    this.storage?.removeItem(key);
  }

  #keys(): string[] {
    const found: string[] = [];
    for (let at = 0; at < (this.storage?.length ?? 0); at++) {
      const key = this.storage?.key(at) ?? "";
      if (key.startsWith(this.prefix)) found.push(key);
    }
    return found;
  }
}
