// The user's uploads: three at a time, saved in the browser, the same in all tabs.
//
// Careful: a tab can close at any time. Each upload is run by the tab that holds its lock; the others wait for
// the lock, so that the next one goes on by itself.
import { Value } from "../observable";
import type { NewUpload, StoredFile, Upload } from "../types";
import { hashFile } from "./hash";
import type { UploadRecord, UploadRecords } from "./records";
import { Slots } from "./slots";
import { Tabs } from "./tabs";
import { type UploadListener, type UploadRequests, UploadTask } from "./upload";

const AT_ONCE = 3;

/** What is known of an upload later than the file. */
type Description = Partial<Pick<UploadRecord, "alt" | "isSent" | "width" | "height">>;

type Announcement =
  | { type: "changed"; upload: Upload }
  | { type: "removed"; uploadId: string }
  | { type: "act"; uploadId: string; act: "pause" | "resume" | "retry" | "remove" }
  | { type: "change"; uploadId: string; change: Description }
  | { type: "setOriginal"; uploadId: string; keepOriginal: boolean };

export interface UploadsHost {
  /** The server knows the file: messages that wait for it can be sent. */
  announced(uploadId: string, fileId: string): void;
  /** A new fact about an upload, from this tab. */
  changed(upload: Upload): void;
  /** Whether there is anything to restore when the page is opened again. */
  setPending(isPending: boolean): void;
}

export class Uploads implements UploadListener {
  readonly list = new Value<readonly Upload[]>([]);
  #tasks = new Map<string, UploadTask>();
  /** Uploads that another tab runs. */
  #elsewhere = new Map<string, Upload>();
  #awaited = new Set<string>();
  readonly #tabs: Tabs<Announcement>;
  readonly #slots = new Slots(AT_ONCE);

  constructor(
    private readonly requests: UploadRequests,
    private readonly records: UploadRecords,
    private readonly host: UploadsHost,
    name: string,
  ) {
    this.#tabs = new Tabs(name, (said) => this.#receive(said));
  }

  /** Goes on with the uploads that an earlier page has left. */
  async restore(): Promise<void> {
    for (const { uploadId } of await this.records.all()) void this.#takeOver(uploadId);
  }

  find(uploadId: string): Upload | null {
    return this.#tasks.get(uploadId)?.upload ?? this.#elsewhere.get(uploadId) ?? null;
  }

  /** The content, if this tab has it, for a preview. */
  content(uploadId: string): Blob | null {
    return this.#tasks.get(uploadId)?.record.content ?? null;
  }

  add(content: Blob, given: NewUpload): Upload {
    const record: UploadRecord = {
      uploadId: crypto.randomUUID(),
      threadId: given.threadId ?? null,
      purpose: given.purpose ?? "message",
      name: given.name ?? (content instanceof File ? content.name : "file"),
      size: content.size,
      type: content.type,
      keepOriginal: given.keepOriginal ?? false,
      alt: given.alt ?? "",
      width: given.width ?? 0,
      height: given.height ?? 0,
      sha256: null,
      fileId: null,
      attempt: 0,
      isSent: false,
      isPaused: false,
      addedAt: Date.now(),
      content,
    };
    void this.#tabs.withLock(record.uploadId, () => undefined);
    const task = this.#run(record);
    this.save(task);
    return task.upload;
  }

  // Actions: by the tab that runs the upload.

  pause(uploadId: string): void {
    this.#act(uploadId, "pause", (task) => task.pause());
  }

  resume(uploadId: string): void {
    this.#act(uploadId, "resume", (task) => task.resume());
  }

  retry(uploadId: string): void {
    this.#act(uploadId, "retry", (task) => task.retry());
  }

  /** Removes the upload, and the file from the server unless a message uses it. */
  cancel(uploadId: string): void {
    this.#act(uploadId, "remove", (task) => {
      this.#forget(uploadId);
      task.cancel();
    });
  }

  /** The user has chosen the file again, after the tab was closed. False: it is another file. */
  async provide(uploadId: string, content: Blob): Promise<boolean> {
    const task = this.#tasks.get(uploadId);
    if (task === undefined) return false;
    const { size, sha256 } = task.record;
    if (content.size !== size) return false;
    if (sha256 !== null && (await hashFile(content)) !== sha256) return false;
    task.change({ content });
    task.start();
    return true;
  }

  change(uploadId: string, change: Description): void {
    const task = this.#tasks.get(uploadId);
    if (task === undefined) this.#tabs.post({ type: "change", uploadId, change });
    else task.change(change);
  }

  setOriginal(uploadId: string, keepOriginal: boolean): void {
    const task = this.#tasks.get(uploadId);
    if (task === undefined) this.#tabs.post({ type: "setOriginal", uploadId, keepOriginal });
    else task.setOriginal(keepOriginal);
  }

  /** It is ready and part of a message, or no longer wanted: nothing to show. */
  forget(uploadId: string): void {
    if (this.#tasks.has(uploadId)) this.#forget(uploadId);
    else if (this.#elsewhere.delete(uploadId)) this.#show();
  }

  /** The server says so, by an event or sync. */
  setFile(file: StoredFile): void {
    for (const task of this.#tasks.values()) if (task.record.fileId === file.fileId) task.setFile(file);
  }

  setDeleted(fileId: string): void {
    for (const task of this.#tasks.values()) if (task.record.fileId === fileId) task.setDeleted();
  }

  wake(): void {
    for (const task of this.#tasks.values()) task.wake();
  }

  async close({ forget = false } = {}): Promise<void> {
    for (const task of this.#tasks.values()) task.stop();
    this.#tasks.clear(); // another tab runs them now: nothing that is still answered may be saved
    this.#tabs.close();
    if (!forget) return;
    await this.records.clear();
    this.host.setPending(false);
  }

  // What a task says. One that was canceled may still get an answer, which says nothing any more.

  changed(task: UploadTask): void {
    const { upload } = task;
    if (!this.#has(task)) return;
    if (upload.fileId !== null) this.host.announced(upload.uploadId, upload.fileId);
    this.host.changed(upload);
    this.#tabs.post({ type: "changed", upload });
    this.#show();
  }

  save(task: UploadTask): void {
    if (!this.#has(task) || !isKept(task)) return;
    this.host.setPending(true);
    void this.records.put(task.record);
  }

  /** The server has it all. A file that is not sent yet stays saved for the composer, without its content. */
  uploaded(task: UploadTask): void {
    if (!this.#has(task) || !isKept(task)) return;
    if (task.record.isSent) void this.#unsave(task.record.uploadId);
    else void this.records.put({ ...task.record, content: null });
  }

  slot(signal: AbortSignal): Promise<() => void> {
    return this.#slots.take(signal);
  }

  #has(task: UploadTask): boolean {
    return this.#tasks.get(task.record.uploadId) === task;
  }

  // Tabs.

  #run(record: UploadRecord): UploadTask {
    const task = new UploadTask(record, this.requests, this);
    this.#elsewhere.delete(record.uploadId);
    this.#tasks.set(record.uploadId, task);
    task.start();
    this.changed(task);
    return task;
  }

  /** Runs the upload once no other tab does. */
  async #takeOver(uploadId: string): Promise<void> {
    if (this.#awaited.has(uploadId)) return;
    this.#awaited.add(uploadId);
    await this.#tabs.withLock(uploadId, async () => {
      const record = await this.records.get(uploadId);
      if (record !== null && !this.#tabs.isClosed) return void this.#run(record);
      if (this.#elsewhere.delete(uploadId)) this.#show(); // it ended with its tab
      this.#tabs.release(uploadId);
    });
    this.#awaited.delete(uploadId);
  }

  #act(uploadId: string, act: "pause" | "resume" | "retry" | "remove", run: (task: UploadTask) => void): void {
    const task = this.#tasks.get(uploadId);
    if (task !== undefined) run(task);
    else this.#tabs.post({ type: "act", uploadId, act });
  }

  #receive(said: Announcement): void {
    if (said.type === "changed") {
      if (this.#tasks.has(said.upload.uploadId)) return;
      this.#elsewhere.set(said.upload.uploadId, said.upload);
      this.#show();
      void this.#takeOver(said.upload.uploadId);
    } else if (said.type === "removed") {
      if (this.#elsewhere.delete(said.uploadId)) this.#show();
    } else if (said.type === "act") {
      if (!this.#tasks.has(said.uploadId)) return;
      if (said.act === "remove") this.cancel(said.uploadId);
      else this[said.act](said.uploadId);
    } else if (said.type === "change") {
      this.#tasks.get(said.uploadId)?.change(said.change);
    } else if (said.type === "setOriginal") {
      if (this.#tasks.has(said.uploadId)) this.setOriginal(said.uploadId, said.keepOriginal);
    }
  }

  #forget(uploadId: string): void {
    this.#tasks.get(uploadId)?.stop();
    this.#tasks.delete(uploadId);
    // Only then may another tab have the lock: it would go on with what is saved.
    void this.#unsave(uploadId).then(() => this.#tabs.release(uploadId));
    this.#tabs.post({ type: "removed", uploadId });
    this.#show();
  }

  async #unsave(uploadId: string): Promise<void> {
    await this.records.remove(uploadId);
    if ((await this.records.all()).length === 0) this.host.setPending(false);
  }

  #show(): void {
    this.list.set([...[...this.#tasks.values()].map((task) => task.upload), ...this.#elsewhere.values()]);
  }
}

/** A picture is set by the page that uploads it: no other page could go on. */
function isKept({ record }: UploadTask): boolean {
  return record.purpose === "message";
}
