// The way from a tab to the hub: a SharedWorker that all tabs of one user share, or a hub in the
// page itself where there is no such worker, or it may not be loaded.
//
// What one would get wrong: a worker's script must come from the page's own origin. On somebody
// else's site each page has a connection of its own, and nothing else is different.
import { Hub } from "./hub";
import { type Port, type ToHub, type ToTab, ways } from "./wire";

export type HubPort = Port<ToHub, ToTab>;

export interface Where {
  api: string;
  userId: string;
  shared: boolean;
  Socket?: typeof WebSocket;
}

export function reachHub(where: Where): HubPort {
  if (where.shared && typeof SharedWorker !== "undefined") {
    try {
      return inWorker(where);
    } catch {
      // Not from here, or not at all.
    }
  }
  return inPage(where);
}

function inWorker(where: Where): HubPort {
  const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: `greenroom ${where.api} ${where.userId}`,
  });
  // A script that cannot be loaded is told later, and by then there may be something to say.
  const said: ToHub[] = [];
  let take: ((message: ToTab) => void) | null = null;
  let instead: HubPort | null = null;
  worker.onerror = () => {
    if (instead !== null) return;
    instead = inPage(where);
    if (take !== null) instead.listen(take);
    for (const message of said) instead.post(message);
  };
  return {
    post: (message) => {
      if (instead !== null) return instead.post(message);
      if (said.length < 100) said.push(message);
      worker.port.postMessage(message);
    },
    listen: (run) => {
      take = run;
      worker.port.onmessage = (event: MessageEvent<ToTab>) => {
        said.length = 0;
        run(event.data);
      };
    },
    close: () => {
      instead?.close();
      worker.port.close();
    },
  };
}

function inPage(where: Where): HubPort {
  const [tab, hub] = ways<ToHub, ToTab>();
  new Hub(where.userId, where.Socket === undefined ? {} : { Socket: where.Socket }).attach(hub);
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
export function lockOfTab(): Promise<TabLock | null> {
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
