// Scheduled messages are the same on all devices of a user, also after a disconnect.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isProblem, type Client, type ScheduledMessage } from "../src/client";
import { TestServer, interceptedSocket, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben"], "limitless");
});

after(() => server.close());

const tomorrow = (): Date => new Date(Date.now() + 86_400_000);
const listed = (client: Client, threadId: string): ScheduledMessage[] =>
  client.scheduled.state.get().messages.filter((one) => one.threadId === threadId);
const bodies = (client: Client, threadId: string): string[] =>
  listed(client, threadId).map((one) => one.body);

async function device(): Promise<Client> {
  const client = server.client("ana");
  await waitFor(() => client.connection.get().state === "live" && client.scheduled.state.get().loaded);
  return client;
}

test("a message is scheduled, changed and canceled on both devices", async () => {
  const thread = await server.openThread("ana", "ben");
  const [phone, laptop] = [await device(), await device()];
  const made = await phone.scheduled.schedule(thread, "Tomorrow", tomorrow());
  await waitFor(() => bodies(laptop, thread).join() === "Tomorrow", "shown on the other");
  const changed = await laptop.scheduled.change(made, { body: "Later" });
  await waitFor(() => bodies(phone, thread).join() === "Later", "changed on the other");
  await assert.rejects(
    phone.scheduled.change(made, { body: "Outdated" }),
    (error) => isProblem(error) && error.code === "version-mismatch",
  );
  await phone.scheduled.cancel(changed);
  await waitFor(() => listed(laptop, thread).length === 0, "gone from the other");
});

test("a retry with the same key schedules once", async () => {
  const thread = await server.openThread("ana", "ben");
  const phone = await device();
  const [at, key] = [tomorrow(), crypto.randomUUID()];
  const first = await phone.scheduled.schedule(thread, "Once", at, {}, key);
  const second = await phone.scheduled.schedule(thread, "Once", at, {}, key);
  assert.equal(second.scheduledMessageId, first.scheduledMessageId);
  await phone.scheduled.load();
  assert.deepEqual(bodies(phone, thread), ["Once"]);
});

test("sent now: it is one of the messages, and no longer scheduled", async () => {
  const thread = await server.openThread("ana", "ben");
  const [phone, laptop] = [await device(), await device()];
  const open = laptop.open(thread);
  const made = await phone.scheduled.schedule(thread, "Now, please", tomorrow());
  await phone.scheduled.sendNow(made);
  await waitFor(() => open.state.get().messages.some((one) => one.body === "Now, please"), "sent");
  await waitFor(() => listed(laptop, thread).length === 0, "no longer scheduled");
  await assert.rejects(phone.scheduled.cancel(made), /sent or canceled/);
});

test("at its time it is sent without anyone's help", async () => {
  const thread = await server.openThread("ana", "ben");
  const phone = await device();
  await phone.scheduled.schedule(thread, "On time", new Date(Date.now() + 1500));
  assert.equal(listed(phone, thread).length, 1);
  await waitFor(() => listed(phone, thread).length === 0, "no longer scheduled");
  assert.ok((await server.texts("ben", thread)).includes("On time"));
});

test("a reconnected device has what was scheduled and canceled meanwhile", async () => {
  const thread = await server.openThread("ana", "ben");
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
  const phone = await device();
  const first = await phone.scheduled.schedule(thread, "First", tomorrow());
  await waitFor(() => bodies(laptop, thread).join() === "First");
  isAway = true;
  sockets.at(-1)?.close();
  await waitFor(() => laptop.connection.get().state !== "live", "away");
  await phone.scheduled.cancel(first);
  await phone.scheduled.schedule(thread, "Second", tomorrow());
  isAway = false;
  laptop.retryNow();
  await waitFor(() => bodies(laptop, thread).join() === "Second", "up to date");
});
