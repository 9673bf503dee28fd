// Saves unfinished uploads in IndexedDB, so that they go on after the tab was closed. The content of a file
// up to 100 MB is saved too; for a larger one the user chooses the same file again.
//
// Careful: without IndexedDB (some private windows) nothing is saved; uploads work until the tab closes.
import type { UploadPurpose } from "../types";

const DATABASE = "greenroom";
const STORE = "uploads";
const MAX_SAVED_BYTES = 100_000_000;

/** An upload, as saved in the browser. */
export interface UploadRecord {
  uploadId: string;
  threadId: string | null;
  purpose: UploadPurpose;
  name: string;
  size: number;
  type: string;
  keepOriginal: boolean;
  alt: string;
  width: number;
  height: number;
  /** Null until the file has been read. */
  sha256: string | null;
  /** Null until the server knows the file. */
  fileId: string | null;
  /** Counts the announcements: each has its own idempotency key. */
  attempt: number;
  /** It was sent with a message. */
  isSent: boolean;
  isPaused: boolean;
  addedAt: number;
  content: Blob | null;
}

export class UploadRecords {
  #database: Promise<IDBDatabase | null> | null = null;

  constructor(private readonly prefix: string) {}

  async all(): Promise<UploadRecord[]> {
    const range = (): IDBKeyRange => IDBKeyRange.bound(this.prefix, `${this.prefix}\uffff`);
    const found = await this.#run("readonly", (store) => store.getAll(range()));
    return ((found ?? []) as UploadRecord[]).sort((a, b) => a.addedAt - b.addedAt);
  }

  async get(uploadId: string): Promise<UploadRecord | null> {
    const found = await this.#run("readonly", (store) => store.get(this.prefix + uploadId));
    return (found ?? null) as UploadRecord | null;
  }

  /** Without its content if that is too large, or if the browser has no room for it. */
  async put(record: UploadRecord): Promise<void> {
    const isSmall = record.size <= MAX_SAVED_BYTES;
    const saved = isSmall ? record : { ...record, content: null };
    const key = this.prefix + record.uploadId;
    const done = await this.#run("readwrite", (store) => store.put(saved, key));
    if (done === null && saved.content !== null) {
      await this.#run("readwrite", (store) => store.put({ ...record, content: null }, key));
    }
  }

  async remove(uploadId: string): Promise<void> {
    await this.#run("readwrite", (store) => store.delete(this.prefix + uploadId));
  }

  async clear(): Promise<void> {
    for (const { uploadId } of await this.all()) await this.remove(uploadId);
  }

  /** Null if it failed. */
  async #run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
    this.#database ??= openDatabase();
    const database = await this.#database;
    if (database === null) return null;
    return new Promise((done) => {
      try {
        const transaction = database.transaction(STORE, mode);
        const request = act(transaction.objectStore(STORE));
        transaction.oncomplete = () => done(request.result);
        transaction.onerror = transaction.onabort = () => done(null);
      } catch {
        done(null);
      }
    });
  }
}

function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise((done) => {
    try {
      const opening = indexedDB.open(DATABASE, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
      opening.onsuccess = () => done(opening.result);
      opening.onerror = opening.onblocked = () => done(null);
    } catch {
      done(null);
    }
  });
}
