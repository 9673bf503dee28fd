// The code of docs/guides/client.md works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { guide } from "./guide/code";
import { TestServer, waitFor } from "./testServer";

test("the guide's client sends and receives", async () => {
  const server = await TestServer.create(["ana", "ben"], "limited");
  try {
    const thread = await server.openThread("ana", "ben");
    const { client, conversation, shown } = await guide(server.api, async () => server.token("ana"), thread);
    const bodies = () => conversation.state.get().messages.map((one) => one.body);
    await waitFor(() => bodies().includes("See you on the 14th."), "sent");
    await server.request("ben", "POST", `/threads/${thread}/messages`, { body: "Till then!", clientMessageId: "b" });
    await waitFor(() => bodies().includes("Till then!"), "received");
    assert.ok(shown.some((line: string) => line.includes("Till then!")));
    client.close();
  } finally {
    await server.close();
  }
});
