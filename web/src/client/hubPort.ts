// The way from a tab to the hub: a SharedWorker that all tabs of one user share, or a hub in the
// page itself where there is no such worker, or it may not be loaded.
//
// What one would get wrong: a worker's script must come from the page's own origin. On somebody
// else's site each page has a connection of its own, and nothing else is different.
import { Hub } from "./hub";
import { type Port, type ToHub, type ToTab, createPortPair } from "./protocol";

export type HubPort = Port<ToHub, ToTab>;

export interface HubOptions {
  api: string;
  userId: string;
  shared: boolean;
  Socket?: typeof WebSocket;
}

export function connectToHub(options: HubOptions): HubPort {
  if (options.shared && typeof SharedWorker !== "undefined") {
    try {
      return workerHub(options);
    } catch {
      // Not from here, or not at all.
    }
  }
  return pageHub(options);
}

function workerHub(options: HubOptions): HubPort {
  const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: `greenroom ${options.api} ${options.userId}`,
  });
  // A script that cannot be loaded is told later, and by then there may be something to say.
  const unconfirmed: ToHub[] = [];
  let receive: ((message: ToTab) => void) | null = null;
  let fallback: HubPort | null = null;
  worker.onerror = () => {
    if (fallback !== null) return;
    fallback = pageHub(options);
    if (receive !== null) fallback.listen(receive);
    for (const message of unconfirmed) fallback.post(message);
  };
  return {
    post: (message) => {
      if (fallback !== null) return fallback.post(message);
      if (unconfirmed.length < 100) unconfirmed.push(message);
      worker.port.postMessage(message);
    },
    listen: (run) => {
      receive = run;
      worker.port.onmessage = (event: MessageEvent<ToTab>) => {
        unconfirmed.length = 0;
        run(event.data);
      };
    },
    close: () => {
      fallback?.close();
      worker.port.close();
    },
  };
}

function pageHub(options: HubOptions): HubPort {
  const [tab, hub] = createPortPair<ToHub, ToTab>();
  new Hub(options.userId, options.Socket === undefined ? {} : { Socket: options.Socket }).attach(hub);
  return tab;
}

export interface TabLock {
  name: string;
  release: () => void;
}

/**
 * Held until the tab goes, however it goes, or lets it go. Null where locks are not to be had. What
 * one would get wrong: the hub may ask for it only once the tab has it, or it gets it first.
 */
export function acquireTabLock(): Promise<TabLock | null> {
  if (typeof navigator === "undefined" || navigator.locks === undefined) {
    return Promise.resolve(null);
  }
  const name = `greenroom tab ${crypto.randomUUID()}`;
  return new Promise((granted) => {
    const held = (): Promise<void> =>
      new Promise((release) => granted({ name, release: () => release() }));
    navigator.locks.request(name, held).catch(() => granted(null));
  });
}
