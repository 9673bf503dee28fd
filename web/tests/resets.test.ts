// After an interruption the client loads only the sources again that the server could not resume.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client, Conversation, ThreadList } from "../src/client";
import { pause, TestServer, interceptedSocket, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben"], "limitless");
  globalThis.fetch = recordedFetch;
});

after(() => {
  globalThis.fetch = plainFetch;
  return server.close();
});

/** The paths that clients have loaded. */
const loaded = new Set<string>();
const plainFetch = globalThis.fetch;
const recordedFetch: typeof fetch = (input, init) => {
  const method = init?.method?.toUpperCase() ?? "GET";
  if (method === "GET") loaded.add(new URL(String(input)).pathname);
  return plainFetch(input, init);
};

const AWAY = "while you were away";
const LATER = "scheduled while you were away";
const UNTIL_RECOUNTED_MS = 700;

interface Screen {
  client: Client;
  thread: string;
  list: ThreadList;
  open: Conversation;
}

/** A client that was away, and whose cursor has no part for `source` when it comes back. */
async function reconnectedWithout(source: string): Promise<Screen> {
  const thread = await server.openThread("ana", "ben");
  let isAway = false;
  let [cursor, without] = ["", ""];
  const sockets: WebSocket[] = [];
  const Cut = new Proxy(
    interceptedSocket({
      in: (frame) => {
        if (without === "") cursor = frame.cursor ?? cursor;
        return frame;
      },
      out: (frame) => (frame.type === "resume" ? { ...frame, cursor: without } : frame),
    }),
    {
      construct(target, [address]: [string]) {
        const made = new target(isAway ? "ws://127.0.0.1:9/" : address);
        sockets.push(made);
        return made;
      },
    },
  );
  const client = server.client("ana", { WebSocket: Cut });
  const [list, open] = [client.folder("all"), client.open(thread)];
  await waitFor(() => client.connection.get().state === "live" && client.scheduled.state.get().loaded);
  await waitFor(() => list.state.get().loaded && open.state.get().messages.length > 0, "all is loaded");
  await pause(UNTIL_RECOUNTED_MS);
  isAway = true;
  sockets.at(-1)?.close();
  await waitFor(() => client.connection.get().state !== "live", "away");
  await server.request("ben", "POST", `/threads/${thread}/messages`, { body: AWAY, clientMessageId: `away-${thread}` });
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  await server.request("ana", "POST", `/threads/${thread}/scheduled-messages`, { body: LATER, sendAt });
  without = await server.cursorWithout(source, "ana", cursor);
  loaded.clear();
  isAway = false;
  client.retryNow();
  return { client, thread, list, open };
}

/** Waits until the screen shows what happened meanwhile, and all that was asked for is loaded. */
async function upToDate({ client, thread, list, open }: Screen): Promise<void> {
  const row = () => list.state.get().threads.find((one) => one.threadId === thread);
  await waitFor(() => open.state.get().messages.at(-1)?.body === AWAY, "the conversation");
  await waitFor(() => row()?.preview === AWAY, "the inbox");
  const { state } = client.scheduled;
  await waitFor(() => state.get().messages.some((one) => one.threadId === thread), "the scheduled messages");
  await pause(UNTIL_RECOUNTED_MS);
}

const pathsOf = (screen: Screen) => ({
  inbox: ["/v1/inbox", "/v1/inbox/counts", `/v1/threads/${screen.thread}`, `/v1/threads/${screen.thread}/messages`],
  notices: ["/v1/me/notices"],
  scheduled: ["/v1/scheduled-messages"],
});

/** Of the paths that belong to a source, those that were loaded again. */
function reloaded(screen: Screen): string[] {
  return Object.values(pathsOf(screen)).flat().filter((path) => loaded.has(path));
}

for (const source of ["scheduled", "notices", "inbox"] as const) {
  test(`a reset of \`${source}\` loads what shows it, and nothing of the other sources`, async () => {
    const screen = await reconnectedWithout(source);
    await upToDate(screen);
    assert.deepEqual(reloaded(screen), pathsOf(screen)[source]);
    screen.client.close();
  });
}
