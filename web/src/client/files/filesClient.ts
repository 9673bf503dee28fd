// Uploads and the user's own files. Loaded with the first call of `client.files()`.
import { Value } from "../observable";
import { isProblem, ProblemError, retryUnreachable, type Rest } from "../rest";
import type {
  FileUpload,
  Files,
  HashOptions,
  Manifest,
  NewManifest,
  NewUpload,
  Page,
  SafeMode,
  Storage,
  StoredFile,
  Upload,
} from "../types";
import { hashFile } from "./hash";
import { UploadRecords } from "./records";
import { sendBody } from "./transport";
import type { UploadRequests } from "./upload";
import { Uploads, type UploadsHost } from "./uploads";

export class FilesClient implements Files {
  readonly #uploads: Uploads;
  /** Null until it was asked for, or has changed on any device. */
  readonly knownSafeMode = new Value<SafeMode | null>(null);

  constructor(
    private readonly rest: Rest,
    userId: string,
    host: UploadsHost,
    private readonly onSafeMode: (mode: SafeMode) => void,
  ) {
    const name = `${rest.api} ${userId}`;
    const records = new UploadRecords(`${name} `);
    this.#uploads = new Uploads(uploadRequests(rest), records, host, name);
  }

  get uploads(): Uploads["list"] {
    return this.#uploads.list;
  }

  restore(): Promise<void> {
    return this.#uploads.restore();
  }

  close(options: { forget?: boolean }): Promise<void> {
    return this.#uploads.close(options);
  }

  /** The network is back. */
  wake(): void {
    this.#uploads.wake();
  }

  /** By an event or sync. */
  setFile(file: StoredFile): void {
    this.#uploads.setFile(file);
  }

  /** By sync. */
  setDeleted(fileId: string): void {
    this.#uploads.setDeleted(fileId);
  }

  /** Events may have been missed: asks for the files that are being checked. */
  async recheck(): Promise<void> {
    for (const { state, fileId } of this.uploads.get()) {
      if (state !== "checking" || fileId === null) continue;
      const path = { fileId };
      await this.rest.request("get", "/v1/files/{fileId}", { path }).then(
        (file) => this.setFile(file),
        (error: unknown) => {
          if (isProblem(error) && error.code === "file-not-found") this.setDeleted(fileId);
        },
      );
    }
  }

  upload(content: Blob, options: NewUpload = {}): Upload {
    return this.#uploads.add(content, options);
  }

  hash(content: Blob, options?: HashOptions): Promise<string> {
    return hashFile(content, options);
  }

  async recordDelivery(
    threadId: string,
    delivery: NewManifest,
    key: string = crypto.randomUUID(),
  ): Promise<Manifest> {
    const input = { path: { threadId }, body: { ...delivery, clientMessageId: key } };
    const record = () => this.rest.request("post", "/v1/threads/{threadId}/manifests", input);
    return (await retryUnreachable(record)).manifest;
  }

  pause(uploadId: string): void {
    this.#uploads.pause(uploadId);
  }

  resume(uploadId: string): void {
    this.#uploads.resume(uploadId);
  }

  retry(uploadId: string): void {
    this.#uploads.retry(uploadId);
  }

  cancel(uploadId: string): void {
    this.#uploads.cancel(uploadId);
  }

  provide(uploadId: string, content: Blob): Promise<boolean> {
    return this.#uploads.provide(uploadId, content);
  }

  describe(uploadId: string, about: { alt?: string; width?: number; height?: number }): void {
    this.#uploads.change(uploadId, about);
  }

  setOriginal(uploadId: string, keepOriginal: boolean): void {
    this.#uploads.setOriginal(uploadId, keepOriginal);
  }

  content(uploadId: string): Blob | null {
    return this.#uploads.content(uploadId);
  }

  find(uploadId: string): Upload | null {
    return this.#uploads.find(uploadId);
  }

  /** Whether it belongs to a message in the outbox. */
  setSent(uploadId: string, isSent: boolean): void {
    this.#uploads.change(uploadId, { isSent });
  }

  /** The message with it was sent or discarded. */
  forget(uploadId: string): void {
    this.#uploads.forget(uploadId);
  }

  ready(uploadId: string): Promise<StoredFile> {
    return new Promise((done, failed) => {
      let stop: (() => void) | null = null;
      const look = (): void => {
        const upload = this.find(uploadId);
        if (upload?.state === "ready" && upload.file !== null) done(upload.file);
        else if (upload?.state === "failed" && upload.problem !== null) failed(new ProblemError(upload.problem));
        else if (upload === null) failed(new DOMException("The upload was canceled", "AbortError"));
        else return;
        queueMicrotask(() => stop?.());
      };
      stop = this.uploads.subscribe(look);
    });
  }

  async list(cursor: string | null = null): Promise<Page<StoredFile>> {
    const { files, next } = await this.rest.request("get", "/v1/files", { query: { cursor } });
    return { items: files, next };
  }

  file(fileId: string): Promise<StoredFile> {
    return this.rest.request("get", "/v1/files/{fileId}", { path: { fileId } });
  }

  async remove(fileId: string): Promise<void> {
    await this.rest.request("delete", "/v1/files/{fileId}", { path: { fileId } });
  }

  storage(): Promise<Storage> {
    return this.rest.request("get", "/v1/me/storage", {});
  }

  async appeal(fileId: string, note = ""): Promise<void> {
    await this.rest.request("post", "/v1/files/{fileId}/appeals", { path: { fileId }, body: { note } });
  }

  async setAvatar(fileId: string | null): Promise<void> {
    if (fileId === null) await this.rest.request("delete", "/v1/me/avatar", {});
    else await this.rest.request("put", "/v1/me/avatar", { body: { fileId } });
  }

  async setThreadPicture(threadId: string, fileId: string | null): Promise<void> {
    const path = { threadId };
    if (fileId === null) await this.rest.request("delete", "/v1/threads/{threadId}/picture", { path });
    else await this.rest.request("put", "/v1/threads/{threadId}/picture", { path, body: { fileId } });
  }

  async safeMode(): Promise<SafeMode> {
    const { safeMode } = await this.rest.request("get", "/v1/me/file-preferences", {});
    this.knownSafeMode.set(safeMode);
    return safeMode;
  }

  /** A change may have been missed. */
  async reloadSafeMode(): Promise<void> {
    if (this.knownSafeMode.get() !== null) await this.safeMode().catch(() => undefined);
  }

  async setSafeMode(safeMode: SafeMode): Promise<void> {
    await this.rest.request("put", "/v1/me/file-preferences", { body: { safeMode } });
    this.onSafeMode(safeMode);
  }
}

function uploadRequests(rest: Rest): UploadRequests {
  return {
    announce: (body, key): Promise<FileUpload> =>
      rest.request("post", "/v1/files", { body, headers: { "Idempotency-Key": key } }),
    state: (fileId): Promise<FileUpload> =>
      rest.request("get", "/v1/files/{fileId}/upload", { path: { fileId } }),
    complete: (fileId): Promise<StoredFile> =>
      rest.request("post", "/v1/files/{fileId}/complete", { path: { fileId } }),
    remove: async (fileId): Promise<void> => {
      try {
        const path = { fileId };
        await retryUnreachable(() => rest.request("delete", "/v1/files/{fileId}", { path }));
      } catch (error) {
        if (!isProblem(error)) throw error; // in use, or gone
      }
    },
    absolute: (url): string => (url.startsWith("/") ? rest.api + url : url),
    send: sendBody,
  };
}
