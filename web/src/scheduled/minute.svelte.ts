// The current time for texts such as "in 5 minutes", updated while a component shows them.

const UPDATE_MS = 15_000;

/** Create it while a component is initialised. */
export class Minute {
  now = $state(Date.now());

  constructor() {
    $effect(() => {
      const timer = setInterval(() => (this.now = Date.now()), UPDATE_MS);
      return () => clearInterval(timer);
    });
  }
}
