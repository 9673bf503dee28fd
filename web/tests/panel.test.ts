// The project panel: edits of two people, clashes, and what happened while a client was away.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isProblem, type PanelObject, type PanelTabName, type ProjectPanel } from "../src/client";
import { interceptedSocket, TestServer, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben"], "limitless");
});

after(() => server.close());

/** An inquiry that a booking was bound to. */
async function booking(): Promise<string> {
  const thread = await server.openThread("ana", "ben");
  await server.request("shop", "PATCH", `/threads/${thread}`, { legId: "leg_1" }, "service");
  return thread;
}

function objects(panel: ProjectPanel, name: PanelTabName = "shotlist"): readonly PanelObject[] {
  return panel.state.get().tabs?.find((one) => one.tab === name)?.objects ?? [];
}

function titles(panel: ProjectPanel): unknown[] {
  return objects(panel).map((one) => one.fields["title"]?.value);
}

test("both see each other's edits and places, and a clash tells both texts", async () => {
  const thread = await booking();
  const panels = [];
  for (const name of ["ana", "ben"]) {
    const client = server.client(name);
    client.open(thread);
    await waitFor(() => client.connection.get().state === "live");
    const panel = await client.panel(thread);
    await waitFor(() => panel.state.get().tabs?.length === 7, "loaded");
    panels.push(panel);
  }
  const [ana, ben] = panels as [ProjectPanel, ProjectPanel];
  const { objectId } = await ana.edit("shotlist", { action: "add", kind: "shot", fields: { title: "The gate" } });
  await waitFor(() => titles(ben).join() === "The gate", "told");
  const base = objects(ben)[0]?.fields["title"]?.version ?? 0;
  const set = { action: "set", objectId, field: "title", base } as const;
  await ana.edit("shotlist", { ...set, value: "Hers" });
  const refused: unknown = await ben.edit("shotlist", { ...set, value: "His" }).catch((error: unknown) => error);
  assert.ok(isProblem(refused) && refused.code === "edit-clash");
  const clash = refused.fields["clash"] as Record<string, unknown>;
  assert.deepEqual([clash["current"], clash["yours"], clash["setByUserId"]], ["Hers", "His", server.ids.get("ana")]);
  await waitFor(() => titles(ben).join() === "Hers", "told of the other one");

  ben.focus("shotlist", objectId, "title");
  await waitFor(() => ana.state.get().present.length === 1, "is there");
  assert.deepEqual(ana.state.get().present[0], { userId: server.ids.get("ben"), tab: "shotlist", objectId, field: "title" });
  ben.close();
  await waitFor(() => ana.state.get().present.length === 0, "has left");

  const page = await ana.history("shotlist");
  assert.deepEqual(page.items.map((one) => one.action), ["set", "add"]);
});

test("the same edit sent twice is made once", async () => {
  const thread = await booking();
  const panel = await server.client("ana").panel(thread);
  await waitFor(() => panel.state.get().tabs !== null, "loaded");
  const add = { action: "add", kind: "note", fields: { text: "Blue" } } as const;
  const [one, other] = [await panel.edit("moodboard", add, "e1"), await panel.edit("moodboard", add, "e1")];
  assert.deepEqual(one, other);
  assert.equal(objects(panel, "moodboard").length, 1);
});

test("a client that was away has all changes when it is back", async () => {
  const thread = await booking();
  let isAway = false;
  const sockets: WebSocket[] = [];
  const Cut = new Proxy(interceptedSocket({}), {
    construct(target, [address]: [string]) {
      const made = new target(isAway ? "ws://127.0.0.1:9/" : address);
      sockets.push(made);
      return made;
    },
  });
  const client = server.client("ana", { WebSocket: Cut });
  const open = client.open(thread);
  const panel = await client.panel(thread);
  await waitFor(() => client.connection.get().state === "live" && open.state.get().thread !== null);
  await waitFor(() => panel.state.get().tabs !== null, "loaded");
  isAway = true;
  sockets.at(-1)?.close();
  await waitFor(() => client.connection.get().state !== "live", "away");
  const path = `/threads/${thread}/panel/shotlist/edits`;
  for (const title of ["one", "two"]) {
    const edit = { action: "add", kind: "shot", fields: { title } };
    await server.request("ben", "POST", path, { clientId: title, edit });
  }
  isAway = false;
  client.retryNow();
  await waitFor(() => titles(panel).join() === "one,two", "is back");
});

test("a conversation without a booking has no panel", async () => {
  const thread = await server.openThread("ana", "ben");
  const panel = await server.client("ana").panel(thread);
  await waitFor(() => panel.state.get().problem?.code === "no-panel", "refused");
});
