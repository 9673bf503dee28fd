// Interruptions between client and server: no message is lost or duplicated.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client, Conversation } from "../src/client";
import { MemoryStorage, pause, TestServer, interceptedSocket, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben"], "limited");
});

after(() => server.close());

const texts = (open: Conversation): string[] =>
  open.state.get().messages.filter((one) => one.kind === "text").map((one) => one.body);
const all = (open: Conversation): string[] => [
  ...texts(open),
  ...open.state.get().outgoing.map((one) => one.body),
];
const isLive = (client: Client): boolean => client.connection.get().state === "live";

test("no message is lost or duplicated when the server is killed and restarted", async () => {
  const thread = await server.openThread("ana", "ben");
  const [ana, ben] = [server.client("ana"), server.client("ben")];
  const [mine, theirs] = [ana.open(thread), ben.open(thread)];
  await waitFor(() => isLive(ana) && isLive(ben) && texts(mine).length === 1);
  const doubled: string[] = [];
  for (const open of [mine, theirs]) {
    open.state.subscribe(() => {
      const found = all(open);
      if (new Set(found).size !== found.length) doubled.push(found.join());
    });
  }
  const written = ["Hello!"];
  for (let n = 0; n < 14; n++) {
    const text = `line ${n}`;
    written.push(text);
    (n % 3 === 0 ? ben : ana).send(thread, text);
    if (n === 6) void server.kill();
    await pause(5);
  }
  await waitFor(() => !isLive(ana) && !isLive(ben), "both are disconnected");
  assert.ok(mine.state.get().outgoing.length > 0);
  await server.start();
  ana.retryNow();
  ben.retryNow();
  await waitFor(() => texts(mine).length === written.length, "ana has all");
  await waitFor(() => texts(theirs).length === written.length, "ben has all");
  assert.deepEqual(texts(mine), texts(theirs));
  assert.deepEqual([...texts(mine)].sort(), [...written].sort());
  assert.deepEqual(await server.texts("ana", thread), texts(mine));
  const byAna = texts(mine).filter((text) => Number(text.slice(5)) % 3 !== 0 && text !== "Hello!");
  assert.deepEqual(byAna, written.filter((text) => byAna.includes(text)), "in the order written");
  assert.deepEqual(mine.state.get().outgoing, []);
  assert.deepEqual(doubled, []);
});

test("a message whose reply is lost is sent again under the same id", async () => {
  const thread = await server.openThread("ana", "ben");
  let lost = 0;
  const names = new Set<string>();
  const socket = interceptedSocket({
    out: (frame) => {
      if (frame.type === "send") names.add(frame.clientMessageId);
      return frame;
    },
    in: (frame) => {
      if (frame.type !== "ack" || frame.status !== "sent" || lost > 0) return frame;
      lost++;
      return { type: "closing", reason: "a test", reconnectAfterMs: 50 };
    },
  });
  const sockets: WebSocket[] = [];
  const Kept = new Proxy(socket, {
    construct(target, given) {
      const made = new target(...(given as [string]));
      sockets.push(made);
      return made;
    },
  });
  const ana = server.client("ana", { WebSocket: Kept });
  const open = ana.open(thread);
  await waitFor(() => isLive(ana) && texts(open).length === 1);
  const doubled: string[] = [];
  open.state.subscribe(() => {
    if (all(open).filter((text) => text === "once").length > 1) doubled.push(all(open).join());
  });
  ana.send(thread, "once");
  await waitFor(() => lost === 1, "a reply is lost");
  await pause(50);
  assert.equal(open.state.get().outgoing.length, 1, "its outcome is unknown");
  sockets[0]!.close();
  await waitFor(() => open.state.get().outgoing.length === 0, "it is confirmed");
  assert.deepEqual(await server.texts("ana", thread), ["Hello!", "once"]);
  assert.deepEqual(texts(open), ["Hello!", "once"]);
  assert.equal(names.size, 1);
  assert.deepEqual(doubled, []);
});

test("a message sent before the thread is loaded shows once, even if its reply is lost", async () => {
  const thread = await server.openThread("ana", "ben");
  let lost = 0;
  const socket = interceptedSocket({
    in: (frame) => {
      if (frame.type !== "ack" || frame.status !== "sent" || lost > 0) return frame;
      lost++;
      return null;
    },
  });
  const ana = server.client("ana", { WebSocket: socket });
  const open = ana.open(thread);
  ana.send(thread, "early");
  await waitFor(() => lost === 1 && open.state.get().thread?.lastSeq === 2, "it arrived without a reply");
  await waitFor(() => open.state.get().messages.length > 0, "the history is loaded");
  assert.deepEqual(all(open), ["Hello!", "early"]);
  assert.equal(open.state.get().outgoing.length, 1);
});

test("waiting messages survive a reload in order, and missed ones arrive without one", async () => {
  const thread = await server.openThread("ana", "ben");
  const storage = new MemoryStorage();
  const first = server.client("ana", { storage });
  const open = first.open(thread);
  await waitFor(() => isLive(first) && texts(open).length === 1);
  await server.kill();
  await waitFor(() => !isLive(first));
  for (const text of ["one", "two", "three"]) first.send(thread, text);
  await pause(20);
  first.close();
  assert.equal(storage.length, 3);

  const ben = server.client("ben");
  await server.start();
  const again = server.client("ana", { storage });
  const reopened = again.open(thread);
  const theirs = ben.open(thread);
  ben.retryNow();
  await waitFor(() => texts(reopened).at(-1) === "three", "sent after the reload");
  await waitFor(() => texts(theirs).at(-1) === "three", "received by the other user");
  assert.deepEqual(await server.texts("ana", thread), ["Hello!", "one", "two", "three"]);
  await waitFor(() => storage.length === 0, "the storage is empty");
});

test("an expiring token is renewed while connected, and a refused one is reported", async () => {
  const thread = await server.openThread("ana", "ben");
  let given = 0;
  // The server accepts a token for ten seconds after it expires. The client fetches the first to learn
  // its user id, the second for the socket.
  const short = () => server.token("ana", { seconds: given++ < 2 ? 5 - 10 : 3600 });
  const states = new Set<string>();
  const auths: string[] = [];
  const socket = interceptedSocket({
    out: (frame) => {
      if (frame.type === "auth") auths.push(frame.token);
      return frame;
    },
  });
  const ana = server.client("ana", { token: short, WebSocket: socket });
  await waitFor(() => isLive(ana));
  ana.connection.subscribe(({ state }) => states.add(state));
  await waitFor(() => new Set(auths).size >= 2, "renewed");
  await pause(6000); // until the first has expired
  assert.deepEqual([...states], ["live"], "the connection was never broken");
  const open = ana.open(thread);
  await waitFor(() => texts(open).length === 1);

  const refusedClient = server.client("ana", { token: () => "no token at all" });
  await waitFor(() => refusedClient.connection.get().state === "refused");
  assert.match(refusedClient.connection.get().problem!.type, /invalid-token/);
});

test("everything is loaded again if the cursor is too old or invalid", async () => {
  for (const cursor of [await server.oldCursor("ana"), "nonsense"]) {
    const thread = await server.openThread("ana", "ben");
    let resumed = 0;
    const socket = interceptedSocket({
      out: (frame) => {
        if (frame.type !== "resume" || resumed++ > 0) return frame;
        return { ...frame, cursor };
      },
    });
    const ana = server.client("ana", { WebSocket: socket });
    const [list, open] = [ana.folder("all"), ana.open(thread)];
    await waitFor(() => isLive(ana) && texts(open).length === 1 && list.state.get().loaded);
    await server.kill();
    await waitFor(() => !isLive(ana));
    await server.start();
    const body = { body: "while you were away", clientMessageId: `away-${thread}` };
    await server.request("ben", "POST", `/threads/${thread}/messages`, body);
    ana.retryNow();
    await waitFor(() => resumed > 0 && isLive(ana), "live again");
    await waitFor(() => texts(open).at(-1) === "while you were away", "the history");
    const row = () => list.state.get().threads.find((one) => one.threadId === thread);
    await waitFor(() => row()?.preview === "while you were away", "the inbox");
    ana.close();
  }
});

test("a refused message stays in the outbox, and the next one is sent", async () => {
  const thread = await server.openThread("ana", "ben");
  const storage = new MemoryStorage();
  const ana = server.client("ana", { storage });
  const open = ana.open(thread);
  await waitFor(() => isLive(ana) && texts(open).length === 1);
  const refused = ana.send(thread, "x".repeat(20_000));
  ana.send(thread, "shorter");
  await waitFor(() => texts(open).at(-1) === "shorter");
  const [left] = open.state.get().outgoing;
  assert.equal(left?.state, "refused");
  assert.match(left?.problem?.type ?? "", /invalid-text/);
  assert.equal(storage.length, 1);
  assert.equal(ana.discard(refused.clientMessageId)?.body.length, 20_000);
  await waitFor(() => open.state.get().outgoing.length === 0);
  assert.equal(storage.length, 0);
});
