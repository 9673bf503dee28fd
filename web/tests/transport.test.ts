// Requests by fetch to a server that goes away.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { mock, test } from "node:test";
import { sendBody } from "../src/client/files/transport";
import { fetchJson } from "../src/client/rest";

type Send = (url: string) => Promise<unknown>;

const sendBytes: Send = (url) =>
  sendBody({ method: "PUT", url, headers: {}, body: new Blob(["abc"]) }, () => undefined, new AbortController().signal);

async function ask(send: Send, handle: RequestListener, meanwhile = (): void => undefined): Promise<unknown> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const sent = send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await once(server, "request");
    meanwhile();
    return await sent;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const isUnreachable = { type: "client/unreachable" };

for (const [name, send] of [["bytes", sendBytes], ["a request", fetchJson]] as const) {
  test(`${name} can be sent again when the connection is lost while the answer is read`, async () => {
    const cutOff: RequestListener = (_, answer) => {
      answer.writeHead(200, { "Content-Length": 100 });
      answer.write("part of it", () => answer.destroy());
    };
    await assert.rejects(ask(send, cutOff), isUnreachable);
  });
}

test("a server that never answers is given up", { timeout: 5000 }, async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    await assert.rejects(ask(sendBytes, () => undefined, () => mock.timers.tick(31_000)), isUnreachable);
  } finally {
    mock.timers.reset();
  }
});
