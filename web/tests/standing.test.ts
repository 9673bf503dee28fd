// How a thread stands for its reader: who has seen a message, and what may be written.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Conversation, Thread } from "../src/client";
import { closedBecause, joinsIn, limitedBy, receiptOf, type Receipt } from "../src/inbox/standing";
import { t } from "../src/strings";
import { Stage, until } from "./stage";

let stage: Stage;

before(async () => {
  stage = await Stage.set(["ana", "ben", "cleo", "dan"], "limitless");
});

after(() => stage.clear());

function receipt(open: Conversation, body: string): Receipt | null {
  const { thread, messages, hasAfter } = open.state.get();
  const message = messages.find((one) => one.body === body);
  if (thread === null || message === undefined) return null;
  return receiptOf(message, thread, stage.ids.get("ana")!, joinsIn(messages, hasAfter));
}

function seenBy(open: Conversation, body: string): string[] {
  const found = receipt(open, body);
  const ids = found?.is === "read" ? found.by : [];
  return [...stage.ids].filter(([, id]) => ids.includes(id)).map(([name]) => name);
}

async function readAll(name: string, threadId: string): Promise<void> {
  const { lastSeq } = await stage.ask(name, "GET", `/threads/${threadId}`);
  await stage.ask(name, "PUT", `/threads/${threadId}/read`, { seq: lastSeq });
}

async function accept(name: string, threadId: string): Promise<void> {
  const { requests } = await stage.ask(name, "GET", `/threads/${threadId}`);
  for (const { requestId } of requests) await stage.ask(name, "POST", `/requests/${requestId}/accept`);
}

test("who joined later has not seen what was written before", async () => {
  const threadId = await stage.talk("ana", "ben", "dan");
  const ana = stage.client("ana");
  const open = ana.open(threadId);
  await until(() => ana.connection.get().state === "live");
  ana.send(threadId, "before");
  await until(() => receipt(open, "before") !== null);
  await ana.addParticipant(threadId, stage.ids.get("cleo")!, "seller");
  await accept("cleo", threadId);
  ana.send(threadId, "after");
  await until(() => receipt(open, "after") !== null);
  await readAll("cleo", threadId);
  await until(() => seenBy(open, "after").length > 0, "cleo has read");
  assert.deepEqual(seenBy(open, "after"), ["cleo"]);
  assert.deepEqual(seenBy(open, "before"), []);

  await readAll("ben", threadId);
  await until(() => seenBy(open, "before").length > 0, "ben has read");
  assert.deepEqual(seenBy(open, "before"), ["ben"]);
  const again = stage.client("ana").open(threadId);
  await until(() => seenBy(again, "after").length === 2, "the same from a page");
  assert.deepEqual(seenBy(again, "before"), ["ben"]);
});

test("in a part of the history only those count whom the server names", () => {
  const [threadId, me, ben, cleo] = ["t1", "u1", "u2", "u3"];
  const participants = [me, ben, cleo].map((userId) => ({ userId, lastReadSeq: 90 }));
  const thread = { threadId, participants } as unknown as Thread;
  const message = { seq: 5, event: null, about: [], seenBy: [ben] } as unknown as Parameters<typeof receiptOf>[0];
  assert.deepEqual(receiptOf(message, thread, me, joinsIn([message], true)), { is: "read", by: [ben] });
});

test("a withdrawn request closes the composer with its own words", async () => {
  const other = "eve";
  await stage.join(other);
  const { thread } = await stage.ask("ana", "POST", "/threads", {
    kind: "direct",
    participants: [{ userId: stage.ids.get(other) }],
    message: { body: "Hello!" },
  });
  const id = stage.ids.get("ana")!;
  assert.equal(closedBecause(thread, id), null);
  assert.ok(limitedBy(thread, id));
  await stage.ask("ana", "DELETE", `/requests/${thread.requests[0].requestId}`);
  const withdrawn = await stage.ask("ana", "GET", `/threads/${thread.threadId}`);
  assert.equal(closedBecause(withdrawn, id), t("request.withdrawn"));
});

test("messages are limited only while everybody else is still asked", async () => {
  for (const name of ["fay", "gus"]) await stage.join(name);
  const { thread } = await stage.ask("ana", "POST", "/threads", {
    kind: "studio",
    participants: ["fay", "gus"].map((name) => ({ userId: stage.ids.get(name) })),
    message: { body: "Hello!" },
  });
  const id = stage.ids.get("ana")!;
  assert.ok(limitedBy(thread, id));
  await accept("fay", thread.threadId);
  const after = await stage.ask("ana", "GET", `/threads/${thread.threadId}`);
  assert.equal(after.requests.length, 1);
  assert.equal(limitedBy(after, id), null);
});
