// Two users talk through two clients and a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Client, Conversation } from "../src/client";
import { TestServer, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben", "cleo", "dan"], "limitless");
});

after(() => server.close());

const texts = (open: Conversation): string[] =>
  open.state.get().messages.filter((one) => one.kind === "text").map((one) => one.body);

/** Waits until the client's counts equal the server's. */
async function counted(client: Client, name: string): Promise<void> {
  const counts: unknown = await server.request(name, "GET", "/inbox/counts");
  await waitFor(() => isDeepStrictEqual(client.counts.get(), counts), "the same counts");
}

test("a sent message shows at once, arrives at the other user, and is marked as read", async () => {
  const thread = await server.openThread("ana", "ben");
  const [ana, ben] = [server.client("ana"), server.client("ben")];
  const [mine, theirs] = [ana.open(thread), ben.open(thread)];
  await waitFor(() => texts(mine).length === 1 && texts(theirs).length === 1);
  await waitFor(() => ana.connection.get().state === "live");

  ana.send(thread, "Are you free?");
  assert.deepEqual(mine.state.get().outgoing.map((one) => one.body), ["Are you free?"]);
  await waitFor(() => texts(theirs).at(-1) === "Are you free?");
  await waitFor(() => texts(mine).at(-1) === "Are you free?");
  assert.deepEqual(mine.state.get().outgoing, []);

  const seq = theirs.state.get().messages.at(-1)!.seq;
  const reads = () => mine.state.get().thread?.participants.find((one) => one.userId === server.ids.get("ben"));
  await waitFor(() => reads()?.lastDeliveredSeq === seq, "delivered");
  assert.ok((reads()?.lastReadSeq ?? 0) < seq);
  theirs.read(seq);
  await waitFor(() => reads()?.lastReadSeq === seq, "read");
});

test("typing and presence appear and end", async () => {
  const thread = await server.openThread("ana", "ben");
  const [ana, ben] = [server.client("ana"), server.client("ben")];
  const [mine, theirs] = [ana.open(thread), ben.open(thread)];
  const id = server.ids.get("ben")!;
  await waitFor(() => mine.state.get().present.includes(id), "present");
  theirs.typing(true);
  await waitFor(() => mine.state.get().typing.includes(id), "typing");
  ben.send(thread, "done");
  await waitFor(() => texts(mine).at(-1) === "done");
  await waitFor(() => mine.state.get().typing.length === 0, "typing ends");
  theirs.close();
  await waitFor(() => mine.state.get().present.length === 0, "gone");
});

test("edits, reactions and deletions reach both users", async () => {
  const thread = await server.openThread("ana", "ben");
  const [ana, ben] = [server.client("ana"), server.client("ben")];
  const [mine, theirs] = [ana.open(thread), ben.open(thread)];
  await waitFor(() => texts(mine).length === 1 && texts(theirs).length === 1);
  const message = mine.state.get().messages.find((one) => one.kind === "text")!;
  const edited = ana.edit(message, "Hello, Ben!");
  assert.deepEqual(texts(mine), ["Hello, Ben!"]);
  await edited;
  await waitFor(() => texts(theirs)[0] === "Hello, Ben!");
  const shown = theirs.state.get().messages.find((one) => one.kind === "text")!;
  await ben.react(shown, "👍", true);
  await waitFor(() => mine.state.get().messages.some((one) => "👍" in one.reactions), "reaction");
  assert.deepEqual((await ben.edits(shown)).map((one) => one.body), ["Hello!"]);
  await ana.remove(mine.state.get().messages.find((one) => one.kind === "text")!);
  await waitFor(() => theirs.state.get().messages.some((one) => one.deletedAt !== null), "deleted");
  await assert.rejects(ben.edit(shown, "mine now"), { name: "Problem", status: 403 });
});

test("unread, folders and counts update live and match the server", async () => {
  const thread = await server.openThread("cleo", "dan");
  const [cleo, dan] = [server.client("cleo"), server.client("dan")];
  const list = dan.folder("all");
  await waitFor(() => list.state.get().loaded && dan.counts.get());
  await waitFor(() => dan.connection.get().state === "live");
  const row = () => list.state.get().threads.find((one) => one.threadId === thread)!;
  const start = row().mine.unread;
  cleo.send(thread, "one");
  cleo.send(thread, "two");
  await waitFor(() => row().mine.unread === start + 2, "unread");
  assert.equal(row().preview, "two");
  await counted(dan, "dan");
  assert.equal(row().mine.folder, "action");

  await dan.pin(thread, true);
  assert.equal(row().mine.pinned, true);
  const other = server.client("dan"); // another device gets the event
  const archived = other.folder("archived");
  await waitFor(() => archived.state.get().loaded && other.connection.get().state === "live");
  await dan.archive(thread, true);
  assert.ok(!list.state.get().threads.some((one) => one.threadId === thread));
  await waitFor(() => archived.state.get().threads.some((one) => one.threadId === thread), "archived there");
  dan.send(thread, "an answer");
  await waitFor(() => list.state.get().threads.some((one) => one.threadId === thread), "back");
  await counted(dan, "dan");
});

test("a request is accepted, and both users can write", async () => {
  await server.join("eve");
  await server.join("fay");
  const [eve, fay] = [server.client("eve"), server.client("fay")];
  const requests = fay.folder("requests");
  await waitFor(() => requests.state.get().loaded && fay.connection.get().state === "live");
  const opened = await eve.start({
    kind: "inquiry",
    participants: [{ userId: server.ids.get("fay")!, role: "seller" }],
    message: { body: "Hello Fay!" },
  });
  const row = await waitFor(() => requests.state.get().threads[0], "a request");
  assert.equal(row.threadId, opened.thread.threadId);
  await fay.accept(row.requests[0]!.requestId!);
  assert.deepEqual(requests.state.get().threads, []);
  const theirs = eve.open(row.threadId);
  fay.send(row.threadId, "Hello Eve!");
  await waitFor(() => texts(theirs).at(-1) === "Hello Eve!");
});

test("a long history loads in both directions in a bounded window", async () => {
  const thread = await server.openThread("ana", "ben");
  for (let n = 0; n < 520; n++) {
    await server.request(n % 2 === 0 ? "ana" : "ben", "POST", `/threads/${thread}/messages`, {
      body: `line ${n}`,
      clientMessageId: `line-${n}`,
    });
  }
  const ana = server.client("ana");
  const open = ana.open(thread);
  const state = () => open.state.get();
  await waitFor(() => state().messages.length > 0 && state().loading === null);
  await open.newest();
  assert.equal(state().hasAfter, false);
  assert.equal(state().messages.at(-1)!.body, "line 519");
  while (state().hasBefore) await open.before();
  assert.ok(state().messages.length <= 400);
  assert.ok(state().hasAfter);
  assert.equal(state().messages.find((one) => one.kind === "text")!.body, "Hello!");
  const seqs = state().messages.map((one) => one.seq);
  assert.deepEqual(seqs, seqs.map((_, at) => seqs[0]! + at), "there is no gap");
  while (state().hasAfter) await open.after();
  assert.ok(state().messages.length <= 400);
  assert.equal(state().messages.at(-1)!.body, "line 519");
});
