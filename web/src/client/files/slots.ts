// Limits how many run at once. Those that wait get a slot in the order in which they asked.
export class Slots {
  #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves once a slot is free; returns the function that gives it back. Rejects when it is aborted. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free -= 1;
    else await this.#wait(signal);
    return () => this.#give();
  }

  /** One that gave up must not be woken: the slot would be lost. */
  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((done, failed) => {
      const go = (): void => {
        signal.removeEventListener("abort", abort);
        done();
      };
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== go);
        failed(signal.reason);
      };
      this.#waiting.push(go);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** The next one gets it directly, so that nobody who asks meanwhile comes first. */
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
