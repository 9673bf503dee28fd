// Uploads step by step, with a server of the test that answers when and how the test says.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type UploadRecord, UploadRecords } from "../src/client/files/records";
import type { BodyAnswer } from "../src/client/files/transport";
import type { UploadRequests } from "../src/client/files/upload";
import { Uploads } from "../src/client/files/uploads";
import { problemFrom } from "../src/client/rest";
import type { FileUpload, StoredFile, Upload } from "../src/client/types";
import { pause, waitFor } from "./testServer";

class MemoryRecords extends UploadRecords {
  readonly saved = new Map<string, UploadRecord>();

  override all(): Promise<UploadRecord[]> {
    return Promise.resolve([...this.saved.values()]);
  }

  override get(uploadId: string): Promise<UploadRecord | null> {
    return Promise.resolve(this.saved.get(uploadId) ?? null);
  }

  override put(record: UploadRecord): Promise<void> {
    this.saved.set(record.uploadId, record);
    return Promise.resolve();
  }

  override remove(uploadId: string): Promise<void> {
    this.saved.delete(uploadId);
    return Promise.resolve();
  }
}

/** The requests that came, and their answers. */
class FakeServer implements UploadRequests {
  readonly keys: string[] = [];
  readonly completed: string[] = [];
  readonly removed: string[] = [];
  /** The requests of this kind wait until it is cleared. */
  held: "announce" | "complete" | "remove" | null = null;

  /** Where the upload goes on. */
  offset = 0;
  /** Of each request that sends bytes. */
  answer: () => Partial<BodyAnswer> = () => ({ status: 204 });
  sends = 0;
  isDown = false;
  isDeleted = false;

  async announce({ size }: { size: number }, key: string): Promise<FileUpload> {
    this.keys.push(key);
    if (this.isDown) throw problemFrom(null, 502);
    await this.#unheld("announce");
    this.isDeleted = false;
    return this.#upload(`fil_${this.keys.indexOf(key)}`, size);
  }

  state(fileId: string): Promise<FileUpload> {
    const gone = { type: "/problems/file-not-found", title: "File not found", status: 404 };
    if (this.isDeleted) return Promise.reject(problemFrom(gone, 404));
    return Promise.resolve(this.#upload(fileId, 3));
  }

  async complete(fileId: string): Promise<StoredFile> {
    this.completed.push(fileId);
    await this.#unheld("complete");
    return storedFile(fileId, "checking");
  }

  async remove(fileId: string): Promise<void> {
    await this.#unheld("remove");
    this.removed.push(fileId);
  }

  absolute(url: string): string {
    return url;
  }

  readonly send: UploadRequests["send"] = () => {
    this.sends += 1;
    return Promise.resolve({ status: 204, header: () => null, text: "", ...this.answer() });
  };

  #upload(fileId: string, size: number): FileUpload {
    const upload = { protocol: "tus", url: "/", offset: this.offset, parts: [] } as unknown as FileUpload["upload"];
    return { file: { ...storedFile(fileId, "uploading"), size }, upload };
  }

  async #unheld(kind: FakeServer["held"]): Promise<void> {
    while (this.held === kind) await pause(5);
  }
}

function storedFile(fileId: string, state: StoredFile["state"]): StoredFile {
  return { fileId, state, version: 1, size: 3, problem: null } as StoredFile;
}

function tab(server = new FakeServer(), name: string = randomUUID()) {
  const records = new MemoryRecords(name);
  const host = { announced: () => undefined, changed: () => undefined, setPending: () => undefined };
  const uploads = new Uploads(server, records, host, name);
  const add = (): string => uploads.add(new Blob(["abc"]), { name: "a.txt" }).uploadId;
  const isIn = (uploadId: string, state: Upload["state"]): Promise<unknown> =>
    waitFor(() => uploads.find(uploadId)?.state === state, state);
  /** Without the pauses between the tries. */
  const retriesUntil = (isDone: () => boolean): Promise<unknown> =>
    waitFor(() => {
      uploads.wake();
      return isDone();
    });
  return { uploads, records, server, add, isIn, retriesUntil };
}

for (const act of ["cancel", "pause"] as const) {
  test(`${act} of uploads that wait for a slot does not hold up those behind them`, async () => {
    const { uploads, server, add, isIn } = tab();
    server.held = "announce";
    const ids = Array.from({ length: 7 }, add);
    await waitFor(() => server.keys.length === 3, "three run");
    for (const id of ids.slice(3, 6)) uploads[act](id);
    server.held = null;
    await isIn(ids[6] ?? "", "checking");
    await uploads.close();
  });
}

for (const held of ["announce", "complete"] as const) {
  test(`an upload that is canceled while ${held} is answered stays canceled, and its file is removed`, async () => {
    const { uploads, records, server, add } = tab();
    server.held = held;
    const id = add();
    const isHeld = (): boolean => (held === "announce" ? server.keys.length > 0 : server.completed.length > 0);
    await waitFor(() => isHeld() && records.saved.size === 1, "saved");
    uploads.cancel(id);
    server.held = null;
    await waitFor(() => server.removed.length === 1, "removed");
    await pause(20);
    assert.equal(records.saved.size, 0);
    assert.deepEqual(server.removed, ["fil_0"]);
    assert.deepEqual(uploads.list.get(), []);
    await uploads.close();
  });
}

test("an upload that is paused while announce is answered goes on with the same file", async () => {
  const { uploads, server, add, isIn } = tab();
  server.held = "announce";
  const id = add();
  await waitFor(() => server.keys.length === 1, "announced");
  uploads.pause(id);
  server.held = null;
  await pause(20);
  uploads.resume(id);
  await isIn(id, "checking");
  assert.deepEqual(new Set(server.keys), new Set([`${id}-0`]));
  assert.deepEqual(server.removed, []);
  await uploads.close();
});

test("the file of an earlier announcement does not replace that of the original", async () => {
  const { uploads, records, server, add, isIn } = tab();
  server.held = "announce";
  const id = add();
  await waitFor(() => server.keys.length === 1, "announced");
  uploads.setOriginal(id, true);
  await waitFor(() => server.keys.length === 2, "announced again");
  server.held = null;
  await isIn(id, "checking");
  await pause(20);
  assert.equal(records.saved.get(id)?.fileId, "fil_1");
  assert.equal(uploads.find(id)?.keepOriginal, true);
  assert.deepEqual(server.removed, ["fil_0"]);
  await uploads.close();
});

test("nothing is saved after the user has signed out", async () => {
  const { uploads, records, server, add } = tab();
  server.held = "announce";
  add();
  await waitFor(() => server.keys.length === 1, "announced");
  await uploads.close({ forget: true });
  server.held = null;
  await pause(20);
  assert.equal(records.saved.size, 0);
});

for (const [from, status] of [["the bucket", 404], ["a proxy", 413], ["a firewall", 403]] as const) {
  test(`a ${status} of ${from} does not announce the file again, and ends the upload after some tries`, async () => {
    const { uploads, server, add, isIn, retriesUntil } = tab();
    server.answer = () => ({ status, text: "<html>" });
    const id = add();
    await retriesUntil(() => uploads.find(id)?.state === "failed");
    assert.equal(uploads.find(id)?.problem?.type, "client/upload-refused");
    assert.deepEqual(server.keys, [`${id}-0`]);
    assert.equal(server.sends, 5);
    server.answer = () => ({ status: 204 });
    uploads.retry(id);
    await isIn(id, "checking");
    assert.deepEqual(server.keys, [`${id}-0`]);
    assert.deepEqual(server.removed, []);
    await uploads.close();
  });
}

test("a file that the server has deleted is announced again", async () => {
  const { uploads, server, add, retriesUntil } = tab();
  server.answer = () => {
    server.isDeleted = server.sends === 1;
    return { status: server.isDeleted ? 503 : 204 };
  };
  const id = add();
  await retriesUntil(() => uploads.find(id)?.state === "checking");
  assert.deepEqual(server.keys, [`${id}-0`, `${id}-1`]);
  await uploads.close();
});

test("an upload waits for a server that is down as long as it takes", async () => {
  const { uploads, server, add, retriesUntil } = tab();
  server.isDown = true;
  const id = add();
  await retriesUntil(() => server.keys.length > 8);
  server.isDown = false;
  await retriesUntil(() => uploads.find(id)?.state === "checking");
  await uploads.close();
});

test("an upload goes on through any number of failures while its bytes arrive", async () => {
  const { uploads, server, retriesUntil } = tab();
  server.answer = () => {
    server.offset += 1;
    return { status: server.offset < 10 ? 502 : 204 };
  };
  const { uploadId } = uploads.add(new Blob(["0123456789"]), {});
  await retriesUntil(() => uploads.find(uploadId)?.state === "checking");
  assert.equal(server.sends, 10);
  await uploads.close();
});

test("a refused file is removed before it is announced again", async () => {
  const { uploads, server, add, isIn } = tab();
  const id = add();
  await isIn(id, "checking");
  uploads.setFile(storedFile("fil_0", "refused"));
  assert.equal(uploads.find(id)?.state, "failed");
  server.held = "remove";
  uploads.retry(id);
  await pause(20);
  assert.equal(server.keys.length, 1);
  server.held = null;
  await isIn(id, "checking");
  assert.deepEqual(server.removed, ["fil_0"]);
  assert.deepEqual(server.keys, [`${id}-0`, `${id}-1`]);
  await uploads.close();
});

test("the upload of a picture ends with its page", async () => {
  const { uploads, records, isIn } = tab();
  const { uploadId } = uploads.add(new Blob(["abc"]), { purpose: "picture" });
  await isIn(uploadId, "checking");
  assert.equal(records.saved.size, 0);
  assert.equal(uploads.find(uploadId)?.purpose, "picture");
  await uploads.close();
});

test("another tab can describe an upload, and send it", async () => {
  const name = randomUUID();
  const [mine, other] = [tab(new FakeServer(), name), tab(new FakeServer(), name)];
  const id = mine.add();
  other.uploads.change(id, { alt: "A dot", isSent: true, width: 3 });
  const { alt, isSent, width } = await waitFor(() => {
    const found = mine.uploads.find(id);
    return found?.isSent && found;
  }, "changed");
  assert.deepEqual({ alt, isSent, width }, { alt: "A dot", isSent: true, width: 3 });
  await mine.uploads.close();
  await other.uploads.close();
});

test("a file that is deleted while it is checked has expired, and can be uploaded again", async () => {
  const { uploads, server, add, isIn } = tab();
  const id = add();
  await isIn(id, "checking");
  uploads.setDeleted("fil_0");
  assert.equal(uploads.find(id)?.state, "failed");
  assert.match(uploads.find(id)?.problem?.type ?? "", /file-expired/);
  uploads.retry(id);
  await isIn(id, "checking");
  assert.deepEqual(server.keys, [`${id}-0`, `${id}-1`]);
  await uploads.close();
});
