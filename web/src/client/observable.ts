// Observable values, compatible with Svelte stores.
import type { Readable } from "./types";

export class Value<T> implements Readable<T> {
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#value);
    return () => this.#listeners.delete(listener);
  }
}

/**
 * A value computed from others. Call `invalidate` when they may have changed; it is computed again once,
 * in a microtask or when it is read.
 */
export class ComputedValue<T> implements Readable<T> {
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;
  #stale = false;

  constructor(private readonly compute: () => T) {
    this.#value = compute();
  }

  get(): T {
    if (this.#stale) this.#refresh();
    return this.#value;
  }

  invalidate(): void {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => {
      if (this.#stale) this.#refresh();
    });
  }

  subscribe(listener: (value: T) => void): () => void {
    listener(this.get());
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #refresh(): void {
    this.#stale = false;
    this.#value = this.compute();
    for (const listener of [...this.#listeners]) listener(this.#value);
  }
}

export function sameItems<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((one, at) => one === right[at]);
}
