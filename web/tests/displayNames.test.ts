// Renames arrive, and late ones do not replace newer names.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TestServer, interceptedSocket, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben"], "limitless");
});

after(() => server.close());

/** Delivers the first rename late: in place of the next message. */
function late(): typeof WebSocket {
  let kept: unknown = null;
  let isDone = false;
  return interceptedSocket({
    in: (frame) => {
      if (frame.type === "person.updated" && kept === null) {
        kept = frame;
        return null;
      }
      if (frame.type === "message.created" && kept !== null && !isDone) {
        isDone = true;
        return kept;
      }
      return frame;
    },
  });
}

const say = (threadId: string, body: string): Promise<unknown> =>
  server.request("ben", "POST", `/threads/${threadId}/messages`, { body, clientMessageId: crypto.randomUUID() });

for (const name of ["ana", "ben"]) {
  test(`a rename that arrives late does not undo a newer one: seen by ${name}`, async () => {
    const thread = await server.openThread("ana", "ben");
    const client = server.client(name, { WebSocket: late() });
    const open = client.open(thread);
    const id = server.ids.get("ben") ?? "";
    const seen = (): string | undefined => client.people.get().get(id)?.displayName;
    await waitFor(() => client.connection.get().state === "live" && seen() !== undefined);
    await server.request("ben", "PATCH", "/me", { displayName: `old for ${name}` });
    await server.request("ben", "PATCH", "/me", { displayName: `new for ${name}` });
    await waitFor(() => seen() === `new for ${name}`, "the newer name");
    await say(thread, "the stale name comes instead of this");
    await say(thread, "and this comes after it");
    const bodies = (): string[] => open.state.get().messages.map((one) => one.body);
    await waitFor(() => bodies().includes("and this comes after it"));
    assert.equal(seen(), `new for ${name}`);
    if (name === "ben") assert.equal(client.me.get()?.displayName, "new for ben");
  });
}
