// Saves the outbox in localStorage, with one key per user and message: written before sending, removed
// after the reply. A worker has no localStorage, so every tab saves the same.
//
// Careful: a tab that closes between the reply and the removal leaves the key. The message is then sent
// again under the same id, and the server recognises it.
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
      // Full or blocked: it is sent anyway; only a reload would lose it.
    }
  }

  /** Saves these messages and removes all others. */
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
