// Values that change, in the shape of a Svelte store, so that a screen can hold them directly.
import type { Readable } from "./types";

export class Value<T> implements Readable<T> {
  readonly #runs = new Set<(value: T) => void>();
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
    for (const run of [...this.#runs]) run(value);
  }

  subscribe(run: (value: T) => void): () => void {
    this.#runs.add(run);
    run(this.#value);
    return () => this.#runs.delete(run);
  }
}

/**
 * A value that is made of others. `touch` says that they may have changed; however often that is
 * said, it is made once, when the turn is over or somebody looks.
 */
export class Made<T> implements Readable<T> {
  readonly #runs = new Set<(value: T) => void>();
  #value: T;
  #stale = false;

  constructor(private readonly make: () => T) {
    this.#value = make();
  }

  get(): T {
    if (this.#stale) this.#refresh();
    return this.#value;
  }

  touch(): void {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => {
      if (this.#stale) this.#refresh();
    });
  }

  subscribe(run: (value: T) => void): () => void {
    run(this.get());
    this.#runs.add(run);
    return () => this.#runs.delete(run);
  }

  #refresh(): void {
    this.#stale = false;
    this.#value = this.make();
    for (const run of [...this.#runs]) run(this.#value);
  }
}

export function sameList<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((one, at) => one === right[at]);
}
