// Receipts and permissions of a thread.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Conversation, Thread } from "../src/client";
import { limitingRequest, whyReadOnly } from "../src/inbox/permissions";
import { findJoins, receiptOf, type Receipt } from "../src/inbox/receipts";
import { t } from "../src/strings";
import { TestServer, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben", "cleo", "dan"], "limitless");
});

after(() => server.close());

function receipt(open: Conversation, body: string): Receipt | null {
  const { thread, messages, hasAfter } = open.state.get();
  const message = messages.find((one) => one.body === body);
  if (thread === null || message === undefined) return null;
  return receiptOf(message, thread, server.ids.get("ana")!, findJoins(messages, hasAfter));
}

function seenBy(open: Conversation, body: string): string[] {
  const found = receipt(open, body);
  const ids = found?.is === "read" ? found.by : [];
  return [...server.ids].filter(([, id]) => ids.includes(id)).map(([name]) => name);
}

async function readAll(name: string, threadId: string): Promise<void> {
  const { lastSeq } = await server.request(name, "GET", `/threads/${threadId}`);
  await server.request(name, "PUT", `/threads/${threadId}/read`, { seq: lastSeq });
}

async function accept(name: string, threadId: string): Promise<void> {
  const { requests } = await server.request(name, "GET", `/threads/${threadId}`);
  for (const { requestId } of requests) await server.request(name, "POST", `/requests/${requestId}/accept`);
}

test("people who joined later have not seen earlier messages", async () => {
  const threadId = await server.openThread("ana", "ben", "dan");
  const ana = server.client("ana");
  const open = ana.open(threadId);
  await waitFor(() => ana.connection.get().state === "live");
  ana.send(threadId, "before");
  await waitFor(() => receipt(open, "before") !== null);
  await ana.addParticipant(threadId, server.ids.get("cleo")!, "seller");
  await accept("cleo", threadId);
  ana.send(threadId, "after");
  await waitFor(() => receipt(open, "after") !== null);
  await readAll("cleo", threadId);
  await waitFor(() => seenBy(open, "after").length > 0, "cleo has read");
  assert.deepEqual(seenBy(open, "after"), ["cleo"]);
  assert.deepEqual(seenBy(open, "before"), []);

  await readAll("ben", threadId);
  await waitFor(() => seenBy(open, "before").length > 0, "ben has read");
  assert.deepEqual(seenBy(open, "before"), ["ben"]);
  const again = server.client("ana").open(threadId);
  await waitFor(() => seenBy(again, "after").length === 2, "the same from a page");
  assert.deepEqual(seenBy(again, "before"), ["ben"]);
});

test("in a partial history only users named by the server count as readers", () => {
  const [threadId, me, ben, cleo] = ["t1", "u1", "u2", "u3"];
  const participants = [me, ben, cleo].map((userId) => ({ userId, lastReadSeq: 90 }));
  const thread = { threadId, participants } as unknown as Thread;
  const message = { seq: 5, event: null, about: [], seenBy: [ben] } as unknown as Parameters<typeof receiptOf>[0];
  assert.deepEqual(receiptOf(message, thread, me, findJoins([message], true)), { is: "read", by: [ben] });
});

test("a withdrawn request closes the composer and says why", async () => {
  const other = "eve";
  await server.join(other);
  const { thread } = await server.request("ana", "POST", "/threads", {
    kind: "direct",
    participants: [{ userId: server.ids.get(other) }],
    message: { body: "Hello!" },
  });
  const id = server.ids.get("ana")!;
  assert.equal(whyReadOnly(thread, id), null);
  assert.ok(limitingRequest(thread, id));
  await server.request("ana", "DELETE", `/requests/${thread.requests[0].requestId}`);
  const withdrawn = await server.request("ana", "GET", `/threads/${thread.threadId}`);
  assert.equal(whyReadOnly(withdrawn, id), t("request.withdrawn"));
});

test("messages are limited only while no request is accepted", async () => {
  for (const name of ["fay", "gus"]) await server.join(name);
  const { thread } = await server.request("ana", "POST", "/threads", {
    kind: "studio",
    participants: ["fay", "gus"].map((name) => ({ userId: server.ids.get(name) })),
    message: { body: "Hello!" },
  });
  const id = server.ids.get("ana")!;
  assert.ok(limitingRequest(thread, id));
  await accept("fay", thread.threadId);
  const after = await server.request("ana", "GET", `/threads/${thread.threadId}`);
  assert.equal(after.requests.length, 1);
  assert.equal(limitingRequest(after, id), null);
});
