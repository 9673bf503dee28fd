// A held message shows on all devices of its author until a moderator has decided.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client, Outgoing } from "../src/client";
import { TestServer, interceptedSocket, waitFor } from "./testServer";

const SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram";
let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben", "cleo"], "limitless");
  await server.makeModerator("cleo");
});

after(() => server.close());

const outgoing = (client: Client, threadId: string): Outgoing[] =>
  client.outbox.get().filter((one) => one.threadId === threadId);
const states = (client: Client, threadId: string): string[] =>
  outgoing(client, threadId).map((one) => one.state);
const isLive = (client: Client): boolean => client.connection.get().state === "live";

async function decide(threadId: string, decision: string, text = SCAM): Promise<void> {
  const { cases } = await server.request("cleo", "GET", "/moderation/queue");
  const found = cases.find((one: any) => one.subject.threadId === threadId && one.text === text);
  const place = `/moderation/cases/${found.caseId}`;
  const { version } = await server.request("cleo", "POST", `${place}/claim`);
  await server.request("cleo", "POST", `${place}/decide`, { decision, version });
}

/** Two devices: the message was written on the first, before the second was opened. */
async function twoDevices(): Promise<{ thread: string; phone: Client; laptop: Client }> {
  const thread = await server.openThread("ana", "ben");
  const phone = server.client("ana");
  await waitFor(() => isLive(phone));
  phone.send(thread, SCAM);
  await waitFor(() => states(phone, thread).join() === "held", "held where it was written");
  const laptop = server.client("ana");
  await waitFor(() => states(laptop, thread).join() === "held", "held on the other device");
  assert.equal(outgoing(laptop, thread)[0]?.body, SCAM);
  return { thread, phone, laptop };
}

test("a released message is delivered once on each device", async () => {
  const { thread, phone, laptop } = await twoDevices();
  const [here, there] = [phone.open(thread), laptop.open(thread)];
  await waitFor(() => here.state.get().thread !== null && there.state.get().thread !== null);
  await decide(thread, "release");
  for (const open of [here, there]) {
    const said = (): string[] => open.state.get().messages.map((one) => one.body);
    await waitFor(() => said().includes(SCAM), "delivered");
    await waitFor(() => open.state.get().outgoing.length === 0, "no longer held");
    assert.equal(said().filter((body) => body === SCAM).length, 1);
  }
});

test("a held message has its files on each device, and the released one leaves", async () => {
  const thread = await server.openThread("ana", "ben");
  const phone = server.client("ana");
  await waitFor(() => isLive(phone));
  const files = await phone.files();
  const alts = [`${SCAM} first`, `${SCAM} second`];
  for (const [n, alt] of alts.entries()) {
    const { uploadId } = files.upload(new Blob([`notes ${n}`]), { name: `${n}.txt`, threadId: thread, alt });
    await files.ready(uploadId);
    phone.send(thread, "", { attachments: [uploadId] });
    await waitFor(() => states(phone, thread).filter((state) => state === "held").length === n + 1, "held");
  }
  const laptop = server.client("ana");
  await waitFor(() => states(laptop, thread).join() === "held,held", "held on the other device");
  const shown = (client: Client): unknown[] =>
    outgoing(client, thread).map(({ body, attachments }) => [body, attachments[0]?.fileId, attachments[0]?.alt]);
  assert.deepEqual(shown(laptop), shown(phone));
  assert.deepEqual(outgoing(laptop, thread).map((one) => one.attachments[0]?.alt), alts);
  await waitFor(() => isLive(laptop));
  await decide(thread, "release", alts[1]);
  for (const client of [phone, laptop]) {
    await waitFor(() => outgoing(client, thread).length < 2, "delivered");
    await waitFor(() => client.notices.get().length === 0);
    assert.deepEqual(outgoing(client, thread).map((one) => one.attachments[0]?.alt), alts.slice(0, 1));
  }
});

test("an edit and a name under review are not shown as new messages", async () => {
  const thread = await server.openThread("ana", "ben");
  const sent = { body: "Hello", clientMessageId: crypto.randomUUID() };
  const { message } = await server.request("ana", "POST", `/threads/${thread}/messages`, sent);
  const edit = { body: `${SCAM} today` };
  await server.request("ana", "PATCH", `/threads/${thread}/messages/${message.messageId}`, edit);
  await server.request("ana", "PATCH", `/threads/${thread}`, { subject: SCAM });
  const held = { body: SCAM, clientMessageId: crypto.randomUUID() };
  await server.request("ana", "POST", `/threads/${thread}/messages`, held);
  const kinds = (await server.request("ana", "GET", "/me/held")).held
    .filter((one: any) => one.threadId === thread)
    .map((one: any) => one.kind);
  assert.deepEqual(kinds.sort(), ["edit", "message", "name"]);
  const laptop = server.client("ana");
  await waitFor(() => states(laptop, thread).length > 0, "held messages are loaded");
  assert.deepEqual(outgoing(laptop, thread).map((one) => one.body), [SCAM]);
});

test("a rejected message is shown as rejected on each device", async () => {
  const { thread, phone, laptop } = await twoDevices();
  await waitFor(() => isLive(laptop));
  await decide(thread, "remove");
  await waitFor(() => states(phone, thread).join() === "rejected");
  await waitFor(() => states(laptop, thread).join() === "rejected");
});

test("a reconnected device shows held messages from another device and their decisions", async () => {
  const thread = await server.openThread("ana", "ben");
  const sockets: WebSocket[] = [];
  const Cut = new Proxy(interceptedSocket({}), {
    construct(target, given) {
      const made = new target(...(given as [string]));
      sockets.push(made);
      return made;
    },
  });
  const laptop = server.client("ana", { WebSocket: Cut });
  await waitFor(() => isLive(laptop));
  assert.deepEqual(states(laptop, thread), []);
  const phone = server.client("ana");
  await waitFor(() => isLive(phone));
  phone.send(thread, SCAM);
  await waitFor(() => states(phone, thread).join() === "held");
  sockets.at(-1)?.close();
  await waitFor(() => !isLive(laptop), "the laptop is offline");
  laptop.retryNow();
  await waitFor(() => states(laptop, thread).join() === "held", "held after reconnecting");

  sockets.at(-1)?.close();
  await waitFor(() => !isLive(laptop), "offline again");
  await decide(thread, "release");
  laptop.retryNow();
  await waitFor(() => isLive(laptop) && states(laptop, thread).length === 0, "decided after reconnecting");
});

test("a notice acknowledged on one device disappears from the other", async () => {
  const { thread, phone, laptop } = await twoDevices();
  const shown = (client: Client): number =>
    client.notices.get().filter((one) => one.threadId === thread).length;
  await waitFor(() => isLive(laptop));
  await decide(thread, "warn");
  await waitFor(() => shown(phone) === 1 && shown(laptop) === 1, "shown on both");
  const [notice] = phone.notices.get().filter((one) => one.threadId === thread);
  await phone.acknowledge(notice!.noticeId);
  await waitFor(() => shown(laptop) === 0, "gone from the other");
});

test("a reconnected device removes an acknowledged notice", async () => {
  const { thread, phone } = await twoDevices();
  const sockets: WebSocket[] = [];
  let isAway = false;
  const Cut = new Proxy(interceptedSocket({}), {
    construct(target, given) {
      const [address, ...rest] = given as [string];
      const made = new target(isAway ? "ws://127.0.0.1:9/" : address, ...rest);
      sockets.push(made);
      return made;
    },
  });
  const laptop = server.client("ana", { WebSocket: Cut });
  const shown = (client: Client): number =>
    client.notices.get().filter((one) => one.threadId === thread).length;
  await waitFor(() => isLive(laptop));
  await decide(thread, "warn");
  await waitFor(() => shown(phone) === 1 && shown(laptop) === 1, "shown on both");
  isAway = true;
  sockets.at(-1)?.close();
  await waitFor(() => !isLive(laptop), "away");
  await phone.acknowledge(phone.notices.get().find((one) => one.threadId === thread)!.noticeId);
  assert.equal(shown(laptop), 1);
  isAway = false;
  await waitFor(() => isLive(laptop) && shown(laptop) === 0, "gone after reconnecting");
});
