// Uploads to a real server: progress, pause, cancel, failures, a killed server, a message that waits.
// They run with a folder here, and with a bucket in bucketUploads.test.ts.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { Client, Files, Upload } from "../src/client";
import type { FilesClient } from "../src/client/files/filesClient";
import { TestServer, blobs, pause, waitFor } from "./testServer";

let server: TestServer;

before(async () => {
  server = await TestServer.create(["ana", "ben"], "limitless");
});

after(() => server.close());

const MEGABYTE = 1_000_000;
/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==",
  "base64",
);

async function device(name = "ana"): Promise<{ client: Client; files: Files }> {
  const client = server.client(name);
  await waitFor(() => client.connection.get().state === "live", "live");
  return { client, files: await client.files() };
}

const find = (files: Files, uploadId: string): Upload | undefined =>
  files.uploads.get().find((one) => one.uploadId === uploadId);
const isIn = (files: Files, uploadId: string, state: Upload["state"]): Promise<Upload> =>
  waitFor(() => {
    const found = find(files, uploadId);
    return found?.state === state && found;
  }, state);

test("the server has the protocol that is tested here", async () => {
  const file = { name: "a.bin", size: 1, sha256: "0".repeat(64) };
  const { upload } = await server.request("ana", "POST", "/files", file);
  assert.equal(upload.protocol, blobs.url ? "parts" : "tus");
});

test("a file is uploaded with progress, and checked", async () => {
  const { files } = await device();
  const seen = new Set<string>();
  files.uploads.subscribe((all) => all.forEach((one) => seen.add(one.state)));
  const { uploadId } = files.upload(new Blob([PIXEL], { type: "image/png" }), { name: "pixel.png" });
  const file = await files.ready(uploadId);
  assert.equal(file.name, "pixel.png");
  assert.equal(file.media, "picture");
  assert.equal(find(files, uploadId)?.done, PIXEL.length);
  assert.ok(seen.has("preparing"));
  assert.ok(seen.has("checking"));
  const used = await files.storage();
  assert.ok(used.bytes >= PIXEL.length);
  assert.ok((await files.list()).items.some((one) => one.fileId === file.fileId));
  await files.remove(file.fileId);
  assert.ok((await files.list()).items.every((one) => one.fileId !== file.fileId));
});

test("a large file is sent in several requests, byte for byte", async () => {
  const { client, files } = await device();
  const bytes = randomBytes(40 * MEGABYTE);
  const { uploadId } = files.upload(new Blob([bytes]), { name: "large.bin" });
  const { fileId } = await files.ready(uploadId);
  const access = await (await client.pictures()).access(fileId);
  const answer = await fetch(access?.urls["original"] ?? "");
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
});

test("a paused upload goes on where it stopped", async () => {
  const { files } = await device();
  const { uploadId } = files.upload(new Blob([randomBytes(60 * MEGABYTE)]), { name: "paused.bin" });
  let isPaused = false;
  const stop = files.uploads.subscribe(() => {
    const found = find(files, uploadId);
    if (isPaused || found?.state !== "uploading" || found.done === 0) return;
    isPaused = true; // at once: all of it may be sent before a poll looks again
    files.pause(uploadId);
  });
  await waitFor(() => isPaused);
  stop();
  assert.equal(find(files, uploadId)?.state, "paused");
  const { done } = (await isIn(files, uploadId, "paused")) ?? {};
  assert.ok(done > 0 && done < 60 * MEGABYTE);
  await pause(300);
  assert.equal(find(files, uploadId)?.done, done);
  files.resume(uploadId);
  await files.ready(uploadId);
});

test("an upload survives a killed server", async () => {
  const { files } = await device();
  const { uploadId } = files.upload(new Blob([randomBytes(60 * MEGABYTE)]), { name: "killed.bin" });
  await waitFor(() => (find(files, uploadId)?.done ?? 0) > 16 * MEGABYTE && find(files, uploadId)?.state === "uploading");
  await server.kill();
  await isIn(files, uploadId, "waiting");
  await server.start();
  const file = await files.ready(uploadId);
  assert.equal(file.size, 60 * MEGABYTE);
});

test("a canceled upload leaves nothing", async () => {
  const { files } = await device();
  const { uploadId } = files.upload(new Blob([randomBytes(30 * MEGABYTE)]), { name: "canceled.bin" });
  const fileId = await waitFor(() => find(files, uploadId)?.fileId);
  files.cancel(uploadId);
  assert.equal(find(files, uploadId), undefined);
  for (let tries = 0; tries < 100; tries++) {
    if ((await files.list()).items.every((one) => one.fileId !== fileId)) return;
    await pause(50);
  }
  assert.fail("the file is still there");
});

test("a file that was deleted elsewhere while events were missed has expired", async () => {
  const { files } = await device();
  const { uploadId } = files.upload(new Blob([PIXEL], { type: "image/png" }), { name: "pixel.png" });
  const { fileId } = await files.ready(uploadId);
  (files as FilesClient).setFile({ ...(await files.ready(uploadId)), state: "checking" });
  await files.remove(fileId);
  await (files as FilesClient).recheck();
  assert.match(find(files, uploadId)?.problem?.type ?? "", /file-expired/);
  files.cancel(uploadId);
});

test("a file that the server does not take fails, and says why", async () => {
  const { files } = await device();
  const { uploadId } = files.upload(new Blob([randomBytes(100)]), { threadId: "thr_unknown", name: "a.bin" });
  const failed = await isIn(files, uploadId, "failed");
  assert.match(failed.problem?.type ?? "", /thread-not-found/);
  await assert.rejects(files.ready(uploadId), /conversation|exist|found/i);
  files.cancel(uploadId);
});

test("a message is sent when its files are ready, and its upload is done", async () => {
  const thread = await server.openThread("ana", "ben");
  const [{ client, files }, ben] = [await device(), await device("ben")];
  const [mine, theirs] = [client.open(thread), ben.client.open(thread)];
  await waitFor(() => mine.state.get().thread !== null);
  const { uploadId } = files.upload(new Blob([PIXEL], { type: "image/png" }), {
    threadId: thread,
    name: "pixel.png",
    alt: "A dot",
    width: 1,
    height: 1,
  });
  const outgoing = client.send(thread, "Look!", { attachments: [uploadId] });
  assert.equal(outgoing.attachments[0]?.name, "pixel.png");
  assert.equal(outgoing.state, "uploading");
  const received = await waitFor(() => theirs.state.get().messages.find((one) => one.body === "Look!"), "received");
  assert.deepEqual(
    received.attachments?.map(({ name, alt, w, h, media }) => ({ name, alt, w, h, media })),
    [{ name: "pixel.png", alt: "A dot", w: 1, h: 1, media: "picture" }],
  );
  await waitFor(() => mine.state.get().outgoing.length === 0, "no longer in the outbox");
  await waitFor(() => mine.state.get().messages.filter((one) => one.body === "Look!").length === 1, "shown once");
  await waitFor(() => find(files, uploadId) === undefined, "the upload is done");
  const fileId = received.attachments?.[0]?.fileId ?? "";
  const access = await (await ben.client.pictures()).access(fileId);
  assert.ok(access?.urls["small"] !== undefined);
});

test("a message with a bad file is not sent; it goes back to the composer", async () => {
  const thread = await server.openThread("ana", "ben");
  const { client, files } = await device();
  const { uploadId } = files.upload(new Blob([hugePicture()]), { threadId: thread, name: "huge.gif" });
  client.send(thread, "Too large", { attachments: [uploadId] });
  const out = await waitFor(() => client.outbox.get().find((one) => one.state === "refused"), "refused");
  assert.match(out.problem?.type ?? "", /too-many-pixels/);
  assert.equal(find(files, uploadId)?.state, "failed");
  const back = client.discard(out.clientMessageId);
  assert.equal(back?.body, "Too large");
  assert.equal(find(files, uploadId)?.isSent, false);
  files.cancel(uploadId);
  await waitFor(() => client.outbox.get().length === 0, "gone");
  assert.deepEqual(await server.texts("ben", thread), ["Hello!"]);
});

/** A GIF that says it has 2.5 gigapixels. */
function hugePicture(): Buffer<ArrayBuffer> {
  const size = [0x50, 0xc3, 0x50, 0xc3];
  const screen = [...Buffer.from("GIF89a"), ...size, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  return Buffer.from([...screen, 0x2c, 0, 0, 0, 0, ...size, 0, 2, 2, 0x44, 1, 0, 0x3b]);
}

test("canceling a message that waits sends nothing", async () => {
  const thread = await server.openThread("ana", "ben");
  const { client, files } = await device();
  const { uploadId } = files.upload(new Blob([randomBytes(60 * MEGABYTE)]), { threadId: thread, name: "slow.bin" });
  const { clientMessageId } = client.send(thread, "Never sent", { attachments: [uploadId] });
  await waitFor(() => find(files, uploadId)?.state === "uploading" && client.outbox.get()[0]?.state === "uploading");
  await pause(200);
  client.discard(clientMessageId);
  files.cancel(uploadId);
  await waitFor(() => client.outbox.get().length === 0);
  await pause(500);
  assert.deepEqual(await server.texts("ben", thread), ["Hello!"]);
});
