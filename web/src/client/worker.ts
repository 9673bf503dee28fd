// The SharedWorker: runs the hub, with a port for each tab. Its name ends with the user's id.
import { Hub } from "./hub";
import type { ToHub, ToTab } from "./protocol";

declare const self: { name: string; onconnect: ((event: MessageEvent) => void) | null };

const hub = new Hub(self.name.slice(self.name.lastIndexOf(" ") + 1), { locks: navigator.locks });

self.onconnect = (event) => {
  const port = event.ports[0];
  if (port === undefined) return;
  hub.attach({
    post: (message: ToTab) => port.postMessage(message),
    listen: (receive: (message: ToHub) => void) => {
      port.onmessage = (said: MessageEvent<ToHub>) => receive(said.data);
    },
    close: () => port.close(),
  });
};
