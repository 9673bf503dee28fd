// Uploads step by step, with a server of the test that answers when and how the test says.
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type UploadRecord, UploadRecords } from "../src/client/files/records";
import type { UploadRequests } from "../src/client/files/upload";
import { Uploads } from "../src/client/files/uploads";
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
  readonly removed: string[] = [];
  /** The requests of this kind wait until it is cleared. */
  held: "announce" | "complete" | null = null;

  async announce({ size }: { size: number }, key: string): Promise<FileUpload> {
    this.keys.push(key);
    await this.#unheld("announce");
    return this.#upload(`fil_${this.keys.indexOf(key)}`, size);
  }

  state(fileId: string): Promise<FileUpload> {
    return Promise.resolve(this.#upload(fileId, 3));
  }

  async complete(fileId: string): Promise<StoredFile> {
    await this.#unheld("complete");
    return storedFile(fileId, "checking");
  }

  remove(fileId: string): Promise<void> {
    this.removed.push(fileId);
    return Promise.resolve();
  }

  absolute(url: string): string {
    return url;
  }

  readonly send: UploadRequests["send"] = () =>
    Promise.resolve({ status: 204, header: () => "3", text: "" });

  #upload(fileId: string, size: number): FileUpload {
    const upload = { protocol: "tus", url: "/", offset: 0, parts: [] } as unknown as FileUpload["upload"];
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
  return { uploads, records, server, add, isIn };
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
