// The registry of event handlers, and a handler for every event of the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../src/client";
import { EventRegistry } from "../src/client/events";
import { SERVER_EVENT_TYPES } from "../src/client/serverEvents";
import type { ThreadUpdated } from "../src/client/socket";

const UPDATED = { type: "thread.updated", threadId: "thr_1" } as ThreadUpdated;

test("handlers get the events of their type, in the order of registration, until they are removed", () => {
  const events = new EventRegistry();
  const calls: string[] = [];
  const remove = events.on("thread.updated", ({ threadId }) => calls.push(`first ${threadId}`));
  events.on("thread.updated", () => calls.push("second"));
  events.on("message.created", () => calls.push("another type"));
  events.dispatch(UPDATED);
  assert.deepEqual(calls, ["first thr_1", "second"]);
  remove();
  events.dispatch(UPDATED);
  assert.deepEqual(calls, ["first thr_1", "second", "second"]);
});

test("an event of a newer server is ignored", () => {
  const events = new EventRegistry();
  events.dispatch({ type: "not.known" } as never);
});

test("a reset runs the handlers of its sources only; one without sources runs all", () => {
  const events = new EventRegistry();
  const calls: string[] = [];
  events.onReset("inbox", () => calls.push("inbox"));
  events.onReset("scheduled", () => calls.push("scheduled"));
  events.onReset("inbox", () => calls.push("inbox again"));
  events.dispatchReset(["scheduled", "not.known"]);
  assert.deepEqual(calls.splice(0), ["scheduled"]);
  events.dispatchReset(["inbox", "inbox"]);
  assert.deepEqual(calls.splice(0), ["inbox", "inbox again"]);
  events.dispatchReset([]);
  assert.deepEqual(calls.splice(0), []);
  events.dispatchReset(null);
  assert.deepEqual(calls, ["inbox", "scheduled", "inbox again"]);
});

test("the client has a handler for every event of the server", async () => {
  const client = createClient({ api: "http://127.0.0.1:9", token: () => "no token", shared: false });
  client.open("thr_1"); // an open thread handles typing and presence
  const panel = await client.panel("thr_1");
  const { events } = client as unknown as { events: EventRegistry };
  assert.ok(SERVER_EVENT_TYPES.length > 10);
  assert.deepEqual(SERVER_EVENT_TYPES.filter((type) => !events.has(type)), []);
  panel.close();
  client.close();
});
