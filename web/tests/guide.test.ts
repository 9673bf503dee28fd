// The code of docs/guides/client.md does what it says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { guide } from "./guide/code";
import { Stage, until } from "./stage";

test("the guide's client sends, hears and moves", async () => {
  const stage = await Stage.set(["ana", "ben"], "limited");
  try {
    const thread = await stage.talk("ana", "ben");
    const { client, conversation, told } = await guide(stage.api, async () => stage.token("ana"), thread);
    const bodies = () => conversation.state.get().messages.map((one) => one.body);
    await until(() => bodies().includes("See you on the 14th."), "sent");
    await stage.ask("ben", "POST", `/threads/${thread}/messages`, { body: "Till then!", clientMessageId: "b" });
    await until(() => bodies().includes("Till then!"), "heard");
    assert.ok(told.some((line: string) => line.includes("Till then!")));
    client.close();
  } finally {
    await stage.clear();
  }
});
