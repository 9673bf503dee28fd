// Connects a tab to the hub: in a SharedWorker that all tabs of the user share, or in the page itself
// if the worker cannot be loaded.
//
// Careful: a worker's script must come from the page's own origin. Embedded in another site, each page
// has its own connection.
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
      // The browser does not allow it here.
    }
  }
  return pageHub(options);
}

function workerHub(options: HubOptions): HubPort {
  const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: `greenroom ${options.api} ${options.userId}`,
  });
  // A script that fails to load is reported later. The messages sent until then go to the fallback.
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
 * A lock that the tab holds until it closes, crashes or releases it. Null without the Web Locks API.
 * Careful: the tab must have the lock before it gives the name to the hub, or the hub gets it first.
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
