// Sending bytes by fetch to a server that goes away.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { mock, test } from "node:test";
import { type BodyAnswer, sendBody } from "../src/client/files/transport";

async function send(handle: RequestListener, meanwhile = () => undefined as void): Promise<BodyAnswer> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = { method: "PUT", url, headers: {}, body: new Blob(["abc"]) };
  try {
    const sent = sendBody(request, () => undefined, new AbortController().signal);
    await once(server, "request");
    meanwhile();
    return await sent;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const isUnreachable = { type: "client/unreachable" };

test("a connection that is lost while the answer is read can be tried again", async () => {
  const cutOff: RequestListener = (_, answer) => {
    answer.writeHead(200, { "Content-Length": 100 });
    answer.write("part of it", () => answer.destroy());
  };
  await assert.rejects(send(cutOff), isUnreachable);
});

test("a server that never answers is given up", { timeout: 5000 }, async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    await assert.rejects(send(() => undefined, () => mock.timers.tick(31_000)), isUnreachable);
  } finally {
    mock.timers.reset();
  }
});
